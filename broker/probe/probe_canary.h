/* SPDX-License-Identifier: ISC
 * The oracle of the probes: listeners, files and a process of the broker's own, which notice being reached. */
#ifndef SALLYPORT_PROBE_CANARY_H
#define SALLYPORT_PROBE_CANARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "probe/probe_canary_dns.h"

enum reached {
    REACHED_TCP4 = 1 << 0,
    REACHED_TCP6 = 1 << 1,
    REACHED_UDP4 = 1 << 2,
    REACHED_UDP6 = 1 << 3,
    REACHED_ABSTRACT = 1 << 4,
    REACHED_SOCKET = 1 << 5, /* in the canary input */
    REACHED_FIFO = 1 << 6,
    REACHED_INPUT = 1 << 7,  /* the canary input changed */
    REACHED_SIGNAL = 1 << 8,
    REACHED_DNS = 1 << 9,
    REACHED_ALL = (1 << 10) - 1,
    REACHED_NET = REACHED_TCP4 | REACHED_TCP6 | REACHED_UDP4 | REACHED_UDP6 | REACHED_ABSTRACT | REACHED_SIGNAL | REACHED_DNS
};

struct probe_canary {
    int dir;                       /* "input" in the work directory; owned */
    int listeners[6];              /* tcp4, tcp6, udp4, udp6, abstract, socket; -1: this host has none; owned */
    uint16_t ports[4];
    char abstract[32], hosts[512], hosts6[512];
    int fifo, lock, signals;       /* owned */
    int public_fd;                 /* a connection to a public host, tried from outside; -1: none; owned */
    pid_t process;
    struct canary_dns dns;
    uint8_t digest[32];            /* of the input as it was made */
    int far_in, far_out;           /* the oracle on the daemon's host, where that is another; borrowed; -1: none */
    bool far_public;
    int far_process;
    uint16_t far_dns;
};

/* Port and address of a public host: a root server of the DNS, which answers everybody. */
#define CANARY_PUBLIC "198.41.0.4"
#define CANARY_PUBLIC_PORT 53

/* Zero or -1 with errno; close in either case. */
int canary_open(struct probe_canary *c, int work_dir, uint32_t uid) MUST_CHECK;
/* Adds a copy of the program, with the set-user-id bit, to the canary input. 0 or -1 with errno. */
int canary_add_setuid(const struct probe_canary *c, const char *program) MUST_CHECK;
/* Did a public host answer outside of any sandbox? Where not, no sandbox can be judged by it. */
bool canary_public(const struct probe_canary *c);
/* What was reached since the last call. */
unsigned canary_reached(struct probe_canary *c);
/* Reaches every listener from outside of any sandbox: an oracle that does not answer proves nothing. */
bool canary_works(struct probe_canary *c);
/* Does the host that is probed listen there? index: of listeners, below 4. */
bool canary_listens(const struct probe_canary *c, unsigned index);
void canary_close(struct probe_canary *c, int work_dir);

/* probe_canary_net.c: listeners, resolver and process alone; as above. */
int canary_net_open(struct probe_canary *c, uint32_t uid) MUST_CHECK;
unsigned canary_net_reached(struct probe_canary *c);
/* Reaches each of them: what must now be reported; 0: one cannot be reached. */
unsigned canary_net_reach(struct probe_canary *c);
void canary_net_close(struct probe_canary *c);
int canary_unix(const char *name, bool abstract);
bool canary_drain(int fd, bool stream);

/* probe_far.c: the same on the daemon's host. sallyport-probe is started there as its oracle (probe_oracle.c), and says what
 * it was reached by. Attaching takes its ports and addresses. 0, or -1 with errno EPROTO: it says something else. */
int canary_far_attach(struct probe_canary *c, int in, int out) MUST_CHECK;
unsigned canary_far_reached(struct probe_canary *c);
unsigned canary_far_reach(struct probe_canary *c);

#endif
