/* SPDX-License-Identifier: ISC
 * Schedules batches over confined children and holds their deadlines (broker side). Never blocks on a socket. A child
 * that fails costs its jobs one more try, each alone; a worker program that stops answering is killed and started anew,
 * a bounded number of times. */
#include "inspect/inspect_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/finding_wire.h"
#include "inspect/inspect_scratch.h"
#include "inspect/inspect_spawn.h"

/* --- queues ---------------------------------------------------------------------------------------- */

static void queue_push(struct job_queue *q, struct job *job)
{
    job->next = NULL;
    if (q->tail)
        q->tail->next = job;
    else
        q->head = job;
    q->tail = job;
    q->n++;
    q->bytes += job->size;
}

static struct job *queue_pop(struct job_queue *q)
{
    struct job *job = q->head;
    if (!job)
        return NULL;
    q->head = job->next;
    if (!q->head)
        q->tail = NULL;
    q->n--;
    q->bytes -= job->size;
    job->next = NULL;
    return job;
}

void job_enqueue(struct inspect_pool *pool, struct job *job)
{
    struct lane *lane = &pool->lanes[job->second ? LANE_SECOND : LANE_FIRST];
    queue_push(job->alone ? &lane->alone : &lane->plain, job);
}

static void job_end(struct inspect_pool *pool, struct job *job, enum job_end end)
{
    job->end = end;
    if (end != JOB_COMPLETE)
        job_result_clear(&job->result);
    pool_finished(pool, job);
}

/* --- the program ------------------------------------------------------------------------------------- */

int lane_start(struct inspect_pool *pool, struct lane *lane)
{
    if (lane->pid > 0)
        return 0;
    if (lane->starts == WORKER_STARTS) {
        errno = EAGAIN;
        return -1;
    }
    if (lane->program < 0 && (lane->program = spawn_find(pool->libexec, lane->name)) < 0)
        return -1;
    AUTO_FD control = -1;
    lane->starts++;
    lane->pid = spawn_worker(lane->program, lane->name, lane->rules_fd, &control);
    if (lane->pid < 0) {
        lane->pid = 0;
        return -1;
    }
    wire_init(&lane->control, &control, false);
    lane->ready = false;
    lane->ready_by = batch_now() + WORKER_READY_MS;
    return 0;
}

static void batch_fail(struct inspect_pool *pool, struct batch *b, enum job_end how);

/* The program is gone, wrong or stuck: it and its children (they die with it) are taken down. */
static void lane_fail(struct inspect_pool *pool, struct lane *lane)
{
    if (lane->pid > 0) {
        if (waitpid(lane->pid, &lane->status, WNOHANG) == 0) {
            kill(lane->pid, SIGKILL);
            while (waitpid(lane->pid, &lane->status, 0) < 0 && errno == EINTR)
                ;
        }
    }
    lane->pid = 0;
    wire_close(&lane->control);
    for (unsigned i = 0; i < pool->children; i++) {
        if (lane->batches[i].state == BATCH_RUNNING)
            batch_fail(pool, &lane->batches[i], JOB_CRASHED);
        lane->batches[i].state = BATCH_FREE;
    }
}

void lane_rest(struct lane *lane)
{
    lane->starts = WORKER_STARTS;
    if (lane->pid > 0)
        kill(lane->pid, SIGKILL);
}

void lane_close(struct inspect_pool *pool, struct lane *lane)
{
    lane->starts = WORKER_STARTS;
    if (lane->batches)
        lane_fail(pool, lane);
    struct job *job = NULL;
    while ((job = queue_pop(&lane->alone)) || (job = queue_pop(&lane->plain)))
        job_free(&job);
    fd_close(&lane->program);
    for (unsigned i = 0; lane->batches && i < pool->children; i++)
        fd_close(&lane->batches[i].spool);
    free(lane->batches);
    lane->batches = NULL;
}

static int lane_order(struct lane *lane, enum frame_type type, uint32_t child, int fd)
{
    const uint8_t payload[4] = {(uint8_t)child, (uint8_t)(child >> 8), (uint8_t)(child >> 16), (uint8_t)(child >> 24)};
    return wire_queue(&lane->control, type, payload, sizeof(payload), fd);
}

static void child_ended(struct inspect_pool *pool, struct lane *lane, uint32_t child)
{
    for (unsigned i = 0; i < pool->children; i++)
        if (lane->batches[i].state == BATCH_DYING && lane->batches[i].child == child)
            lane->batches[i].state = BATCH_FREE;
}

