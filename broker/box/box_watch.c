/* SPDX-License-Identifier: ISC
 * One poll loop over the box's messages, its two streams and the clock. Runs in the broker; what the box sends is
 * checked for its exact size and known kinds, the streams are only counted and stored. */
#include "box/box_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_gate.h"

uint64_t box_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Where no text fits, what is missing is still named by its control. */
static void take_fault(struct box_watch *w, const struct box_message *m)
{
    char how[160];
    w->faulted = true;
    w->no_namespaces = m->value == 1;
    snprintf(how, sizeof how, "%s: %s", m->text, strerror(m->error));
    if (m->control >= 0 && m->control < CONTROL_COUNT)
        box_control(w->result, (enum control)m->control, CONTROL_MISSING, how);
    snprintf(w->result->fault, sizeof w->result->fault, "%s: %s",
             m->control >= 0 && m->control < CONTROL_COUNT ? control_name((enum control)m->control) : "box", how);
}

/* Holds the scratch, and watches for the moment when nobody does any more. */
static int take_scratch(struct box_watch *w, int *fd)
{
    char path[64];
    if (*fd < 0 || w->result->scratch_fd >= 0) {
        errno = EPROTO;
        return -1;
    }
    w->result->scratch_fd = *fd;
    *fd = -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", w->result->scratch_fd);
    w->result->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->result->watch_fd < 0 || inotify_add_watch(w->result->watch_fd, path, IN_DELETE_SELF) < 0)
        return -1;
    return 0;
}

static void take_exec_failure(struct box_watch *w, const struct box_message *m)
{
    w->result->end = BOX_SETUP_FAILED;
    w->result->not_started = true;
    snprintf(w->result->fault, sizeof w->result->fault, "the command '%s' cannot be started in the box: %s",
             m->text, strerror(m->value));
}

/* pid 1 goes into its control groups before it starts anything. Where that fails it may have died already: its own word on
 * why comes first, if there is one. */
static int take_init(struct box_watch *w)
{
    if (box_cgroup_place(w->cgroup, w->init) == 0)
        return fd_write_full(w->go, "c", 1) < 0 && errno != EPIPE ? -1 : 0;
    w->place_error = errno;
    fd_close(&w->go); /* there will be no leave: pid 1 ends */
    return 0;
}

/* The box has closed its end, or is silent, before everything was in place. */
static int set_up_failed(struct box_watch *w, bool hangs)
{
    const char *how = hangs ? "set-up hangs" : "set-up died";
    if (w->place_error != 0) {
        snprintf(w->result->fault, sizeof w->result->fault, "memory: the box cannot be moved into its control group: %s",
                 strerror(w->place_error));
        box_control(w->result, CONTROL_MEMORY, CONTROL_MISSING, "the box cannot be moved into its control group");
        return 1;
    }
    snprintf(w->result->fault, sizeof w->result->fault, "namespaces: the set-up of the box %s", hangs ? "hangs" : "died");
    box_control(w->result, CONTROL_NAMESPACES, CONTROL_MISSING, how);
    return 1;
}

/* A relay that cannot be confined is a control that is missing. */
static int take_gate(struct box_watch *w, int *fd)
{
    if (gate_start(w->options->gate, fd, box_job_uid()) == 0)
        return 0;
    w->faulted = true;
    snprintf(w->result->fault, sizeof w->result->fault, "network: the relay of the fetch phase cannot be confined: %s",
             strerror(errno));
    box_control(w->result, CONTROL_NETWORK, CONTROL_MISSING, "the relay of the fetch phase cannot be confined");
    return 0;
}

