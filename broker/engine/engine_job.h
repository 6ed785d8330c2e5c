/* SPDX-License-Identifier: ISC
 * One job in a container, from its plan to its end; shared by the files of engine/. All descriptors are owned. */
#ifndef SALLYPORT_ENGINE_JOB_H
#define SALLYPORT_ENGINE_JOB_H

#include "base/compiler.h"
#include "base/contract.h"
#include "box/box_cgroup.h"
#include "box/box_plan.h"
#include "engine/engine.h"

/* Where the container sees what we put in. */
#define ENGINE_HOME "/.sallyport"

struct engine_job {
    struct container_engine *engine;
    struct box_options options;   /* with the contract below */
    struct contract contract;     /* the operator's, as the built-in runner's plan wants it */
    struct box_result *result;
    struct box_plan plan;
    char stage[PATH_BYTES];       /* private directory; "" none */
    int stage_dir;
    char *store;                  /* of the words that are made for this job; never moves */
    size_t stored;
    struct client_words words;    /* of the client's command that makes the container */
    char name[64];                /* of the container */
    char id[65];                  /* "" until it is created */
    pid_t client;                 /* of the attached start; 0: none */
    int in, out, err;             /* its streams */
    int out_file, err_file;
    pid_t pid;                    /* of the container's first process, on this host */
    int pidfd, proc;              /* the process, and its directory in /proc */
    struct far_client *far;       /* elsewhere: the talk with the agent; owned */
    struct box_cgroup cgroup;     /* of the container, made by the engine */
    uint64_t started_ms;
    bool dead;                    /* its first process has ended */
    bool told;                    /* the plain line's client was sent its signal */
    bool oracle;                  /* no job: the oracle of the probes */
    bool kill_now;                /* elsewhere: the agent is not to be waited for */
};

/* engine_far.c: the same job by the agent alone, on whatever host: started held, let go, listed, taken. 0; 1 a control is
 * missing and the result says which; -1 with errno. */
int far_hold(struct engine_job *job) MUST_CHECK;
int far_run(struct engine_job *job) MUST_CHECK;
/* Frees what the two made. */
void far_end(struct engine_job *job);

/* engine_far_limits.c: the limits as the agent found them and as the engine tells, and how each control is enforced there.
 * Same return. */
struct far_hello;
int far_limits(struct engine_job *job, const struct far_hello *found) MUST_CHECK;

/* engine_stage.c: a private directory that the container sees at ENGINE_HOME: the agent, an empty directory, and copies of
 * single files that are inputs. 0 or -1 with errno and result->fault. */
int stage_open(struct engine_job *job) MUST_CHECK;
void stage_close(struct engine_job *job);
/* Opens the pinned input of the plan, and no other object that took its place: to be closed by the caller; -1 with errno and
 * result->fault. */
int job_open_input(struct engine_job *job, const struct box_input *in) MUST_CHECK;

/* engine_plan.c: job->words, of `create` (of `run` for the plain line); 0, or -1 with errno and result->fault. Notes the
 * flags that are the same for every input and command in the engine. */
int engine_words(struct engine_job *job) MUST_CHECK;

/* engine_limits.c: finds the container's control groups and reads back what the engine was told. 0; 1 a control is missing
 * and the result says which. */
int engine_limits(struct engine_job *job) MUST_CHECK;
/* The scratch is a tmpfs of the asked size; its inodes are set where the engine has no option for them. Same return. */
int engine_scratch_limits(struct engine_job *job) MUST_CHECK;
/* States every control as this engine enforces it. */
void engine_controls(struct engine_job *job);

/* What a container is held to, whoever found out: in the units of struct run_limits, UINT64_MAX: no limit. */
struct held_limits {
    uint64_t memory, processes, cpus_milli;
    bool swaps; /* beyond its memory */
};
struct held_scratch {
    uint64_t type, bytes, inodes; /* type: of statfs(2) */
};
/* Is that what the contract asks for? Same return. */
int job_held(struct engine_job *job, const struct held_limits *held) MUST_CHECK;
int job_scratch_held(struct engine_job *job, const struct held_scratch *held) MUST_CHECK;

/* engine_watch.c: lets the job go and serves it until it ends or a limit ends it. 0; 1 the agent could not set a control up
 * and the command was not started; -1 with errno. */
int engine_watch(struct engine_job *job) MUST_CHECK;
/* What is still in the pipes, until the client closes them. */
void engine_drain(struct engine_job *job);
/* The state that the agent wrote into its name: "held", "exit-3", ...; false: there is none. */
bool engine_state(const struct engine_job *job, char out[16]);

/* engine_end.c: kills, waits, removes, freezes. Sets quiesced and residue of the result. */
void engine_finish(struct engine_job *job);

bool job_off(const struct engine_job *job, enum control control);
/* Does the agent do it all? The plain line has none, wherever it runs. */
bool job_alone(const struct engine_job *job);
/* A word that lives as long as the job: in storage that never moves. */
PRINTF(3, 4) void job_word(struct engine_job *job, struct client_words *w, const char *fmt, ...);
/* Names a control as missing, with the same sentence as the fault. 1. */
int job_missing(struct engine_job *job, enum control control, const char *how);
/* The agent could not set a control up, so that the command was not started: ends the result, with the fault. */
void job_not_lowered(struct engine_job *job, unsigned control, int error);
/* Did that happen? */
bool job_lacks_control(const struct engine_job *job);
/* engine_run.c: makes the container, and starts it with our three streams. 0 or -1 with errno. */
int job_create(struct engine_job *job) MUST_CHECK;
int job_start(struct engine_job *job) MUST_CHECK;
/* result->fault, escaped; -1 with errno. */
PRINTF(3, 4) int job_fault(struct engine_job *job, int error, const char *fmt, ...);

#endif