/* false: the program said something it must not say. */
static bool lane_frame(struct inspect_pool *pool, struct lane *lane, const struct frame *f)
{
    struct reader r;
    struct wire_ready ready;
    if (f->type == FRAME_READY && !lane->ready) {
        if (!wire_ready_decode(&ready, f->payload, f->len) || strcmp(ready.version, PACKAGE_VERSION) != 0)
            return false; /* also a program of another version, whose answers mean something else */
        memcpy(lane->version, ready.version, sizeof(lane->version));
        memcpy(lane->libraries, ready.libraries, sizeof(lane->libraries));
        lane->ready = true;
        return true;
    }
    if (f->type != FRAME_EXIT)
        return false;
    reader_init(&r, f->payload, f->len);
    child_ended(pool, lane, reader_u32(&r));
    return true;
}

static void lane_read(struct inspect_pool *pool, struct lane *lane)
{
    struct frame f = {.fd = -1};
    int got = 0;
    while ((got = wire_recv(&lane->control, &f, false)) == 1)
        if (!lane_frame(pool, lane, &f)) {
            got = -1;
            break;
        }
    if (got < 0)
        lane_fail(pool, lane);
}

/* --- batches ----------------------------------------------------------------------------------------- */

/* One more try for each, alone; a job that had its second try is over. */
static void batch_fail(struct inspect_pool *pool, struct batch *b, enum job_end how)
{
    wire_close(&b->wire);
    b->state = BATCH_DYING;
    b->deadline = batch_now() + WORKER_KILL_MS;
    size_t n = b->n;
    b->n = 0;
    for (size_t i = 0; i < n; i++) {
        struct job *job = b->jobs[i];
        if (++job->attempts >= JOB_ATTEMPTS) {
            job_end(pool, job, how);
            continue;
        }
        job_result_clear(&job->result);
        job->alone = true;
        job_enqueue(pool, job);
    }
}

static void batch_kill(struct inspect_pool *pool, struct lane *lane, struct batch *b, enum job_end how)
{
    batch_fail(pool, b, how);
    if (lane->pid > 0 && (lane_order(lane, FRAME_KILL, b->child, -1) != 0 || wire_flush(&lane->control, false) < 0))
        lane_fail(pool, lane);
}

/* It waits in vain: its place is free at once. */
static void batch_retire(struct inspect_pool *pool, struct lane *lane, struct batch *b)
{
    wire_close(&b->wire);
    b->state = BATCH_FREE;
    if (lane_order(lane, FRAME_KILL, b->child, -1) != 0 || wire_flush(&lane->control, false) < 0)
        lane_fail(pool, lane);
}

static void batch_complete(struct inspect_pool *pool, struct batch *b)
{
    wire_close(&b->wire);
    b->state = BATCH_FREE;
    pool->seccomp = b->seccomp;
    pool->rlimits = b->rlimits;
    pool->landlock_abi = b->landlock_abi;
    enum job_end end = scratch_keep(b) == 0 ? JOB_COMPLETE : JOB_CRASHED;
    for (size_t i = 0; i < b->n; i++)
        job_end(pool, b->jobs[i], end);
}

/* A text was answered, and the child waits for what comes next. */
static void batch_answered(struct inspect_pool *pool, struct batch *b)
{
    size_t n = b->n;
    b->n = b->at = 0;
    b->deadline = INT64_MAX;
    for (size_t i = 0; i < n; i++)
        job_end(pool, b->jobs[i], JOB_COMPLETE);
}

static void batch_turn(struct inspect_pool *pool, struct lane *lane, struct batch *b)
{
    /* Where nothing can be sent any more the end of the stream comes behind what the child still said. */
    bool sent = wire_flush(&b->wire, false) >= 0 || errno == EPIPE;
    int got = batch_read(b);
    if (got == 1)
        batch_complete(pool, b);
    else if (got < 0 || !sent)
        batch_kill(pool, lane, b, JOB_CRASHED);
    else if (b->open && b->n > 0 && b->at == b->n)
        batch_answered(pool, b);
}

/* A socket pair of which the program hands one end to a new child. The child's end is sent at once: it is ours only
 * until then. */
