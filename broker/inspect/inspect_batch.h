/* SPDX-License-Identifier: ISC
 * One confined child and the jobs it was given (broker side). A child is trusted with nothing: what it says of files counts
 * only once it has said all of it, in order, and has ended. */
#ifndef SALLYPORT_INSPECT_BATCH_H
#define SALLYPORT_INSPECT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/item.h"
#include "base/limits.h"
#include "base/wire.h"
#include "inspect/finding_wire.h"
#include "inspect/inspect.h"

/* What a child said about one job. Cleared when the job must be done again. */
struct job_result {
    struct claims claims;
    uint32_t done;             /* bits of enum inspector_id */
    struct finding_list findings;
    uint32_t said;             /* findings since the last DONE */
    uint64_t entries, unpacked;
    bool listed;
    uint8_t listing[SHA256_SIZE];
    uint64_t listing_count;
    struct wire_nested *nested; /* owned: archives inside the file, in the order they were said */
    size_t nested_n, nested_cap;
    bool spooled;               /* one of them lies in the child's spool */
    struct extent_list extents;
};

/* How a job ended; zero is the failure. */
enum job_end { JOB_CRASHED = 0, JOB_TIMEOUT, JOB_COMPLETE };

/* One question to one child. */
struct job {
    struct job *next;
    struct item *item;         /* NULL: a scan or a stream, waited for by its caller */
    enum frame_type type;      /* FRAME_TASK, FRAME_SCAN or FRAME_STREAM */
    bool theirs;               /* of a scan: the text is not the operator's or our own */
    bool second;               /* for the second reader */
    bool alone;                /* not together with others */
    bool reported;             /* is in the list of finished ones */
    unsigned attempts;
    uint64_t id;
    uint8_t *payload;          /* owned: the encoded task or scan */
    size_t len;
    int fd;                    /* borrowed; -1: none */
    uint64_t size, deadline_ms;
    uint64_t extents_max;
    uint32_t expected;         /* inspectors that must say DONE */
    enum job_end end;
    struct job_result result;
    struct job_result first;   /* of the first reader, while the second one is asked */
    size_t asked;              /* archives inside that the second one was asked about */
    int spool;                 /* owned: where some of them lie; -1: none */
};

void job_result_clear(struct job_result *result);
void job_free(struct job **job);

enum batch_state { BATCH_FREE = 0, BATCH_RUNNING, BATCH_DYING };

struct batch {
    enum batch_state state;
    uint32_t child;
    struct wire wire;
    int spool;                 /* owned: its child's, or of the one before; -1: none */
    bool hello;
    bool open;                 /* END was not sent: it may be given more once it has answered */
    bool theirs;               /* it was given something that is not the operator's or our own */
    bool started;              /* START of jobs[at] was seen */
    struct job *jobs[BATCH_FILES];
    size_t n, at;
    int64_t deadline;          /* monotonic ms */
    bool seccomp, rlimits;
    int landlock_abi;
};

int64_t batch_now(void);
/* Hands a job over: queues its frame. 0 or -1 with errno. */
int batch_add(struct batch *b, struct job *job) MUST_CHECK;
/* Takes what the child said. 1: it ended well and every job is complete; 0: it goes on; -1: it ended early or answered
 * badly. */
int batch_read(struct batch *b) MUST_CHECK;
/* Restarts the clock for the job under way: on START and FINISH alone, so that talk does not buy time. */
void batch_arm(struct batch *b);

#endif
