/* SPDX-License-Identifier: ISC
 * The broker's side of a running box: reads its messages, keeps its output, holds the clock. */
#ifndef SALLYPORT_BOX_WATCH_H
#define SALLYPORT_BOX_WATCH_H

#include <stdint.h>
#include <sys/types.h>

#include "box/box_cgroup.h"
#include "box/box_plan.h"

struct box_watch {
    const struct box_options *options;
    struct box_result *result;
    const struct box_cgroup *cgroup;
    pid_t supervisor;         /* 0: reaped */
    int control, go, out, err;/* our ends; owned */
    int out_file, err_file;   /* captured output, written; owned */
    uint64_t started_ms;      /* 0: the job has not been let go */
    pid_t init;               /* pid 1 of the box, as we see it; 0: not known */
    bool ready, exited, frozen, faulted, killed, no_namespaces;
    int wait_status;
    int place_error;          /* errno of moving pid 1 into its control groups; 0: none */
};

uint64_t box_clock_ms(void);
/* Until everything but the exec is in place. 0 ready, 1 a control is missing, -1 with errno. */
int box_watch_setup(struct box_watch *w) MUST_CHECK;
/* Lets the job go and serves it to its end, by itself or by a limit. 0 or -1 with errno. */
int box_watch_job(struct box_watch *w) MUST_CHECK;
/* Kills whatever is left of the box, waits for the supervisor's freeze proof and reaps it. */
void box_watch_stop(struct box_watch *w);
/* Moves what waits in a pipe of the job's to `file`, at most what the limit leaves of both streams (limits NULL: no bound),
 * and counts it; *over: there was more. A pipe at its end is closed and -1. 0, or -1 with errno: `file` failed. */
int box_take_output(int *pipe_fd, int file, const struct run_limits *limits, const struct box_result *r, uint64_t *count,
                    bool *over) MUST_CHECK;

#endif
