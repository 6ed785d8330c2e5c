/* SPDX-License-Identifier: ISC
 * The only way out of a fetch phase: a relay that speaks the two forms of an HTTP proxy on the box's own loopback, connects
 * from the host, and writes down every destination before it connects. The box itself has no network, so that what is not
 * in the table was not reached. Addresses of this host, link-local ones and those of metadata services are refused. */
#ifndef SALLYPORT_BOX_GATE_H
#define SALLYPORT_BOX_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/limits.h"

#define GATE_PORT 3128 /* on the box's 127.0.0.1; what proxies usually have */

enum gate_state { GATE_NONE = 0, GATE_TRIED, GATE_REACHED, GATE_REFUSED };

struct gate_destination {
    uint32_t state;          /* enum gate_state; written last */
    uint16_t port;
    char host[256];          /* as the job named it: bytes from 0x21 to 0x7e */
    char address[48];        /* what the name led to; "": nothing */
    uint64_t sent, received; /* bytes */
};

/* Shared with the relay; it only ever adds. */
struct gate_table {
    uint32_t claimed;        /* entries asked for; more than GATE_DESTINATIONS: the rest was refused */
    struct gate_destination entries[GATE_DESTINATIONS];
};

struct box_gate {
    struct gate_table *table; /* owned */
    pid_t relay;              /* 0: not running */
};

/* 0 or -1 with errno; close in either case. */
int gate_open(struct box_gate *gate) MUST_CHECK;
/* Starts the relay on a listening socket of the box; takes it. 0 or -1 with errno. */
int gate_start(struct box_gate *gate, int *listener, uint32_t uid) MUST_CHECK;
/* Ends the relay and all its connections: after this the table changes no more. */
void gate_stop(struct box_gate *gate);
size_t gate_count(const struct box_gate *gate);
void gate_close(struct box_gate *gate);

/* May a fetch reach it? Pure but for the list of our own addresses, which gate_start() has read. */
struct gate_own {
    uint8_t v[64][16]; /* IPv4 as mapped addresses */
    size_t n;
};
bool gate_allows(const struct gate_own *own, const uint8_t address[16]);
/* "CONNECT host:port HTTP/1.1" or "GET http://host[:port]/path HTTP/1.1": host and port, and where the path begins in the
 * line (NULL for CONNECT). False: neither. `line` is one line without its end. Pure. */
bool gate_request(const char *line, char host[256], uint16_t *port, const char **path);

#endif
