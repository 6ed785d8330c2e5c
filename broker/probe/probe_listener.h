/* SPDX-License-Identifier: ISC
 * The oracle of probes in a machine, on every system: one listener on every address of this host. */
#ifndef SALLYPORT_PROBE_LISTENER_H
#define SALLYPORT_PROBE_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct probe_listener {
    int fd;            /* owned; -1: none */
    uint16_t port;
    char hosts[512];   /* IPv4 addresses of this host but its loopback, with commas between; "" none */
};

/* 0 or -1 with errno; close in either case. */
int listener_open(struct probe_listener *l) MUST_CHECK;
/* Was it reached since the last call? Nothing is read from whoever connects. */
bool listener_reached(struct probe_listener *l);
/* Reaches it from here, over the first of its addresses: an oracle that does not answer proves nothing. */
bool listener_works(struct probe_listener *l);
void listener_close(struct probe_listener *l);

#endif
