/* SPDX-License-Identifier: ISC
 * A child of a worker program: confined before it takes the first descriptor, it inspects one batch and ends. Everything
 * it reads is hostile; any surprise is _exit(), because ending without DONE is the refusal. */
#include "inspect/worker.h"

#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "inspect/finding_wire.h"

enum {
    FLUSH_BYTES = 32 * 1024,   /* answers of small files travel together ... */
    FLUSH_MS = 20,             /* ... but the broker hears of progress well within any deadline */
    FLUSH_FILE = 256 * 1024    /* and of a large file before it is begun */
};

struct socket_sink {
    struct sink sink;
    struct wire wire;
    struct buf payload;
    uint64_t id;
    int64_t flushed_ms;
    struct spool spool; /* fd -1: none was handed over */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void flush(struct socket_sink *s)
{
    if (wire_flush(&s->wire, true) != 1)
        _exit(WORKER_WIRE);
    s->flushed_ms = now_ms();
}

/* Queues what was encoded into s->payload. */
static void answer(struct socket_sink *s, enum frame_type type)
{
    if (s->payload.failed || wire_queue(&s->wire, type, s->payload.data, s->payload.len, -1) != 0)
        _exit(WORKER_WIRE);
    buf_reset(&s->payload);
    if (s->wire.out_len >= FLUSH_BYTES)
        flush(s);
}

/* --- the sink ------------------------------------------------------------------------------------ */

static void socket_claim(struct sink *sink, enum type type, enum evidence evidence)
{
    struct socket_sink *s = (struct socket_sink *)sink;
    wire_claim_encode(&(struct wire_claim){s->id, type, evidence}, &s->payload);
    answer(s, FRAME_CLAIM);
}

static void socket_finding(struct sink *sink, const struct finding *finding)
{
    struct socket_sink *s = (struct socket_sink *)sink;
    wire_finding_encode(s->id, finding, &s->payload);
    answer(s, FRAME_FINDING);
}

static void socket_listing(struct sink *sink, const uint8_t sha256[32], uint64_t count)
{
    struct socket_sink *s = (struct socket_sink *)sink;
    struct wire_listing listing = {.id = s->id, .count = count};
    for (size_t i = 0; i < SHA256_SIZE; i++)
        listing.sha256[i] = sha256[i];
    wire_listing_encode(&listing, &s->payload);
    answer(s, FRAME_LISTING);
}

static void socket_nested(struct sink *sink, const struct nested_listing *nested)
{
    struct socket_sink *s = (struct socket_sink *)sink;
    wire_nested_encode(s->id, nested, &s->payload);
    answer(s, FRAME_NESTED);
}

static void socket_extent(struct sink *sink, const struct stream_member *member)
{
    struct socket_sink *s = (struct socket_sink *)sink;
    wire_extent_encode(s->id, member, &s->payload);
    answer(s, FRAME_EXTENT);
}

/* --- one task ------------------------------------------------------------------------------------ */

static void say_start(struct socket_sink *s, uint64_t id, uint64_t size)
{
    s->id = id;
    wire_start_encode(id, &s->payload);
    answer(s, FRAME_START);
    if (size >= FLUSH_FILE || now_ms() - s->flushed_ms >= FLUSH_MS)
        flush(s);
}

static void say_done(struct socket_sink *s, enum inspector_id inspector, uint32_t findings)
{
    wire_done_encode(&(struct wire_done){s->id, inspector, findings}, &s->payload);
    answer(s, FRAME_DONE);
}

static void say_finish(struct socket_sink *s, const struct budget *budget)
{
    wire_finish_encode(&(struct wire_finish){s->id, budget->entries, budget->unpacked, budget->findings}, &s->payload);
    answer(s, FRAME_FINISH);
}

static void run_one(struct socket_sink *s, struct inspection *in, enum inspector_id id,
                    void (*run)(struct inspection *in))
{
    uint32_t before = in->budget->findings;
    run(in);
    say_done(s, id, in->budget->findings - before);
}

static void serve_task(struct socket_sink *s, struct frame *frame)
{
    struct task task;
    struct bytes bytes;
    struct budget budget = {.spool = s->spool.fd >= 0 ? &s->spool : NULL};
    struct inspection in;
    if (!task_decode(&task, frame->payload, frame->len))
        _exit(WORKER_TASK);
    bool stream = frame->type == FRAME_STREAM;
    if (stream && !worker_program.stream)
        _exit(WORKER_TASK);
    say_start(s, task.id, task.size);
    bytes_init_fd(&bytes, frame->fd, task.base, task.size);
    inspection_init(&in, &bytes, &task, &budget, &s->sink);
    if (stream)
        run_one(s, &in, INSPECTOR_ARCHIVE, worker_program.stream);
    for (const struct inspector *i = inspectors; !stream && i->name; i++)
        run_one(s, &in, i->id, i->run);
    say_finish(s, &budget);
    bytes_free(&bytes);
    fd_close(&frame->fd);
}

/* Text of our own: no file, no claims, secrets alone. Nothing is received while it is
 * looked at, so the payload stays where it is. */
static void serve_scan(struct socket_sink *s, const struct frame *frame)
{
    static const struct task no_task;
    struct bytes bytes;
    struct budget budget = {0};
    struct inspection in;
    struct reader r;
    reader_init(&r, frame->payload, frame->len);
    uint64_t id = reader_u64(&r);
    size_t len = r.left;
    const uint8_t *text = reader_take(&r, len);
    if (!text)
        _exit(WORKER_TASK);
    say_start(s, id, len);
    bytes_init_memory(&bytes, text, len);
    inspection_init(&in, &bytes, &no_task, &budget, &s->sink);
    in.text = utf8_valid(text, len) ? TYPE_PLAIN : TYPE_NONE;
    for (const struct inspector *i = inspectors; i->name; i++)
        if (i->id == INSPECTOR_SECRET)
            run_one(s, &in, i->id, i->run);
    say_finish(s, &budget);
}

void worker_child(int *socket, struct confinement applied)
{
    struct socket_sink s = {.sink = {socket_claim, socket_finding, socket_listing, socket_nested, socket_extent},
                             .spool = {.fd = -1, .max = WORKER_SPOOL}};
    wire_init(&s.wire, socket, true);
    buf_init(&s.payload, FRAME_BYTES);
    if (confine_worker_child(&applied) != 0)
        _exit(WORKER_CONFINE);
    wire_hello_encode(&(struct wire_hello){applied.seccomp, applied.rlimits, (uint32_t)applied.landlock_abi}, &s.payload);
    answer(&s, FRAME_HELLO);
    for (;;) {
        struct frame frame = {.fd = -1};
        int got = wire_recv(&s.wire, &frame, false);
        if (got == 0) { /* nothing waits for us: whoever waits for our answers must get them */
            flush(&s);
            got = wire_recv(&s.wire, &frame, true);
        }
        if (got != 1)
            _exit(WORKER_WIRE);
        if (frame.type == FRAME_TASK || frame.type == FRAME_STREAM)
            serve_task(&s, &frame);
        else if (frame.type == FRAME_SCAN)
            serve_scan(&s, &frame);
        else if (frame.type == FRAME_SPOOL && s.spool.fd < 0)
            s.spool.fd = frame.fd;
        else if (frame.type == FRAME_END)
            break;
        else
            _exit(WORKER_WIRE);
    }
    flush(&s);
    _exit(0);
}
