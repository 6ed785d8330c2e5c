/* SPDX-License-Identifier: ISC
 * What the broker resolved before it forks: the child takes no decision of its own. Also the messages the child sends.
 * Everything is owned by the plan and freed by box_plan_free(). */
#ifndef SALLYPORT_BOX_PLAN_H
#define SALLYPORT_BOX_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "box/box.h"

/* One input, pinned: the child opens the path again in its own mount namespace and compares device and inode. */
struct box_input {
    char *path;     /* absolute, on the host */
    const char *at; /* absolute, in the box; of the contract */
    dev_t dev;
    ino_t ino;
    uid_t uid;      /* owner: becomes the job's user in its view, where the broker is root */
    gid_t gid;
    bool directory, copy;
    uint8_t digest[32]; /* of the original, before the job; where it is copied */
    bool fetched;   /* not of the host: the frozen scratch of a fetch phase */
    int lower;      /* in the child, where the broker is root: a detached view; -1: none */
};

struct box_plan {
    const struct run *run;
    char **argv, **envp;     /* argv of the contract, envp made of the contract and the four fixed variables */
    struct box_input *inputs;
    size_t inputs_n;
    struct box_input base;   /* the directory with a root filesystem; where !base_host */
    bool base_host;
    bool root;               /* the broker may use any user id: the job gets a reserved one */
    uid_t uid, gid;          /* the job's ids outside */
    uint32_t off;            /* bits of enum control: switched off for a mutant run of the probes */
    bool dry;
    bool pids_group;         /* a control group counts processes: RLIMIT_NPROC is the second line behind it */
    bool in_namespaces;      /* in the child: they were had, with their maps and loopback */
    bool gate;               /* a listening socket on the box's loopback for the broker's relay */
    /* descriptors of the child */
    int control, go, out, err;
    int own_dev;    /* in the child, where the broker is root: device files of our own; -1 */
    int fetched;    /* borrowed of the fetch phase; -1: none */
};

enum box_message_kind {
    BOX_FAULT = 1, /* set-up failed: control, errno, what; value 1: before the namespaces were had */
    BOX_NOTE,      /* how a control is enforced: control, text */
    BOX_SCRATCH,   /* one descriptor */
    BOX_GATE,      /* one descriptor: a listening socket */
    BOX_INIT,      /* process id of pid 1, as the broker sees it */
    BOX_READY,     /* everything is in place but the exec */
    BOX_EXEC,      /* exec failed: errno */
    BOX_EXIT,      /* wait status of the job */
    BOX_FROZEN     /* 0 or errno of the last try */
};

struct box_message {
    int32_t kind, value, control, error;
    char text[128];
};

/* 0, or -1 with errno and a sentence in fault (the size of box_result.fault). */
int box_plan_init(struct box_plan *plan, const struct box_options *options, struct box_result *result) MUST_CHECK;
/* After the job: are the originals of the copied inputs what they were? */
bool box_plan_unchanged(const struct box_plan *plan);
void box_plan_free(struct box_plan *plan);

/* Records how a control is enforced (or that it is not). */
void box_control(struct box_result *result, enum control control, enum control_state state, const char *how);

/* How a control is enforced where its set-up succeeds; a row that the contract did not ask for states nothing. */
struct control_row {
    enum control control;
    bool asked;
    const char *how;
};

/* Records the rows as enforced, and the memory that the contract gave up as that. A step that fails later overwrites its
 * own line. */
void box_controls(struct box_result *result, const struct run_limits *limits, const struct control_row *rows, size_t n);

/* Which limits the ended job ran into, with our own directories gone from its scratch; an out-of-memory kill is the job's end
 * whatever its first process made of it. */
void box_name_limits(struct box_result *result);

/* Where namespaces could not be had: every further control that is gone with them is missing, by name. */
void box_name_gaps(const struct box_plan *plan, struct box_result *result);

/* The child: never returns. */
NORETURN void box_inside(struct box_plan *plan);

#endif
