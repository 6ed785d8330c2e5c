/* SPDX-License-Identifier: ISC
 * The end of a job in a container: its first process dies by its descriptor (which cannot mean another process), then the
 * container by its id; the client is awaited, never timed out around; the engine must have forgotten the container, and the
 * scratch must be one that nobody can write to any more. What could not be shown is residue. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_sys.h"
#include "box/box_watch.h"
#include "engine/engine_job.h"
#include "engine/engine_load.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static int one_word(struct engine_job *job, const char *a, const char *b, const char *c, char *out, size_t size)
{
    struct client_words w = {0};
    const char *const words[] = {a, b, c, job->id[0] ? job->id : job->name};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i])
            client_word(&w, words[i]);
    return client_ask(&job->engine->client, &w, out, size);
}

static bool died(const struct engine_job *job, int wait_ms)
{
    struct pollfd p = {.fd = job->pidfd, .events = POLLIN};
    return job->pidfd >= 0 && poll(&p, 1, wait_ms) == 1;
}

static bool client_left(struct engine_job *job, uint64_t wait_ms)
{
    uint64_t deadline = box_clock_ms() + wait_ms;
    for (; job->client > 0 && box_clock_ms() < deadline; pause_ms(5)) {
        pid_t pid = waitpid(job->client, NULL, WNOHANG);
        if (pid == job->client || (pid < 0 && errno != EINTR))
            job->client = 0;
    }
    return job->client == 0;
}

/* Elsewhere there is no process of ours to signal, only the id. An agent that was told goes by itself, and its client. */
static void kill_by_id(struct engine_job *job)
{
    char answer[1024];
    fd_close(&job->in);
    if (job->kill_now || job->result->end == BOX_SETUP_FAILED || !client_left(job, BOX_FREEZE_MS))
        (void)one_word(job, "kill", NULL, NULL, answer, sizeof answer);
    fd_close(&job->out); /* what still comes is nobody's */
    fd_close(&job->err);
}

/* An agent whose job has ended goes by itself when its standard input ends. */
static void kill_container(struct engine_job *job)
{
    if (job_alone(job)) {
        kill_by_id(job);
        return;
    }
    char answer[1024];
    bool ended = job->result->end == BOX_EXITED || job->result->end == BOX_SIGNALLED || job->result->not_started;
    fd_close(&job->in);
    if (ended && died(job, 1000))
        return;
    if (job->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, job->pidfd, SIGKILL, NULL, 0);
    if (!died(job, (int)BOX_KILL_MS))
        (void)one_word(job, "kill", NULL, NULL, answer, sizeof answer);
}

static void reap_client(struct engine_job *job)
{
    uint64_t deadline = box_clock_ms() + ENGINE_GONE_MS;
    while (job->client > 0) {
        pid_t pid = waitpid(job->client, NULL, WNOHANG);
        if (pid == job->client || (pid < 0 && errno != EINTR)) {
            job->client = 0;
        } else if (box_clock_ms() >= deadline) {
            kill(job->client, SIGKILL);
            deadline = UINT64_MAX;
        } else {
            pause_ms(5);
        }
    }
}

/* "container inspect" of a container that is not there fails, and says so. */
static bool is_forgotten(struct engine_job *job)
{
    char answer[4096];
    int rc = one_word(job, "container", "inspect", "--format={{.Id}}", answer, sizeof answer);
    return rc > 0 && (strstr(answer, "No such container") || strstr(answer, "no such container") ||
                      strstr(answer, "no container with"));
}

static bool remove_container(struct engine_job *job)
{
    char answer[4096];
    uint64_t deadline = box_clock_ms() + ENGINE_GONE_MS;
    for (int tries = 0; box_clock_ms() < deadline; tries++) {
        if (is_forgotten(job))
            return true;
        if (tries >= 2) /* it removes itself; where it does not, we do */
            (void)one_word(job, "rm", "--force", "--volumes", answer, sizeof answer);
        pause_ms(tries < 2 ? 20 : 100);
    }
    return false;
}

/* Its control groups hold nobody; where they are gone, nobody could be in them. */
static bool groups_empty(const struct engine_job *job)
{
    char text[256];
    for (size_t i = 0; i < job->cgroup.n; i++)
        if (cgroup_read(job->cgroup.homes[i].dir, "cgroup.procs", text, sizeof text) && text[0])
            return false;
    return true;
}

/* Read-only for good: the kernel refuses while any descriptor or shared mapping could still write. */
static bool freeze(const struct engine_job *job)
{
    uint64_t deadline = box_clock_ms() + (job_off(job, CONTROL_CLEANUP) ? 20u : BOX_FREEZE_MS);
    AUTO_FD fs = sys_fspick(job->result->scratch_fd);
    for (; fs >= 0; pause_ms(2)) {
        if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "ro", NULL) == 0 &&
            sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) == 0)
            return true;
        if (errno != EBUSY || box_clock_ms() >= deadline)
            return false;
    }
    return false;
}

static void freeze_scratch(struct engine_job *job)
{
    struct box_result *r = job->result;
    unlinkat(r->scratch_fd, ".tmp", AT_REMOVEDIR);
    unlinkat(r->scratch_fd, ".shm", AT_REMOVEDIR);
    /* the mutant of the cleanup's probe: somebody can still write */
    UNUSED AUTO_FD writer = job_off(job, CONTROL_CLEANUP) ? openat(r->scratch_fd, ".writer", O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    r->quiesced = freeze(job) && !r->residue;
}

void engine_finish(struct engine_job *job)
{
    if (job->client > 0 || job->id[0])
        kill_container(job);
    engine_drain(job);
    reap_client(job);
    if (job->id[0] || job->name[0])
        job->result->residue = !remove_container(job) || (job->pidfd >= 0 && !died(job, 0)) || !groups_empty(job);
    if (job_alone(job) && job->engine->take)
        job->result->residue = !load_drop(job->engine) || job->result->residue;
    if (job->result->scratch_fd >= 0)
        freeze_scratch(job);
    job->result->quiesced = job->result->quiesced && !job->result->residue;
    for (size_t i = 0; i < job->cgroup.n; i++)
        fd_close(&job->cgroup.homes[i].dir);
    fd_close(&job->pidfd);
    fd_close(&job->proc);
    fd_close(&job->out);
    fd_close(&job->err);
}
