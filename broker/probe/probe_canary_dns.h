/* SPDX-License-Identifier: ISC
 * The oracle's resolver: a process that answers each question with the host's loopback and says that it was asked. */
#ifndef SALLYPORT_PROBE_CANARY_DNS_H
#define SALLYPORT_PROBE_CANARY_DNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

struct canary_dns {
    pid_t process;
    int asked;     /* one byte a question; non-blocking; owned */
    uint16_t port; /* on 127.0.0.1 */
};

/* 0 or -1 with errno; close in either case. */
int canary_dns_open(struct canary_dns *d) MUST_CHECK;
/* Asks it once, from outside: does it answer? */
bool canary_dns_works(const struct canary_dns *d);
void canary_dns_close(struct canary_dns *d);

#endif
