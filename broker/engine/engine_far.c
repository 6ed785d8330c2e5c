/* SPDX-License-Identifier: ISC
 * The broker's side of a job that its agent runs alone: every byte is a frame of a hostile stream (far_session.c judges it),
 * nothing is asked for before the agent says that all else is dead, and our own clock and counters stand behind the agent's:
 * where its word does not come in time, the container is killed by its id. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_watch.h"
#include "engine/engine_job.h"
#include "engine/engine_load.h"
#include "engine/far_session.h"

struct far_client {
    struct far_session s;
    uint8_t buf[2 * (FAR_HEAD + FAR_CHUNK)];
    size_t have;
    char heard[512];      /* what the client said on standard error */
    size_t heard_n;
    uint64_t last_ms;     /* when something came */
    uint64_t deadline_ms; /* of listing and sending, however busy they are; 0: none yet */
    size_t wanted_n;
    bool ended;           /* no byte will come any more */
};

/* --- reading ------------------------------------------------------------------------------------------------------------ */

/* Counted once more: an agent that sends more than the limit is not believed, and dies. */
static int keep_output(struct engine_job *job, const struct far_frame *f)
{
    const struct run_limits *l = &job->plan.run->limits;
    struct box_result *r = job->result;
    bool bounded = l->has_output && !job_off(job, CONTROL_OUTPUT);
    uint64_t total = r->stdout_bytes + r->stderr_bytes, room = bounded ? l->output - total : UINT64_MAX;
    size_t n = f->len < room ? f->len : (size_t)room;
    *(f->type == FAR_OUT ? &r->stdout_bytes : &r->stderr_bytes) += n;
    if (n < f->len) {
        r->end = BOX_OUTPUT_LIMIT;
        job->kill_now = true;
    }
    return n > 0 ? fd_write_full(f->type == FAR_OUT ? job->out_file : job->err_file, f->data, n) : 0;
}

static int take_frame(struct engine_job *job, const struct far_frame *f)
{
    struct far_client *c = job->far;
    if (far_accept(&c->s, f) < 0)
        return 0; /* its phase says it */
    if (f->type == FAR_OUT || f->type == FAR_ERR)
        return keep_output(job, f);
    return f->type == FAR_DATA ? fd_write_full(c->s.take->spool, f->data, f->len) : 0;
}

static int take_frames(struct engine_job *job)
{
    struct far_client *c = job->far;
    struct far_frame f;
    size_t at = 0;
    int rc = 0;
    while (rc == 0 && c->s.phase != FAR_BROKEN) {
        long n = far_frame(c->buf + at, c->have - at, true, &f);
        if (n == 0)
            break;
        if (n < 0) {
            c->s.phase = FAR_BROKEN;
            snprintf(c->s.fault, sizeof c->s.fault, "the container's stream is none of its agent's");
            break;
        }
        rc = take_frame(job, &f);
        at += (size_t)n;
    }
    memmove(c->buf, c->buf + at, c->have - at);
    c->have -= at;
    return rc;
}

static void hear(struct engine_job *job)
{
    struct far_client *c = job->far;
    char block[512];
    ssize_t n = read(job->err, block, sizeof block);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        fd_close(&job->err);
        return;
    }
    size_t room = sizeof c->heard - 1 - c->heard_n, take = (size_t)n < room ? (size_t)n : room;
    memcpy(c->heard + c->heard_n, block, take);
    c->heard_n += take;
}

/* One wait for whatever comes next. 0, or -1 with errno where the broker itself failed. */
static int serve(struct engine_job *job)
{
    struct far_client *c = job->far;
    struct pollfd p[] = {{.fd = job->out, .events = POLLIN}, {.fd = job->err, .events = POLLIN}};
    if (poll(p, ARRAY_LEN(p), ENGINE_POLL_MS) < 0)
        return errno == EINTR ? 0 : -1;
    if (p[1].revents)
        hear(job);
    if (!p[0].revents)
        return 0;
    ssize_t n = read(job->out, c->buf + c->have, sizeof c->buf - c->have);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n <= 0) {
        c->ended = true;
        return 0;
    }
    c->have += (size_t)n;
    c->last_ms = box_clock_ms();
    return take_frames(job);
}

static bool stopped(const struct engine_job *job)
{
    return job->options.interrupted && *job->options.interrupted;
}

/* May more come? */
static bool alive(const struct engine_job *job)
{
    const struct far_client *c = job->far;
    return !c->ended && !stopped(job) && c->s.phase != FAR_BROKEN;
}

