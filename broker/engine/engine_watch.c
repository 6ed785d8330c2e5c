/* SPDX-License-Identifier: ISC
 * One poll loop over the client's two streams, the agent's state, the counters and the clock. The streams are only counted
 * and stored; the state is read from the name of the container's first process, which only that process can write. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_watch.h"
#include "engine/engine_job.h"

bool engine_state(const struct engine_job *job, char out[16])
{
    char text[32];
    AUTO_FD fd = openat(job->proc, "comm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n <= 3 || memcmp(text, "sp-", 3) != 0)
        return false;
    text[n] = 0;
    text[strcspn(text, "\n")] = 0;
    memcpy(out, text + 3, 13);
    out[13] = 0;
    return true;
}

static bool take_number(const char *state, const char *prefix, int *out)
{
    size_t n = strlen(prefix);
    if (strncmp(state, prefix, n) != 0)
        return false;
    *out = atoi(state + n);
    return true;
}

/* True: the agent says that the job has ended, and how. */
static bool agent_says_end(struct engine_job *job)
{
    char state[16];
    unsigned control, lack;
    struct box_result *r = job->result;
    if (job->engine->plain || !engine_state(job, state))
        return false;
    if (take_number(state, "exit-", &r->status))
        r->end = BOX_EXITED;
    else if (take_number(state, "sig-", &r->status))
        r->end = BOX_SIGNALLED;
    else if (sscanf(state, "lack-%2u-%4u", &control, &lack) == 2)
        job_not_lowered(job, control, (int)lack);
    else if (take_number(state, "exec-", &r->status)) {
        int error = r->status;
        r->end = BOX_SETUP_FAILED;
        r->not_started = true;
        (void)job_fault(job, error, "the command '%.100s' cannot be started in the container: %s", job->plan.argv[0],
                        strerror(error));
    }
    return r->end != BOX_NOT_RUN;
}

/* Over the limit the job ends. */
static int keep(struct engine_job *job, int *pipe_fd, int file, uint64_t *count)
{
    bool over = false, bounded = !job_off(job, CONTROL_OUTPUT) && !job->engine->plain;
    int rc = box_take_output(pipe_fd, file, bounded ? &job->plan.run->limits : NULL, job->result, count, &over);
    if (over && (job->result->end == BOX_NOT_RUN || job->result->end == BOX_EXITED))
        job->result->end = BOX_OUTPUT_LIMIT;
    return rc;
}

static int serve_streams(struct engine_job *job, int wait_ms)
{
    struct pollfd p[] = {{.fd = job->out, .events = POLLIN}, {.fd = job->err, .events = POLLIN},
                         {.fd = job->dead ? -1 : job->pidfd, .events = POLLIN}};
    if (poll(p, ARRAY_LEN(p), wait_ms) < 0)
        return errno == EINTR ? 0 : -1;
    if (p[0].revents && keep(job, &job->out, job->out_file, &job->result->stdout_bytes) < 0)
        return -1;
    if (p[1].revents && keep(job, &job->err, job->err_file, &job->result->stderr_bytes) < 0)
        return -1;
    job->dead = job->dead || p[2].revents != 0;
    return 0;
}

/* Without an agent the client is all there is to ask. */
static bool client_is_over(struct engine_job *job)
{
    int status = 0;
    struct box_result *r = job->result;
    if (job->out >= 0 || job->err >= 0 || waitpid(job->client, &status, WNOHANG) == 0)
        return false;
    job->client = 0;
    r->end = BOX_EXITED;
    r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
    return true;
}

static bool is_over(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    struct box_result *r = job->result;
    bool clock = l->has_wall && !job_off(job, CONTROL_WALL);
    if (r->end != BOX_NOT_RUN || agent_says_end(job))
        return true;
    if (job->options.interrupted && *job->options.interrupted)
        r->end = BOX_INTERRUPTED;
    else if (clock && !job->engine->plain && box_clock_ms() >= job->started_ms + l->wall_ms)
        r->end = BOX_TIMED_OUT;
    else if (job->engine->plain)
        return client_is_over(job);
    else if (job->dead) { /* killed from outside, or by the kernel */
        r->end = BOX_SIGNALLED;
        r->status = SIGKILL;
    }
    return r->end != BOX_NOT_RUN;
}

/* The common line leaves the wall limit to `timeout`, which signals the client alone. */
static void plain_timeout(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    if (!job->engine->plain || job->told || !l->has_wall || job->client <= 0 ||
        box_clock_ms() < job->started_ms + l->wall_ms)
        return;
    kill(job->client, SIGTERM); /* once, as `timeout` does: a third one makes the client give up */
    job->told = true;
}

int engine_watch(struct engine_job *job)
{
    job->started_ms = box_clock_ms();
    if (!job->engine->plain && fd_write_full(job->in, "g", 1) < 0)
        return -1;
    while (!is_over(job)) {
        plain_timeout(job);
        box_cgroup_read(&job->cgroup, job->result);
        if (serve_streams(job, ENGINE_POLL_MS) < 0)
            return -1;
    }
    job->result->elapsed_ms = box_clock_ms() - job->started_ms;
    box_cgroup_read(&job->cgroup, job->result);
    return job_lacks_control(job) ? 1 : 0;
}

void engine_drain(struct engine_job *job)
{
    uint64_t deadline = box_clock_ms() + ENGINE_GONE_MS;
    while ((job->out >= 0 || job->err >= 0) && box_clock_ms() < deadline)
        if (serve_streams(job, ENGINE_POLL_MS) < 0)
            return;
}
