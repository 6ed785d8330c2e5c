/* SPDX-License-Identifier: ISC
 * One batch against a child that this test plays: only the exact order of answers, and then the end, is a good one. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "inspect/finding_wire.h"
#include "inspect/inspect_batch.h"
#include "inspect/inspector.h"

struct play {
    struct batch batch;
    struct wire child;
    struct job jobs[2];
};

static void begin(struct play *p)
{
    int pair[2];
    *p = (struct play){.batch = {.state = BATCH_RUNNING}};
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    wire_init(&p->batch.wire, &pair[0], false);
    wire_init(&p->child, &pair[1], true);
    for (size_t i = 0; i < 2; i++) {
        p->jobs[i] = (struct job){.type = FRAME_TASK, .id = i + 1, .fd = -1, .expected = INSPECTORS_ALL};
        p->batch.jobs[p->batch.n++] = &p->jobs[i];
    }
}

static void end(struct play *p)
{
    wire_close(&p->batch.wire);
    wire_close(&p->child);
    for (size_t i = 0; i < 2; i++)
        job_result_clear(&p->jobs[i].result);
}

static void send_buf(struct play *p, enum frame_type type, struct buf *b)
{
    cr_assert_eq(wire_send(&p->child, type, b->data, b->len, -1), 0);
    buf_free(b);
}

static void hello(struct play *p, bool seccomp, bool rlimits)
{
    struct buf b;
    buf_init(&b, 64);
    wire_hello_encode(&(struct wire_hello){seccomp, rlimits, 0}, &b);
    send_buf(p, FRAME_HELLO, &b);
}

static void start(struct play *p, uint64_t id)
{
    struct buf b;
    buf_init(&b, 64);
    wire_start_encode(id, &b);
    send_buf(p, FRAME_START, &b);
}

static void done(struct play *p, uint64_t id, enum inspector_id inspector, uint32_t findings)
{
    struct buf b;
    buf_init(&b, 64);
    wire_done_encode(&(struct wire_done){id, inspector, findings}, &b);
    send_buf(p, FRAME_DONE, &b);
}

static void done_all(struct play *p, uint64_t id)
{
    for (int i = 0; i < INSPECTOR_COUNT; i++)
        done(p, id, (enum inspector_id)i, 0);
}

static void finish(struct play *p, uint64_t id, uint32_t findings)
{
    struct buf b;
    buf_init(&b, 64);
    wire_finish_encode(&(struct wire_finish){id, 3, 4, findings}, &b);
    send_buf(p, FRAME_FINISH, &b);
}

static void finding(struct play *p, uint64_t id)
{
    struct buf b;
    buf_init(&b, 1024);
    wire_finding_encode(id, &(struct finding){.code = FINDING_ACTIVE_BIDI}, &b);
    send_buf(p, FRAME_FINDING, &b);
}

static void whole(struct play *p, uint64_t id)
{
    start(p, id);
    done_all(p, id);
    finish(p, id, 0);
}

Test(inspect_batch, the_exact_order_and_the_end_is_a_good_one)
{
    struct play p;
    begin(&p);
    hello(&p, true, true);
    whole(&p, 1);
    start(&p, 2);
    done(&p, 2, INSPECTOR_TYPE, 0);
    finding(&p, 2);
    finding(&p, 2);
    done(&p, 2, INSPECTOR_SECRET, 2);
    done(&p, 2, INSPECTOR_ARCHIVE, 0);
    done(&p, 2, INSPECTOR_ACTIVE, 0);
    cr_assert_eq(batch_read(&p.batch), 0);
    finish(&p, 2, 2);
    cr_assert_eq(batch_read(&p.batch), 0); /* not before it has ended */
    wire_close(&p.child);
    cr_assert_eq(batch_read(&p.batch), 1);
    cr_assert_eq(p.jobs[1].result.findings.n, 2u);
    cr_assert(p.jobs[0].result.entries == 3 && p.jobs[0].result.unpacked == 4);
    end(&p);
}

static void no_hello(struct play *p)
{
    whole(p, 1);
}

static void hello_without_filter(struct play *p)
{
    hello(p, false, true);
}

static void hello_without_limits(struct play *p)
{
    hello(p, true, false);
}

static void hello_twice(struct play *p)
{
    hello(p, true, true);
    hello(p, true, true);
}

