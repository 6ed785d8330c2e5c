/* SPDX-License-Identifier: ISC
 * A plan as the words of the client's `create`. Ours close what the common line leaves open: the writable places beside
 * the scratch, the unbounded log, the missing caps, the client's own configuration. Pure but for naming. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/say.h"
#include "engine/engine_job.h"
#include "engine/engine_load.h"

bool job_off(const struct engine_job *job, enum control control)
{
    return (job->options.off & (1u << control)) != 0;
}

bool job_alone(const struct engine_job *job)
{
    return job->engine->elsewhere && !job->engine->plain;
}

int job_fault(struct engine_job *job, int error, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    AUTO_FREE char *shown = say_name(text);
    snprintf(job->result->fault, sizeof job->result->fault, "%s", shown ? shown : "?");
    errno = error ? error : EIO;
    return -1;
}

static void word(struct client_words *w, const char *text)
{
    client_word(w, text);
}

void job_word(struct engine_job *job, struct client_words *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    size_t room = CONTRACT_BYTES - job->stored;
    int n = vsnprintf(job->store + job->stored, room, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= room) {
        w->full = true;
        return;
    }
    client_word(w, job->store + job->stored);
    job->stored += (size_t)n + 1;
}

static void limits(struct engine_job *job, struct client_words *w)
{
    const struct run_limits *l = &job->plan.run->limits;
    if (l->has_memory && !job_off(job, CONTROL_MEMORY)) {
        job_word(job, w, "--memory=%" PRIu64, l->memory);
        job_word(job, w, "--memory-swap=%" PRIu64, l->memory);
    }
    if (l->has_processes && !job_off(job, CONTROL_PROCESSES))
        job_word(job, w, "--pids-limit=%" PRIu64, l->processes + (job->engine->plain ? 0 : 1)); /* and the agent */
    if (l->has_cpus && !job_off(job, CONTROL_CPUS))
        job_word(job, w, "--cpus=%" PRIu64 ".%03u", l->cpus_milli / 1000, (unsigned)(l->cpus_milli % 1000));
}

static void scratch(struct engine_job *job, struct client_words *w)
{
    const struct run_limits *l = &job->plan.run->limits;
    bool docker = strcmp(job->engine->client.name, "docker") == 0;
    char size[48] = "", inodes[48] = "";
    if (l->has_scratch && !job_off(job, CONTROL_SCRATCH_SIZE))
        snprintf(size, sizeof size, ",size=%" PRIu64, l->scratch);
    if (job->engine->plain) {
        job_word(job, w, "--tmpfs=/scratch:rw%s", size);
        return;
    }
    if (docker && l->has_inodes && !job_off(job, CONTROL_INODES))
        snprintf(inodes, sizeof inodes, ",nr_inodes=%" PRIu64, l->inodes);
    job_word(job, w, "--tmpfs=/scratch:rw,exec,nosuid,nodev%s%s", size, inodes);
}

/* What the agent alone needs to prepare the container, to become the job's user in a child, and to end and read the job. The
 * job has none of them. */
static void agent_capabilities(struct engine_job *job, struct client_words *w)
{
    static const char *const needed[] = {"--cap-add=SYS_ADMIN", "--cap-add=SETUID", "--cap-add=SETGID", "--cap-add=SETPCAP",
                                         "--cap-add=CHOWN", "--cap-add=KILL", "--cap-add=DAC_READ_SEARCH"};
    for (size_t i = 0; i < ARRAY_LEN(needed); i++)
        word(w, needed[i]);
    if (strcmp(job->engine->client.name, "docker") == 0 && !job_off(job, CONTROL_PRIVILEGE))
        word(w, "--security-opt=apparmor=unconfined"); /* the usual profile forbids mounts to everybody */
}

