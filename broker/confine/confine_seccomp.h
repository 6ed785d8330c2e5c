/* SPDX-License-Identifier: ISC
 * Linux profiles made with confine_bpf.h. */
#ifndef SALLYPORT_CONFINE_SECCOMP_H
#define SALLYPORT_CONFINE_SECCOMP_H

#include "base/compiler.h"

/* The filter of a worker child; everything it does not name kills the process. 0 or -1 with errno. */
int seccomp_worker(void) MUST_CHECK;

#endif
