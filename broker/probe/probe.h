/* SPDX-License-Identifier: ISC
 * Proves the controls of the box. Each probe runs twice, once in the real profile and once in a mutant with that control
 * switched off (and whatever stands behind it), against an oracle outside the job. Only HELD counts: the attempt failed,
 * its counterpart worked, and in the mutant the same attempt got through. */
#ifndef SALLYPORT_PROBE_H
#define SALLYPORT_PROBE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/contract.h"
#include "box/box.h"

enum probe_verdict {
    PROBE_BROKEN = 0,        /* the attempt got through */
    PROBE_INSTRUMENT_BROKEN, /* the counterpart failed, or the mutant was not detected */
    PROBE_UNSUPPORTED,       /* this host cannot give the control, or has nothing to try it on */
    PROBE_HELD
};

enum { PROBE_ROWS = 96 };

struct probe_result {
    const char *name;
    enum control control;
    enum probe_verdict verdict;
    bool required;  /* false: there is nothing on this host that the control would have to hold against */
    char how[192];
};

struct probe_report {
    struct probe_result rows[PROBE_ROWS];
    size_t n;
    struct control_status controls[CONTROL_COUNT]; /* of the real profile */
    char fault[256];    /* why the real profile could not be set up; "" */
    char base[128];
    bool stopped;       /* interrupted */
    uint64_t elapsed_ms;
};

struct probe_options {
    const char *program;         /* absolute path of sallyport-probe */
    const struct run_limits *asked; /* which limits are to be proven; NULL: all */
    int work_dir_fd;             /* a private directory, for canaries and captured output; borrowed */
    const volatile sig_atomic_t *interrupted;
    uint32_t off;                /* for the driver's own tests: a real profile that lacks these controls */
    /* What is proven: runs a job as box_run() does; NULL: the built-in runner. */
    int (*run)(void *context, const struct box_options *options, struct box_result *result);
    void *context;
    /* Where that is on another host: starts the oracle there and hands over its streams, borrowed. 0 or -1 with errno; NULL:
     * this host is the one. oracle_end, also after a failure: false: something of it is left there. */
    int (*oracle)(void *context, const char *program, int *in, int *out);
    bool (*oracle_end)(void *context);
};

const char *probe_verdict_name(enum probe_verdict verdict);
/* "" or a sentence on what would provide the control and how to check it. */
const char *probe_plan(enum control control);
/* All required rows HELD? */
bool probe_all_held(const struct probe_report *report);
/* Was there at least one HELD row of this control, and no required one that was not? */
bool probe_control_held(const struct probe_report *report, enum control control);
/* 0 with the report filled, whatever the verdicts; -1 with errno where the driver itself failed. */
int probe_run_all(const struct probe_options *options, struct probe_report *report) MUST_CHECK;

#endif