static int take_message(struct box_watch *w, const struct box_message *m, int *fd)
{
    switch (m->kind) {
    case BOX_FAULT:
        take_fault(w, m);
        return 0;
    case BOX_NOTE:
        if (m->control >= 0 && m->control < CONTROL_COUNT)
            box_control(w->result, (enum control)m->control, m->text[0] ? CONTROL_ENFORCED : CONTROL_UNENFORCED,
                        m->text[0] ? m->text : "this kernel does not have it; the other controls hold alone");
        return 0;
    case BOX_SCRATCH:
        return take_scratch(w, fd);
    case BOX_GATE:
        errno = EPROTO;
        return w->options->gate ? take_gate(w, fd) : -1;
    case BOX_INIT:
        w->init = m->value;
        return take_init(w);
    case BOX_READY:
        w->ready = true;
        return 0;
    case BOX_EXEC:
        take_exec_failure(w, m);
        return 0;
    case BOX_EXIT:
        w->exited = true;
        w->wait_status = m->value;
        return 0;
    case BOX_FROZEN:
        w->frozen = true;
        w->result->quiesced = m->value == 0 && w->init != 0;
        return 0;
    default:
        errno = EPROTO;
        return -1;
    }
}

/* 1 took one, 0 the box has closed its end, -1 with errno. */
static int read_message(struct box_watch *w)
{
    struct box_message m;
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } cmsg;
    struct iovec iov = {.iov_base = &m, .iov_len = sizeof m};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &cmsg, .msg_controllen = sizeof cmsg};
    ssize_t n = recvmsg(w->control, &msg, MSG_CMSG_CLOEXEC);
    if (n == 0 || (n < 0 && errno == ECONNRESET))
        return 0;
    if (n < 0)
        return errno == EINTR ? 1 : -1;
    AUTO_FD fd = -1;
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    if (n != (ssize_t)sizeof m) {
        errno = EPROTO;
        return -1;
    }
    m.text[sizeof m.text - 1] = 0;
    return take_message(w, &m, &fd) < 0 ? -1 : 1;
}

int box_watch_setup(struct box_watch *w)
{
    uint64_t deadline = box_clock_ms() + BOX_SETUP_MS;
    while (!w->ready && !w->faulted) {
        struct pollfd p = {.fd = w->control, .events = POLLIN};
        uint64_t now = box_clock_ms();
        int n = now >= deadline ? 0 : poll(&p, 1, (int)(deadline - now));
        if (n < 0 && errno == EINTR && !(w->options->interrupted && *w->options->interrupted))
            continue;
        if (n < 0)
            return -1;
        int took = n == 0 ? 0 : read_message(w);
        if (took < 0)
            return -1;
        if (took == 0)
            return set_up_failed(w, n == 0);
    }
    return w->faulted ? 1 : 0;
}

int box_take_output(int *pipe_fd, int file, const struct run_limits *limits, const struct box_result *r, uint64_t *count,
                    bool *over)
{
    char block[8192];
    ssize_t n = read(*pipe_fd, block, sizeof block);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n <= 0) {
        fd_close(pipe_fd);
        return 0;
    }
    uint64_t total = r->stdout_bytes + r->stderr_bytes;
    uint64_t room = limits && limits->has_output ? (limits->output > total ? limits->output - total : 0) : UINT64_MAX;
    *over = (uint64_t)n > room;
    if (*over)
        n = (ssize_t)room;
    *count += (uint64_t)n;
    return n > 0 ? fd_write_full(file, block, (size_t)n) : 0;
}

/* Over the limit the job ends. */
static int keep_output(struct box_watch *w, int *pipe_fd, int file, uint64_t *count)
{
    bool over = false, bounded = !(w->options->off & (1u << CONTROL_OUTPUT));
    int rc = box_take_output(pipe_fd, file, bounded ? &w->options->contract->run.limits : NULL, w->result, count, &over);
    if (over && w->result->end == BOX_NOT_RUN)
        w->result->end = BOX_OUTPUT_LIMIT;
    return rc;
}

static int64_t time_left(const struct box_watch *w)
{
    const struct run_limits *l = &w->options->contract->run.limits;
    if (!l->has_wall || (w->options->off & (1u << CONTROL_WALL)))
        return INT64_MAX;
    return (int64_t)(w->started_ms + l->wall_ms) - (int64_t)box_clock_ms();
}

