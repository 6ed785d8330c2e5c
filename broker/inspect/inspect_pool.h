/* SPDX-License-Identifier: ISC
 * The two worker programs, their children and the queues before them (broker side). */
#ifndef SALLYPORT_INSPECT_POOL_H
#define SALLYPORT_INSPECT_POOL_H

#include <sys/types.h>

#include "inspect/inspect_batch.h"

enum { CHILDREN_LIMIT = 64 };

struct job_queue {
    struct job *head, *tail;
    size_t n;
    uint64_t bytes;
};

/* One worker program. */
struct lane {
    const char *name;
    int program;             /* owned; -1: not looked for yet */
    int rules_fd;            /* borrowed */
    pid_t pid;               /* 0: not running */
    struct wire control;
    int status;              /* wait status of the last one that ended */
    bool ready;              /* READY was seen */
    bool flush;              /* send what is queued even where it fills no batch */
    unsigned starts;
    int64_t ready_by;        /* deadline of READY */
    uint32_t next_child;
    struct job_queue plain, alone;
    struct batch *batches;   /* children of them */
    char version[64], libraries[512];
};

enum { LANE_FIRST = 0, LANE_SECOND, LANES };

struct inspect_pool {
    char *libexec;           /* owned; NULL: beside the running executable, else libexecdir */
    unsigned children;
    uint64_t file_ms;        /* 0: limits.h */
    uint64_t next_id;
    struct lane lanes[LANES];
    struct job *finished_head, *finished_tail;
    int scratch;             /* owned: directory for spools; -1: none */
    uint64_t spools;         /* made so far */
    size_t pending;          /* items handed in and not yet given back */
    bool confined;           /* the first child said so */
    bool seccomp, rlimits;
    int landlock_abi;
};

/* Starts the lane's program if it does not run. 0 or -1 with errno. */
int lane_start(struct inspect_pool *pool, struct lane *lane) MUST_CHECK;
/* A child that waits for its first batch: work that comes later need not wait for it. 0 or -1 with errno. */
int lane_spare(struct inspect_pool *pool, struct lane *lane) MUST_CHECK;
/* Kills the program (its children die with it) without waiting for its end: lane_close() does. */
void lane_rest(struct lane *lane);
void lane_close(struct inspect_pool *pool, struct lane *lane);
void job_enqueue(struct inspect_pool *pool, struct job *job);
/* One turn: hands out what is queued, waits at most timeout_ms (-1: until something happens) and takes what came. 0 or
 * -1 with errno (EINTR: a signal came). Finished jobs go to pool_finished(). */
int pool_turn(struct inspect_pool *pool, int timeout_ms) MUST_CHECK;
/* The judge of what a finished job is followed by: inspect.c. */
void pool_finished(struct inspect_pool *pool, struct job *job);

#endif