static void wrong_first(struct play *p)
{
    hello(p, true, true);
    start(p, 2);
}

static void start_twice(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    start(p, 1);
}

static void done_without_start(struct play *p)
{
    hello(p, true, true);
    done(p, 1, INSPECTOR_TYPE, 0);
}

static void done_twice(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    done(p, 1, INSPECTOR_TYPE, 0);
    done(p, 1, INSPECTOR_TYPE, 0);
}

static void done_of_nobody_asked(struct play *p)
{
    p->jobs[0].expected = 1u << INSPECTOR_TYPE;
    hello(p, true, true);
    start(p, 1);
    done(p, 1, INSPECTOR_SECRET, 0);
}

static void done_with_a_finding_too_few(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    finding(p, 1);
    done(p, 1, INSPECTOR_TYPE, 2);
}

static void done_with_a_finding_too_many(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    finding(p, 1);
    done(p, 1, INSPECTOR_TYPE, 0);
}

static void finding_behind_the_last_done(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    done_all(p, 1);
    finding(p, 1);
    finish(p, 1, 1);
}

static void finish_without_done(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    done(p, 1, INSPECTOR_TYPE, 0);
    finish(p, 1, 0);
}

static void finding_of_another(struct play *p)
{
    hello(p, true, true);
    start(p, 1);
    finding(p, 2);
}

static void more_after_the_last(struct play *p)
{
    hello(p, true, true);
    whole(p, 1);
    whole(p, 2);
    start(p, 3);
}

static void talks_like_the_program(struct play *p)
{
    struct buf b;
    hello(p, true, true);
    buf_init(&b, 64);
    buf_u32(&b, 1);
    buf_u32(&b, 0);
    send_buf(p, FRAME_EXIT, &b);
}

static void talks_like_the_broker(struct play *p)
{
    hello(p, true, true);
    cr_assert_eq(wire_send(&p->child, FRAME_END, NULL, 0, -1), 0);
}

static void extent_for_a_file(struct play *p)
{
    struct buf b;
    const struct stream_member m = {.path = "p", .path_len = 1, .length = 5, .kind = OBJECT_FILE};
    p->jobs[0].size = p->jobs[0].extents_max = 10;
    hello(p, true, true);
    start(p, 1);
    buf_init(&b, 1024);
    wire_extent_encode(1, &m, &b);
    send_buf(p, FRAME_EXTENT, &b);
}

static void (*const lies[])(struct play *p) = {
    no_hello,           hello_without_filter, hello_without_limits,        hello_twice,
    wrong_first,        start_twice,          done_without_start,          done_twice,
    done_of_nobody_asked, done_with_a_finding_too_few, done_with_a_finding_too_many, finding_behind_the_last_done,
    finish_without_done, finding_of_another,  more_after_the_last,         talks_like_the_program,
    talks_like_the_broker, extent_for_a_file,
};

Test(inspect_batch, every_other_order_ends_the_child)
{
    for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
        struct play p;
        begin(&p);
        lies[i](&p);
        cr_expect_eq(batch_read(&p.batch), -1, "lie %zu was believed", i);
        end(&p);
    }
}

Test(inspect_batch, an_early_end_is_not_a_good_one)
{
    for (int stage = 0; stage < 4; stage++) {
        struct play p;
        begin(&p);
        if (stage > 0)
            hello(&p, true, true);
        if (stage > 1)
            whole(&p, 1);
        if (stage > 2)
            start(&p, 2);
        wire_close(&p.child);
        cr_expect_eq(batch_read(&p.batch), -1, "stage %d", stage);
        end(&p);
    }
}

Test(inspect_batch, talk_does_not_buy_time)
{
    struct play p;
    begin(&p);
    p.jobs[0].deadline_ms = 1000;
    hello(&p, true, true);
    start(&p, 1);
    cr_assert_eq(batch_read(&p.batch), 0);
    int64_t deadline = p.batch.deadline;
    cr_assert(deadline > batch_now() && deadline <= batch_now() + 1000);
    usleep(5000);
    finding(&p, 1);
    done(&p, 1, INSPECTOR_TYPE, 1);
    cr_assert_eq(batch_read(&p.batch), 0);
    cr_assert_eq(p.batch.deadline, deadline);
    end(&p);
}
