/* SPDX-License-Identifier: ISC
 * The table of probes: which control each belongs to, what its mutant switches off, and who is its oracle. */
#ifndef SALLYPORT_PROBE_ROWS_H
#define SALLYPORT_PROBE_ROWS_H

#include "probe/probe.h"
#include "probe/probe_canary.h"

#define OFF(control) ((uint32_t)1 << (control))
/* Bits of a mutant that the driver itself makes: a host variable, a daemon's socket. */
#define OFF_ENVIRONMENT ((uint32_t)1 << 17)
#define OFF_SOCKET ((uint32_t)1 << 18)

enum row_flag {
    ROW_MAY_LACK = 1 << 0, /* some kernels do not offer what is tried at all: then the mutant is refused as well */
    ROW_TCP6 = 1 << 1,     /* needs that canary listener */
    ROW_UDP6 = 1 << 2,
    ROW_NNP = 1 << 4,      /* where sallyport itself runs under no_new_privs no mutant can be without */
    ROW_SAME_HOST = 1 << 5,/* is about objects of this host behind the inputs */
    ROW_PUBLIC = 1 << 3    /* nothing can be said where the host itself reaches nobody */
};

/* Tried together in one box. */
struct static_row {
    const char *name;
    enum control control;
    uint32_t off;
    unsigned oracle; /* what must be reached in the mutant and must not in the real profile; 0: the probe's own word */
    unsigned flags;
};

/* What a run of one probe came to. */
enum attempt { ATTEMPT_NONE = 0, ATTEMPT_HELD, ATTEMPT_OPEN };

struct probe_run {
    struct box_result *result;
    bool positive;
    enum attempt said;      /* the probe's own word */
    int ended;              /* of box_end() */
};

/* Tried in a box of its own, with one limit set. */
struct limit_row {
    const char *name;
    enum control control;
    uint64_t size;
    void (*set)(struct run_limits *limits, uint64_t size);
    bool (*asked)(const struct run_limits *limits);
    enum attempt (*judge)(const struct probe_run *run, uint64_t size);
};

extern const struct static_row static_rows[];
extern const size_t static_rows_n;
extern const struct limit_row limit_rows[];
extern const size_t limit_rows_n;

#endif
