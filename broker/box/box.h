/* SPDX-License-Identifier: ISC
 * The built-in runner: runs one command in namespaces of its own and hands its scratch back as a descriptor that has
 * no path on the host. Linux only; elsewhere box_run() fails with ENOTSUP. */
#ifndef SALLYPORT_BOX_H
#define SALLYPORT_BOX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/contract.h"

enum control {
    CONTROL_NAMESPACES = 0,
    CONTROL_NETWORK,
    CONTROL_INPUTS,
    CONTROL_SCRATCH_ONLY,
    CONTROL_MEMORY,
    CONTROL_PROCESSES,
    CONTROL_CPUS,
    CONTROL_FILE_SIZE,
    CONTROL_SCRATCH_SIZE,
    CONTROL_INODES,
    CONTROL_OUTPUT,
    CONTROL_WALL,
    CONTROL_PRIVILEGE,
    CONTROL_SECCOMP,
    CONTROL_LANDLOCK,
    CONTROL_CLEANUP,
    CONTROL_COUNT
};

enum control_state { CONTROL_NOT_ASKED = 0, CONTROL_MISSING, CONTROL_UNENFORCED, CONTROL_ENFORCED };

struct control_status {
    enum control_state state;
    char how[96];   /* what enforces it, or what is missing */
};

enum box_end { BOX_NOT_RUN = 0, BOX_EXITED, BOX_SIGNALLED, BOX_TIMED_OUT, BOX_OUTPUT_LIMIT, BOX_MEMORY_LIMIT,
               BOX_INTERRUPTED, BOX_SETUP_FAILED };

struct box_result {
    enum box_end end;
    int status;              /* exit status or signal number */
    uint64_t elapsed_ms, cpu_ms, memory_peak;
    int scratch_fd;          /* detached clone of the job's scratch; owned; -1: none */
    int stdout_fd, stderr_fd;/* captured output, our own files, read-only; owned; -1 */
    uint64_t stdout_bytes, stderr_bytes;
    int watch_fd;            /* inotify watch of the scratch's unmounting, for box_end(); owned; -1: none */
    uint32_t limits_hit;     /* bits of enum control: the job ran into these */
    bool inputs_changed;     /* the original of a copied input is not what it was: somebody changed it meanwhile */
    bool residue;            /* a control group could not be removed: box_end() will not prove the cleanup */
    bool elsewhere;          /* it ran on another host: there is no scratch here, and residue is what is left there */
    bool quiesced;           /* no process is left and the scratch could be made read-only */
    struct control_status controls[CONTROL_COUNT];
    bool not_started;        /* BOX_SETUP_FAILED because the command itself cannot be executed */
    char fault[256];         /* BOX_SETUP_FAILED, or a missing control: what and why */
    char base[128];          /* identity of the base: os-release and kernel, or a tree digest */
};

struct box_gate;

struct box_options {
    const struct contract *contract;
    int contract_dir_fd;     /* inputs resolve against it; borrowed */
    int capture_dir_fd;      /* where captured output is kept (a private directory); borrowed */
    const volatile sig_atomic_t *interrupted; /* becomes true: kill the job, BOX_INTERRUPTED; NULL: none */
    struct box_gate *gate;   /* the way out of a fetch phase, opened; NULL: none, as for every job */
    const struct box_result *fetched; /* an ended fetch phase, whose scratch is a read-only input at BOX_FETCHED; NULL: none */
    uint32_t off;            /* for the mutants of the probes alone: bits of enum control that are left out */
};

#define BOX_FETCHED "/fetched"

/* A mutant's bit beyond those of the controls: a descriptor of ours stays open in the job. */
#define BOX_OFF_DESCRIPTORS ((uint32_t)1 << 16)

/* The user id, outside, that a job started by this process has. */
uint32_t box_job_uid(void);

const char *control_name(enum control control);

/* All three fail with -1, errno ENOTSUP or EINVAL and a sentence in result->fault where the contract asks for something
 * that is not there yet or cannot be; a missing input is -1 with its errno and the sentence. The result is always
 * initialised and must be freed. Call box_run() while the process has no other thread: it forks. */
/* Dry run of the whole set-up without the job: 0 every control the contract asks for can be enforced; 1 one cannot
 * (result->controls and fault say which); -1 with errno. */
int box_check(const struct box_options *options, struct box_result *result) MUST_CHECK;
/* Runs the job to its end and kills everything. 0 with result filled, also when the job failed; 1 a control is missing
 * and nothing was started; -1 with errno. */
int box_run(const struct box_options *options, struct box_result *result) MUST_CHECK;
/* After the outputs were copied: closes the scratch and proves that it is gone. 0 proven, 1 not, -1 with errno. */
int box_end(struct box_result *result) MUST_CHECK;
void box_result_free(struct box_result *result);

#endif