/* What the mutants of the probes need instead of an ordinary user without capabilities. */
static void user(struct engine_job *job, struct client_words *w)
{
    static const char *const given[] = {"--cap-add=SYS_ADMIN",    "--cap-add=NET_ADMIN",    "--cap-add=NET_RAW",
                                        "--cap-add=DAC_OVERRIDE", "--cap-add=SYS_CHROOT",   "--cap-add=NET_BIND_SERVICE",
                                        "--cap-add=SYS_PTRACE",   "--cap-add=SETUID",       "--cap-add=SETGID",
                                        "--cap-add=KILL",         "--security-opt=apparmor=unconfined"};
    bool root = job_off(job, CONTROL_PRIVILEGE) || job_off(job, CONTROL_SCRATCH_ONLY) || job_alone(job);
    word(w, "--cap-drop=ALL");
    if (job_alone(job))
        agent_capabilities(job, w);
    if (root)
        word(w, "--user=0:0");
    else if (job->engine->plain)
        word(w, "--user=65534:65534");
    else
        job_word(job, w, "--user=%u:%u", job->plan.uid, job->plan.gid);
    if (!job_off(job, CONTROL_PRIVILEGE)) {
        word(w, "--security-opt=no-new-privileges");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        if (i + 1 < ARRAY_LEN(given) || strcmp(job->engine->client.name, "docker") == 0)
            word(w, given[i]);
}

static void isolation(struct engine_job *job, struct client_words *w)
{
    word(w, job_off(job, CONTROL_NETWORK) ? "--network=host" : "--network=none");
    if (!job_off(job, CONTROL_NETWORK) && !job->engine->plain) {
        word(w, "--sysctl=net.ipv4.ping_group_range=1 0"); /* engines let every user send echo requests */
        word(w, "--sysctl=net.ipv6.conf.all.disable_ipv6=0"); /* the job's own loopback answers on both */
    }
    if (job_off(job, CONTROL_NAMESPACES))
        word(w, "--pid=host");
    if (!job_off(job, CONTROL_SCRATCH_ONLY))
        word(w, "--read-only");
    if (job_off(job, CONTROL_SECCOMP))
        word(w, "--security-opt=seccomp=unconfined");
    user(job, w);
    if (job->engine->plain)
        return;
    if (!job_off(job, CONTROL_SCRATCH_ONLY)) {
        word(w, "--ipc=none");
        word(w, "--tmpfs=/dev/mqueue:ro,size=4k");
        word(w, "--tmpfs=/tmp:ro,size=4k");
    }
    word(w, "--cgroupns=private");
    word(w, "--log-driver=none");
    if (!job_off(job, CONTROL_PRIVILEGE))
        word(w, "--ulimit=core=0:0");
    job_word(job, w, "--ulimit=nofile=%u:%u", BOX_OPEN_FILES, BOX_OPEN_FILES);
    if (strcmp(job->engine->client.name, "podman") == 0) {
        word(w, "--ulimit=nproc=4096:4096"); /* its own default may be above what root here may set */
        word(w, "--read-only-tmpfs=false");
    }
}

/* Mounts are written as comma-separated values. */
static bool plain_path(const char *path)
{
    return strpbrk(path, ",\":\\\n") == NULL;
}

static int inputs(struct engine_job *job, struct client_words *w)
{
    bool writable = job_off(job, CONTROL_INPUTS);
    for (size_t i = 0; i < job->plan.inputs_n; i++) {
        const struct box_input *in = &job->plan.inputs[i];
        if (in->copy)
            return job_fault(job, EINVAL, "input at '%s': 'copy: true' is there for the built-in runner only; copy it in the "
                             "job's command", in->at);
        if (!plain_path(in->path) || !plain_path(in->at))
            return job_fault(job, EINVAL, "input '%s': container engines take no path with a comma, colon, quote or backslash",
                             in->path);
        if (job_alone(job))
            continue;
        if (in->directory)
            job_word(job, w, "--mount=type=bind,src=%s,dst=%s%s", in->path, in->at, writable ? "" : ",readonly");
        else
            job_word(job, w, "--mount=type=bind,src=%s/file-%zu,dst=%s,readonly", job->stage, i, in->at);
    }
    return 0;
}

static void agent_alone(struct engine_job *job, struct client_words *w)
{
    const struct run_limits *l = &job->plan.run->limits;
    word(w, "far=1");
    load_places(job, w);
    job_word(job, w, "uid=%u", job->plan.uid);
    if (l->has_wall)
        job_word(job, w, "wall=%" PRIu64, l->wall_ms);
    if (l->has_output)
        job_word(job, w, "output=%" PRIu64, l->output);
    if (l->has_inodes && !job_off(job, CONTROL_INODES))
        job_word(job, w, "inodes=%" PRIu64, l->inodes);
}

static void command(struct engine_job *job, struct client_words *w)
{
    const struct run_limits *l = &job->plan.run->limits;
    if (job->engine->plain) {
        for (char **e = job->plan.envp; *e; e++)
            job_word(job, w, "--env=%s", *e);
        job_word(job, w, "--entrypoint=%s", job->plan.argv[0]);
        word(w, job->engine->image_id);
    } else {
        word(w, "--entrypoint=" ENGINE_HOME "/hold");
        word(w, job->engine->image_id);
        job_word(job, w, "off=%u", job->options.off);
        if (job_alone(job))
            agent_alone(job, w);
        if (l->has_file && !job_off(job, CONTROL_FILE_SIZE))
            job_word(job, w, "file=%" PRIu64, l->file);
        for (char **e = job->plan.envp; *e; e++) {
            word(w, "-e");
            word(w, *e);
        }
        word(w, "--");
    }
    for (char **a = job->plan.argv + (job->engine->plain ? 1 : 0); *a; a++)
        word(w, *a);
}

static void one_line(const struct client_words *w, size_t from, char flags[ENGINE_FLAGS_BYTES])
{
    struct buf b;
    buf_init(&b, ENGINE_FLAGS_BYTES - 1);
    for (size_t i = from; i < w->n; i++) {
        buf_text(&b, i == from ? "" : " ");
        buf_text(&b, w->v[i]);
    }
    AUTO_FREE char *line = buf_take_text(&b);
    client_text(flags, ENGINE_FLAGS_BYTES, "", line);
    buf_free(&b);
}

static int oracle_words(struct engine_job *job)
{
    struct client_words *w = &job->words;
    char label[96];
    static const char *const fixed[] = {"--label=org.sallyport.job=1", "--pull=never", "--rm", "--interactive", "--read-only",
                                        "--network=host", "--pid=host", "--cap-drop=ALL", "--security-opt=no-new-privileges",
                                        "--log-driver=none", "--entrypoint=/sallyport/probe"};
    word(w, "create");
    job_word(job, w, "--name=%s", job->name);
    job_word(job, w, "--label=%s", load_host_label(label));
    job_word(job, w, "--user=%u:%u", job->plan.uid, job->plan.gid);
    if (strcmp(job->engine->client.name, "podman") == 0)
        word(w, "--ulimit=nproc=4096:4096");
    job_word(job, w, "--ulimit=nofile=%u:%u", BOX_OPEN_FILES, BOX_OPEN_FILES);
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        word(w, fixed[i]);
    load_words(job, w);
    word(w, job->engine->image_id);
    word(w, "oracle");
    return 0;
}

int engine_words(struct engine_job *job)
{
    struct client_words *w = &job->words;
    job->store = malloc(CONTRACT_BYTES);
    if (!job->store)
        return -1;
    if (job->oracle)
        return oracle_words(job);
    if (!plain_path(job->stage))
        return job_fault(job, EINVAL, "TMPDIR may hold no comma, colon, quote or backslash: '%s'", job->stage);
    word(w, job->engine->plain ? "run" : "create");
    job_word(job, w, "--name=%s", job->name);
    word(w, "--label=org.sallyport.job=1");
    char label[96];
    job_word(job, w, "--label=%s", load_host_label(label));
    word(w, "--pull=never");
    word(w, "--rm");
    if (!job->engine->plain)
        word(w, "--interactive");
    size_t from = w->n;
    isolation(job, w);
    limits(job, w);
    scratch(job, w);
    word(w, "--workdir=/scratch");
    if (job->options.off == 0)
        one_line(w, from, job->engine->flags);
    if (!job->engine->plain && !job_alone(job))
        job_word(job, w, "--mount=type=bind,src=%s/home,dst=" ENGINE_HOME ",readonly", job->stage);
    if (inputs(job, w) < 0)
        return -1;
    if (job_alone(job))
        load_words(job, w);
    command(job, w);
    if (w->full)
        return job_fault(job, E2BIG, "the command line is too long for a container engine: put it into a script among the "
                         "inputs");
    return 0;
}
