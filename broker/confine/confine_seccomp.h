/* SPDX-License-Identifier: ISC
 * Linux profiles made with confine_bpf.h. */
#ifndef SALLYPORT_CONFINE_SECCOMP_H
#define SALLYPORT_CONFINE_SECCOMP_H

#include "base/compiler.h"

/* The filter of a worker child; everything it does not name kills the process. 0 or -1 with errno. */
int seccomp_worker(void) MUST_CHECK;
/* The filter of the relay of a fetch phase and of all it forks: reading files, sockets of the internet, forking; what it
 * does not name fails with EPERM. Then, on top of it, that of one connection which stands: bytes in, bytes out, the end;
 * all else kills. Both need no_new_privs. 0 or -1 with errno. */
int seccomp_relay(void) MUST_CHECK;
int seccomp_relay_pump(void) MUST_CHECK;

#endif
