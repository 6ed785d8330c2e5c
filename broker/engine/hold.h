/* SPDX-License-Identifier: ISC
 * Shared by the files of the static agent. Two ways of being the first process of a container: beside a broker that is root
 * on the same host and does from outside what needs doing, or alone, where the broker is elsewhere (hold_far.c). */
#ifndef SALLYPORT_HOLD_H
#define SALLYPORT_HOLD_H

#include <stdint.h>
#include <sys/types.h>

#include "box/box_plan.h"
#include "engine/far_wire.h"

enum { HOLD_WORDS = 512 };

/* Why the command was not started, as the job's part says it before its exec: one write into a pipe. */
struct hold_failure {
    int32_t control; /* that could not be set up; -1: the exec itself failed */
    int32_t error;   /* errno */
};

struct hold {
    struct box_plan plan; /* what is left out, the environment, and control, where a failure is written: all that the shared
                           * steps look at */
    uint64_t file;        /* RLIMIT_FSIZE; 0: none */
    bool far;             /* alone: */
    uint32_t uid;         /* the job's, and its group's */
    uint64_t wall_ms, output, inodes; /* 0: none */
    char *places[HOLD_WORDS]; /* where volumes are */
    size_t places_n;
    char *env[HOLD_WORDS];
    size_t env_n;
    char **command;
};

bool hold_off(const struct hold *h, enum control control);

/* hold_main.c: the job's own part, to its exec; failure: where a struct hold_failure goes. out, err: its streams; -1: as
 * they are. */
NORETURN void hold_job(struct hold *h, int failure, int out, int err);
/* In a process namespace of our own everything else is the job's; in the mutant without one, only its group is. */
void hold_kill_rest(const struct hold *h, pid_t job);

/* hold_far.c: the whole of it; returns the exit status. open_mask: the signals to wait with. */
int hold_far(struct hold *h, const sigset_t *open_mask);
/* In the job: another user without capabilities. */
void hold_become_job(const struct hold *h);

/* hold_measure.c: what the kernel holds the container to. Opens what hold_met() will read, before /sys is covered. */
void hold_measure(int scratch, struct far_hello *out);
/* Which limits were met: bits of enum control; and the most memory that was used. */
void hold_met(int scratch, struct far_quiet *out);

/* hold_list.c: everything below the scratch, as frames on standard output; then the files that are asked for. Both end the
 * process where the broker is gone. */
void hold_list(int scratch);
void hold_serve(int scratch);
/* One frame in full; ends the process where nobody reads it. */
void hold_send(enum far_type type, const void *data, size_t len);

#endif