/* Nothing comes, or a byte now and then: neither may keep us. */
static bool late(struct far_client *c)
{
    uint64_t now = box_clock_ms();
    bool over = c->deadline_ms != 0 && now >= c->deadline_ms;
    if (!over && now < c->last_ms + FAR_SILENT_MS)
        return false;
    snprintf(c->s.fault, sizeof c->s.fault, "%s",
             over ? "listing and sending the container's scratch took longer than `limits: time`" : "the agent fell silent");
    return true;
}

/* --- writing ------------------------------------------------------------------------------------------------------------ */

/* A daemon that does not read must not hold us: what it sends is served meanwhile, and its silence and time count. EPIPE: it
 * will hear no more. */
static int write_frame(struct engine_job *job, const uint8_t *frame, size_t len)
{
    struct far_client *c = job->far;
    while (len > 0) {
        ssize_t n = write(job->in, frame, len);
        if (n > 0) {
            frame += n;
            len -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            if (!alive(job) || late(c)) {
                errno = EPIPE;
                return -1;
            }
            if (serve(job) < 0)
                return -1;
        } else if (n < 0 && errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

static int tell(struct engine_job *job, enum far_type type, const char *text)
{
    uint8_t frame[FAR_HEAD + PATH_BYTES];
    size_t n = text ? strlen(text) : 0;
    if (n > PATH_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    far_head(frame, type, n);
    if (n)
        memcpy(frame + FAR_HEAD, text, n);
    return write_frame(job, frame, FAR_HEAD + n);
}

/* --- the job ------------------------------------------------------------------------------------------------------------ */

/* What the agent says is missing: 1; why it said nothing: -1. */
static int not_held(struct engine_job *job)
{
    struct far_client *c = job->far;
    char how[96];
    if (c->s.phase == FAR_BROKEN && c->s.fault_error != 0 && c->s.fault_control < CONTROL_COUNT) {
        snprintf(how, sizeof how, "%.60s: %.30s", c->s.fault, strerror((int)(c->s.fault_error & 0xfff)));
        return job_missing(job, (enum control)c->s.fault_control, how);
    }
    if (c->s.phase == FAR_BROKEN)
        return job_fault(job, EPROTO, "%.150s", c->s.fault);
    if (stopped(job))
        return job_fault(job, EINTR, "interrupted");
    if (c->heard[0])
        return job_fault(job, EIO, "%s cannot start the container: %.180s", job->engine->client.name, client_first_line(c->heard));
    return job_fault(job, EIO, "the agent did not come up in the container: is the image for this architecture?");
}

int far_hold(struct engine_job *job)
{
    struct far_client *c = job->far = calloc(1, sizeof *c);
    if (!c || load_inputs(job) < 0 || job_create(job) < 0 || job_start(job) < 0)
        return -1;
    if (fcntl(job->in, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    uint64_t deadline = box_clock_ms() + ENGINE_HELD_MS;
    while (c->s.phase == FAR_COMES_UP && alive(job) && box_clock_ms() < deadline)
        if (serve(job) < 0)
            return -1;
    if (c->s.phase != FAR_IS_HELD)
        return not_held(job);
    job->engine->uid = c->s.hello.uid;
    return far_limits(job, &c->s.hello);
}

static bool is_late(const struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    return l->has_wall && !job_off(job, CONTROL_WALL) && box_clock_ms() >= job->started_ms + l->wall_ms + FAR_LATE_MS;
}

static void name_end(struct engine_job *job)
{
    static const enum box_end ends[] = {[FAR_EXITED] = BOX_EXITED, [FAR_SIGNALLED] = BOX_SIGNALLED,
                                        [FAR_TIMED_OUT] = BOX_TIMED_OUT, [FAR_TOO_MUCH_OUTPUT] = BOX_OUTPUT_LIMIT,
                                        [FAR_NO_EXEC] = BOX_SETUP_FAILED};
    const struct far_session *s = &job->far->s;
    struct box_result *r = job->result;
    if (r->end != BOX_NOT_RUN)
        return;
    if (s->end.how == FAR_NOT_LOWERED) {
        job_not_lowered(job, s->end.value >> FAR_ERROR_BITS, (int)(s->end.value & FAR_ERROR_MASK));
        return;
    }
    r->end = ends[s->end.how];
    r->status = (int)s->end.value;
    if (s->end.how != FAR_NO_EXEC)
        return;
    r->not_started = true;
    (void)job_fault(job, r->status, "the command '%.100s' cannot be started in the container: %s", job->plan.argv[0],
                    strerror(r->status));
}

/* Lets it go, and serves it until the agent says how it ended, or it is killed. */
static int watch(struct engine_job *job)
{
    struct far_client *c = job->far;
    struct box_result *r = job->result;
    job->started_ms = c->last_ms = box_clock_ms();
    if (tell(job, FAR_GO, NULL) < 0)
        return -1;
    far_let_go(&c->s);
    while (c->s.phase == FAR_RUNS && alive(job) && r->end == BOX_NOT_RUN && !is_late(job))
        if (serve(job) < 0)
            return -1;
    r->elapsed_ms = box_clock_ms() - job->started_ms;
    if (stopped(job))
        r->end = BOX_INTERRUPTED;
    else if (c->s.phase == FAR_RUNS && is_late(job))
        r->end = BOX_TIMED_OUT;
    else if (c->s.end.how != 0) /* whatever else came in the same block */
        name_end(job);
    else if (r->end == BOX_NOT_RUN) { /* killed from outside, or by the kernel, or not our agent any more */
        r->end = BOX_SIGNALLED;
        r->status = SIGKILL;
    }
    job->kill_now = job->kill_now || c->s.phase <= FAR_RUNS || c->s.phase == FAR_BROKEN || stopped(job);
    return 0;
}

/* Until the phase is reached. */
static int await(struct engine_job *job, enum far_phase phase)
{
    struct far_client *c = job->far;
    c->last_ms = box_clock_ms();
    while (c->s.phase < phase && alive(job) && !late(c))
        if (serve(job) < 0)
            return -1;
    return 0;
}

static int order_wanted(struct far_client *c)
{
    const struct engine_take *t = c->s.take;
    c->s.order = calloc(t->n + 1, sizeof *c->s.order);
    if (!c->s.order)
        return -1;
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].wanted && t->v[i].kind == OBJECT_FILE)
            c->s.order[c->wanted_n++] = i;
    return 0;
}

/* A few names ahead, so that a distant host is not waited for file by file. */
static int fetch(struct engine_job *job)
{
    struct far_client *c = job->far;
    c->last_ms = box_clock_ms();
    while (c->s.answered < c->wanted_n && alive(job) && !late(c)) {
        for (; c->s.asked < c->wanted_n && c->s.asked - c->s.answered < FAR_WINDOW; far_asked(&c->s))
            if (tell(job, FAR_WANT, c->s.take->v[c->s.order[c->s.asked]].path) < 0) {
                c->ended = errno == EPIPE;
                return c->ended ? 0 : -1;
            }
        if (serve(job) < 0)
            return -1;
    }
    return 0;
}

/* The listing, the choice, the files. What goes wrong on the agent's side is a fault of the stream and refuses it whole. */
static int collect(struct engine_job *job)
{
    struct far_client *c = job->far;
    struct engine_take *t = c->s.take;
    c->deadline_ms = box_clock_ms() + (t ? t->time_ms : DEFAULT_TIME_MS);
    if (await(job, FAR_LISTED_ALL) < 0)
        return -1;
    bool listed = c->s.phase == FAR_LISTED_ALL;
    if (listed && t && (t->choose(t, t->context) < 0 || order_wanted(c) < 0 || fetch(job) < 0))
        return -1;
    bool whole = listed && c->s.answered == c->wanted_n && c->s.phase != FAR_BROKEN;
    if (t && !whole)
        snprintf(t->fault, sizeof t->fault, "%s", c->s.fault[0] ? c->s.fault : "the container's stream broke off");
    job->kill_now = job->kill_now || !whole;
    return 0;
}

int far_run(struct engine_job *job)
{
    struct far_client *c = job->far;
    struct box_result *r = job->result;
    c->s.take = job->engine->take;
    c->s.visited_max = c->s.take ? c->s.take->visited_max : DEFAULT_VISITED;
    if (watch(job) < 0)
        return -1;
    if (job_lacks_control(job))
        return 1;
    if (job->kill_now || r->not_started) {
        if (c->s.take && !r->not_started)
            snprintf(c->s.take->fault, sizeof c->s.take->fault, "%s",
                     c->s.fault[0] ? c->s.fault : "the container was killed, and its scratch went with it");
        return 0;
    }
    if (collect(job) < 0)
        return -1;
    if (stopped(job))
        r->end = BOX_INTERRUPTED;
    r->limits_hit |= c->s.quiet.hit;
    r->memory_peak = c->s.quiet.memory_peak;
    r->cpu_ms = c->s.quiet.cpu_ms;
    r->quiesced = c->s.phase == FAR_LISTED_ALL && c->s.quiet.left == 0 && c->s.quiet.unfrozen == 0;
    if (!job->kill_now && tell(job, FAR_BYE, NULL) < 0)
        job->kill_now = true;
    return 0;
}

void far_end(struct engine_job *job)
{
    if (job->far)
        free(job->far->s.order);
    free(job->far);
    job->far = NULL;
}