static int batch_begin(struct lane *lane, struct batch *b)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    AUTO_FD ours = pair[0], theirs = pair[1];
    *b = (struct batch){.child = lane->next_child++, .spool = b->spool};
    if (lane_order(lane, FRAME_BATCH, b->child, theirs) != 0 || wire_flush(&lane->control, true) != 1)
        return -1;
    wire_init(&b->wire, &ours, false);
    b->state = BATCH_RUNNING;
    return 0;
}

static bool queue_wants_batch(const struct lane *lane, const struct job_queue *q)
{
    return q->n > 0 && (lane->flush || q->n >= BATCH_FILES || q->bytes >= BATCH_BYTES);
}

static void batch_take(struct inspect_pool *pool, struct batch *b, struct job *job)
{
    if (batch_add(b, job) != 0)
        job_end(pool, job, JOB_CRASHED);
}

static void batch_fill(struct inspect_pool *pool, struct lane *lane, struct batch *b)
{
    uint64_t bytes = 0;
    if (lane->alone.n > 0) {
        batch_take(pool, b, queue_pop(&lane->alone));
        return;
    }
    while (lane->plain.n > 0 && b->n < BATCH_FILES && (bytes == 0 || bytes + lane->plain.head->size <= BATCH_BYTES)) {
        bytes += lane->plain.head->size;
        batch_take(pool, b, queue_pop(&lane->plain));
    }
}

/* Where the program cannot be started (again), what waits for it is over: not inspected, never a pass. */
static void lane_give_up(struct inspect_pool *pool, struct lane *lane)
{
    struct job *job = NULL;
    lane_fail(pool, lane);
    while ((job = queue_pop(&lane->alone)) || (job = queue_pop(&lane->plain)))
        job_end(pool, job, JOB_CRASHED);
}

/* The first child of a program has no machine code. It takes texts of ours, then texts of others, then a few small files,
 * in this order and never back, and ends with the files. */
static bool suits(const struct lane *lane, const struct batch *b)
{
    const struct job *job = lane->alone.head;
    if (b->child != FIRST_CHILD)
        return true;
    if (job)
        return job->type == FRAME_SCAN && (job->theirs ? job->len <= FIRST_CHILD_BYTES : !b->theirs);
    return lane->plain.bytes <= FIRST_CHILD_BYTES;
}

/* A child to give work to: one that waits already, or a new one. NULL: none is free, or (*broken) the program is not
 * there to make one. */
static struct batch *batch_free(struct inspect_pool *pool, struct lane *lane, bool *broken)
{
    struct batch *slot = NULL;
    for (unsigned i = 0; i < pool->children; i++) {
        struct batch *b = &lane->batches[i];
        if (b->state == BATCH_RUNNING && b->n == 0 && suits(lane, b))
            return b;
        if (b->state == BATCH_RUNNING && b->n == 0)
            batch_retire(pool, lane, b);
        if (b->state == BATCH_FREE && !slot)
            slot = b;
    }
    *broken = slot && batch_begin(lane, slot) != 0;
    return *broken ? NULL : slot;
}

