/* SPDX-License-Identifier: ISC
 * The oracle of the probes beside a container elsewhere: a container of its own in the host's network and process namespaces,
 * which runs nothing but our program, as the user that the jobs have. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "engine/engine_job.h"
#include "engine/engine_load.h"

struct engine_oracle {
    struct container_engine engine; /* the same client and image, with what was carried for the oracle alone */
    struct engine_job job;
    struct box_result result;
    struct run run;
};

static int plan_program(struct engine_job *job, const char *program)
{
    static const char at[] = "/sallyport/probe";
    struct stat st;
    char path[PATH_BYTES + 1];
    ssize_t n = readlink(program, path, sizeof path - 1); /* an open descriptor's own */
    if (n <= 0 || stat(program, &st) < 0)
        return -1;
    path[n] = 0;
    job->plan.inputs = calloc(1, sizeof *job->plan.inputs);
    if (!job->plan.inputs || !(job->plan.inputs[0].path = strdup(path)))
        return -1;
    job->plan.inputs_n = 1;
    job->plan.inputs[0].at = at;
    job->plan.inputs[0].dev = st.st_dev;
    job->plan.inputs[0].ino = st.st_ino;
    return 0;
}

int engine_oracle(void *context, const char *program, int *in, int *out)
{
    struct container_engine *e = context;
    struct engine_oracle *o = calloc(1, sizeof *o);
    if (!o)
        return -1;
    e->oracle = o;
    o->engine = *e;
    o->engine.load = NULL;
    o->engine.take = NULL;
    o->engine.oracle = NULL;
    o->result = (struct box_result){.scratch_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .watch_fd = -1};
    o->job = (struct engine_job){.engine = &o->engine, .result = &o->result, .plan.run = &o->run, .oracle = true,
                                 .stage_dir = -1, .in = -1, .out = -1, .err = -1, .out_file = -1, .err_file = -1,
                                 .pidfd = -1, .proc = -1};
    o->job.plan.uid = o->job.plan.gid = e->uid;
    if (plan_program(&o->job, program) < 0 || stage_open(&o->job) < 0)
        return -1;
    o->job.options.capture_dir_fd = o->job.stage_dir;
    if (load_inputs(&o->job) < 0 || job_create(&o->job) < 0 || job_start(&o->job) < 0) {
        snprintf(e->fault, sizeof e->fault, "%s", o->result.fault);
        return -1;
    }
    *in = o->job.in;
    *out = o->job.out;
    return 0;
}

bool engine_oracle_end(void *context)
{
    struct container_engine *e = context;
    struct engine_oracle *o = e->oracle;
    if (!o)
        return true;
    engine_finish(&o->job);
    bool gone = load_drop(&o->engine) && !o->result.residue;
    stage_close(&o->job);
    box_plan_free(&o->job.plan);
    free(o->job.store);
    fd_close(&o->job.out_file);
    fd_close(&o->job.err_file);
    box_result_free(&o->result);
    free(o);
    e->oracle = NULL;
    return gone;
}