static bool job_is_over(struct box_watch *w)
{
    if (w->exited || w->frozen || w->result->end != BOX_NOT_RUN)
        return true;
    if (w->options->interrupted && *w->options->interrupted)
        w->result->end = BOX_INTERRUPTED;
    else if (time_left(w) <= 0)
        w->result->end = BOX_TIMED_OUT;
    return w->result->end != BOX_NOT_RUN;
}

/* One wait for whatever happens next, at most until the clock ends. -1 with errno. */
static int serve_once(struct box_watch *w, int64_t wait_ms)
{
    struct pollfd p[] = {{.fd = w->control, .events = POLLIN},
                         {.fd = w->out, .events = POLLIN},
                         {.fd = w->err, .events = POLLIN}};
    int timeout = wait_ms > 200 ? 200 : (int)wait_ms; /* an interruption may come between the question and the poll */
    if (poll(p, ARRAY_LEN(p), timeout) < 0)
        return errno == EINTR ? 0 : -1;
    if (p[1].revents && keep_output(w, &w->out, w->out_file, &w->result->stdout_bytes) < 0)
        return -1;
    if (p[2].revents && keep_output(w, &w->err, w->err_file, &w->result->stderr_bytes) < 0)
        return -1;
    if (p[0].revents) {
        int took = read_message(w);
        if (took == 0)
            fd_close(&w->control);
        if (took == 0 && !w->frozen) {
            errno = EPIPE; /* the supervisor is gone without a word */
            return -1;
        }
        return took < 0 ? -1 : 0;
    }
    return 0;
}

int box_watch_job(struct box_watch *w)
{
    w->started_ms = box_clock_ms();
    if (fd_write_full(w->go, "g", 1) < 0)
        return -1;
    while (!job_is_over(w))
        if (serve_once(w, time_left(w)) < 0)
            return -1;
    w->result->elapsed_ms = box_clock_ms() - w->started_ms;
    if (w->result->end == BOX_NOT_RUN && w->exited) {
        bool signalled = WIFSIGNALED(w->wait_status);
        w->result->end = signalled ? BOX_SIGNALLED : BOX_EXITED;
        w->result->status = signalled ? WTERMSIG(w->wait_status) : WEXITSTATUS(w->wait_status);
    } else if (w->result->end == BOX_NOT_RUN) { /* pid 1 of the box was killed, and everything with it */
        w->result->end = BOX_SIGNALLED;
        w->result->status = SIGKILL;
    }
    return 0;
}

/* What was written before the end and is still in a pipe; whoever might still hold the other end is not waited for. */
static void drain(struct box_watch *w, int *pipe_fd, int file, uint64_t *count)
{
    struct pollfd p = {.fd = *pipe_fd, .events = POLLIN};
    while (*pipe_fd >= 0 && file >= 0 && w->result->end != BOX_OUTPUT_LIMIT && poll(&p, 1, 0) == 1)
        if (keep_output(w, pipe_fd, file, count) < 0)
            return;
}

static void reap(struct box_watch *w)
{
    struct rusage used;
    memset(&used, 0, sizeof used);
    while (wait4(w->supervisor, NULL, 0, &used) < 0)
        if (errno != EINTR)
            break;
    w->supervisor = 0;
    w->result->cpu_ms = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000u +
                        (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000u;
}

void box_watch_stop(struct box_watch *w)
{
    uint64_t deadline = box_clock_ms() + BOX_KILL_MS;
    if (w->supervisor == 0)
        return;
    fd_close(&w->go);
    if (w->control >= 0)
        shutdown(w->control, SHUT_WR); /* the supervisor's word to kill */
    while (w->control >= 0 && !w->frozen && box_clock_ms() < deadline) {
        struct pollfd p = {.fd = w->control, .events = POLLIN};
        if (poll(&p, 1, (int)(deadline - box_clock_ms())) > 0 && read_message(w) <= 0)
            break;
    }
    if (!w->frozen)
        kill(w->supervisor, SIGKILL); /* takes pid 1, and with it everything, along */
    reap(w);
    drain(w, &w->out, w->out_file, &w->result->stdout_bytes);
    drain(w, &w->err, w->err_file, &w->result->stderr_bytes);
}