static bool scarce(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

/* Hands the next work to a child. 0, or -1 with errno. */
static int batch_give(struct inspect_pool *pool, struct lane *lane, struct batch *b)
{
    bool scan = lane->alone.n > 0 && lane->alone.head->type == FRAME_SCAN;
    b->open = scan && b->child == FIRST_CHILD;
    b->theirs = b->theirs || !scan || lane->alone.head->theirs;
    if (lane == &pool->lanes[LANE_FIRST] && !scan && scratch_hand(pool, b) != 0)
        return -1;
    batch_fill(pool, lane, b);
    if (!b->open && wire_queue(&b->wire, FRAME_END, NULL, 0, -1) != 0)
        return -1;
    batch_arm(b);
    (void)!wire_flush(&b->wire, false); /* an error shows when the answers are read */
    return 0;
}

/* 0, or -1 with errno where the broker itself lacks what it needs. */
static int lane_dispatch(struct inspect_pool *pool, struct lane *lane)
{
    while (lane->alone.n > 0 || queue_wants_batch(lane, &lane->plain)) {
        if (lane_start(pool, lane) != 0) {
            if (scarce(errno))
                return -1;
            lane_give_up(pool, lane);
            return 0;
        }
        bool broken = false;
        struct batch *b = batch_free(pool, lane, &broken);
        if (broken && scarce(errno))
            return -1;
        if (broken)
            lane_fail(pool, lane);
        if (!b)
            return 0;
        if (batch_give(pool, lane, b) != 0)
            return -1;
    }
    if (lane->plain.n == 0)
        lane->flush = false;
    return 0;
}

int lane_spare(struct inspect_pool *pool, struct lane *lane)
{
    bool broken = false;
    struct batch *b = batch_free(pool, lane, &broken);
    if (!b)
        return -1;
    b->deadline = batch_now() + WORKER_READY_MS;
    return 0;
}

/* --- one turn ------------------------------------------------------------------------------------------ */

static void lane_deadlines(struct inspect_pool *pool, struct lane *lane, int64_t now)
{
    if (lane->pid > 0 && !lane->ready && now >= lane->ready_by)
        lane_fail(pool, lane);
    for (unsigned i = 0; i < pool->children; i++) {
        struct batch *b = &lane->batches[i];
        if (b->state == BATCH_RUNNING && now >= b->deadline)
            batch_kill(pool, lane, b, JOB_TIMEOUT);
        else if (b->state == BATCH_DYING && now >= b->deadline)
            lane_fail(pool, lane); /* the program does not even report the end of a killed child */
    }
}

struct watch {
    struct pollfd fds[LANES * (CHILDREN_LIMIT + 1)];
    struct lane *lanes[LANES * (CHILDREN_LIMIT + 1)];
    struct batch *batches[LANES * (CHILDREN_LIMIT + 1)]; /* NULL: the control socket */
    nfds_t n;
    int64_t next; /* the earliest deadline */
};

static void watch_add(struct watch *w, struct lane *lane, struct batch *b, const struct wire *wire, int64_t deadline)
{
    w->fds[w->n] = (struct pollfd){.fd = wire->fd, .events = (short)(POLLIN | (wire->out_len > 0 ? POLLOUT : 0))};
    w->lanes[w->n] = lane;
    w->batches[w->n++] = b;
    if (deadline < w->next)
        w->next = deadline;
}

static void watch_build(struct inspect_pool *pool, struct watch *w)
{
    w->n = 0;
    w->next = INT64_MAX;
    for (size_t l = 0; l < LANES; l++) {
        struct lane *lane = &pool->lanes[l];
        if (lane->pid > 0)
            watch_add(w, lane, NULL, &lane->control, lane->ready ? INT64_MAX : lane->ready_by);
        for (unsigned i = 0; i < pool->children; i++)
            if (lane->batches[i].state == BATCH_RUNNING)
                watch_add(w, lane, &lane->batches[i], &lane->batches[i].wire, lane->batches[i].deadline);
            else if (lane->batches[i].state == BATCH_DYING && lane->batches[i].deadline < w->next)
                w->next = lane->batches[i].deadline;
    }
}

static int watch_wait(const struct watch *w, int timeout_ms)
{
    int64_t wait = timeout_ms < 0 ? INT32_MAX : timeout_ms;
    if (w->next != INT64_MAX) {
        int64_t until = w->next - batch_now();
        wait = until < 0 ? 0 : until < wait ? until : wait;
    }
    return (int)wait;
}

static void watch_serve(struct inspect_pool *pool, const struct watch *w)
{
    for (nfds_t i = 0; i < w->n; i++) {
        if (w->fds[i].revents == 0)
            continue;
        struct lane *lane = w->lanes[i];
        struct batch *b = w->batches[i];
        if (b && b->state == BATCH_RUNNING && b->wire.fd == w->fds[i].fd)
            batch_turn(pool, lane, b);
        else if (!b && lane->pid > 0) {
            if (wire_flush(&lane->control, false) < 0)
                lane_fail(pool, lane);
            else
                lane_read(pool, lane);
        }
    }
}

int pool_turn(struct inspect_pool *pool, int timeout_ms)
{
    struct watch w;
    for (size_t l = 0; l < LANES; l++)
        if (lane_dispatch(pool, &pool->lanes[l]) != 0)
            return -1;
    watch_build(pool, &w);
    if (w.n == 0 && w.next == INT64_MAX)
        return 0; /* nothing is under way: nothing can come */
    /* what was given up while handing out is finished without any event */
    int got = poll(w.fds, w.n, watch_wait(&w, pool->finished_head ? 0 : timeout_ms));
    if (got < 0)
        return -1;
    if (got > 0)
        watch_serve(pool, &w);
    int64_t now = batch_now();
    for (size_t l = 0; l < LANES; l++)
        lane_deadlines(pool, &pool->lanes[l], now);
    return 0;
}
