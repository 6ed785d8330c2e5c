/* SPDX-License-Identifier: ISC
 * What an agent on another host may say, and when: each deviation breaks the session, and nothing is taken of it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/item.h"
#include "engine/far_session.h"

struct talk {
    struct engine_take take;
    struct far_session s;
    size_t order[8];
};

static void begin(struct talk *t)
{
    memset(t, 0, sizeof *t);
    t->s = (struct far_session){.take = &t->take, .visited_max = 4, .order = t->order};
}

static int say_frame(struct talk *t, enum far_type type, const void *data, size_t len)
{
    struct far_frame f = {.type = type, .data = data, .len = len};
    return far_accept(&t->s, &f);
}

static int say_hello(struct talk *t, uint32_t version)
{
    uint8_t out[FAR_HELLO_BYTES];
    struct far_hello h = {.version = version, .uid = 1900000001, .memory = 5, .cpus_milli = UINT64_MAX};
    far_hello_encode(&h, out);
    return say_frame(t, FAR_HELLO, out, sizeof out);
}

static int say_end(struct talk *t, uint32_t how, uint32_t value)
{
    uint8_t out[FAR_END_BYTES];
    struct far_end e = {.how = how, .value = value};
    far_end_encode(&e, out);
    return say_frame(t, FAR_END, out, sizeof out);
}

static int say_quiet(struct talk *t, uint32_t hit)
{
    uint8_t out[FAR_QUIET_BYTES];
    struct far_quiet q = {.left = 2, .unfrozen = 16, .hit = hit, .memory_peak = 77, .cpu_ms = 3};
    far_quiet_encode(&q, out);
    return say_frame(t, FAR_QUIET, out, sizeof out);
}

static size_t make_facts(uint8_t *out, const char *path, uint64_t size, uint64_t ino)
{
    struct far_facts f = {.kind = OBJECT_FILE, .mode = 0644, .uid = 1, .gid = 2, .links = 1, .size = size, .ino = ino,
                          .mtime_ns = -5};
    far_facts_encode(&f, out);
    memcpy(out + FAR_FACTS_BYTES, path, strlen(path));
    return FAR_FACTS_BYTES + strlen(path);
}

static int say_entry(struct talk *t, const char *path, uint64_t size)
{
    uint8_t out[FAR_FACTS_BYTES + 300];
    return say_frame(t, FAR_ENTRY, out, make_facts(out, path, size, 9));
}

static int say_listed(struct talk *t, uint64_t count, uint32_t error)
{
    uint8_t out[FAR_LISTED_BYTES];
    struct far_listed l = {.count = count, .error = error};
    far_listed_encode(&l, out);
    return say_frame(t, FAR_LISTED, out, sizeof out);
}

static int say_file(struct talk *t, uint64_t size, uint64_t ino)
{
    uint8_t out[FAR_FACTS_BYTES];
    make_facts(out, "", size, ino);
    return say_frame(t, FAR_FILE, out, sizeof out);
}

static int say_done(struct talk *t, uint64_t bytes, uint32_t error)
{
    uint8_t out[FAR_DONE_BYTES];
    struct far_done d = {.bytes = bytes, .error = error};
    far_done_encode(&d, out);
    return say_frame(t, FAR_DONE, out, sizeof out);
}

/* Up to the listing. */
static void ended(struct talk *t)
{
    begin(t);
    cr_assert_eq(say_hello(t, FAR_VERSION), 0);
    far_let_go(&t->s);
    cr_assert_eq(say_end(t, FAR_EXITED, 3), 0);
    cr_assert_eq(say_quiet(t, 1), 0);
}

static void broken(struct talk *t, int rc, const char *words)
{
    cr_assert_eq(rc, -1, "%s", words);
    cr_assert_eq(t->s.phase, FAR_BROKEN);
    cr_assert(strstr(t->s.fault, words), "'%s' has no '%s'", t->s.fault, words);
    cr_assert_eq(say_hello(t, FAR_VERSION), -1); /* and nothing mends it */
    engine_take_free(&t->take);
}

Test(far_session, a_whole_one)
{
    struct talk t;
    ended(&t);
    cr_assert_eq(t.s.end.value, 3);
    cr_assert_eq(t.s.quiet.left, 2);
    cr_assert_eq(t.s.quiet.memory_peak, 77);
    cr_assert_eq(say_entry(&t, "z", 4), 0);
    cr_assert_eq(say_entry(&t, "d/a", 0), 0);
    cr_assert_eq(say_listed(&t, 2, 0), 0);
    cr_assert_str_eq(t.take.v[0].path, "d/a"); /* sorted */
    cr_assert_eq(t.take.v[1].mtime_ns, -5);
    t.order[0] = 1;
    t.order[1] = 0;
    far_asked(&t.s);
    far_asked(&t.s);
    cr_assert_eq(say_file(&t, 4, 9), 0);
    cr_assert_eq(say_frame(&t, FAR_DATA, "abcd", 4), 0);
    cr_assert_eq(say_done(&t, 4, 0), 0);
    cr_assert_eq(say_file(&t, 0, 9), 0);
    cr_assert_eq(say_done(&t, 0, 0), 0);
    cr_assert_eq(t.s.phase, FAR_LISTED_ALL);
    cr_assert(t.take.v[0].there && t.take.v[1].there);
    cr_assert_eq(t.take.v[0].offset, 4);
    engine_take_free(&t.take);
}

Test(far_session, out_of_turn)
{
    struct talk t;
    begin(&t);
    broken(&t, say_end(&t, FAR_EXITED, 0), "must not say now");
    begin(&t);
    cr_assert_eq(say_hello(&t, FAR_VERSION), 0);
    broken(&t, say_frame(&t, FAR_OUT, "x", 1), "must not say now"); /* the job was not let go */
    ended(&t);
    broken(&t, say_frame(&t, FAR_OUT, "x", 1), "must not say now"); /* it is dead */
    ended(&t);
    broken(&t, say_end(&t, FAR_EXITED, 0), "must not say now");
    ended(&t);
    cr_assert_eq(say_listed(&t, 0, 0), 0);
    broken(&t, say_file(&t, 1, 1), "must not say now"); /* nobody asked */
    ended(&t);
    cr_assert_eq(say_listed(&t, 0, 0), 0);
    broken(&t, say_entry(&t, "late", 1), "must not say now");
}

Test(far_session, values_that_no_agent_sends)
{
    struct talk t;
    begin(&t);
    broken(&t, say_hello(&t, FAR_VERSION + 1), "another version");
    begin(&t);
    cr_assert_eq(say_hello(&t, FAR_VERSION), 0);
    far_let_go(&t.s);
    broken(&t, say_end(&t, 0, 0), "an end that there is not");
    begin(&t);
    cr_assert_eq(say_hello(&t, FAR_VERSION), 0);
    far_let_go(&t.s);
    broken(&t, say_end(&t, FAR_NOT_LOWERED, CONTROL_COUNT << FAR_ERROR_BITS), "an end that there is not");
    begin(&t);
    cr_assert_eq(say_hello(&t, FAR_VERSION), 0);
    far_let_go(&t.s);
    cr_assert_eq(say_end(&t, FAR_NOT_LOWERED, far_lacks(CONTROL_CLEANUP, 38)), 0);
    cr_assert_eq(t.s.end.value, ((unsigned)CONTROL_CLEANUP << FAR_ERROR_BITS) + 38);
    begin(&t);
    cr_assert_eq(say_hello(&t, FAR_VERSION), 0);
    far_let_go(&t.s);
    cr_assert_eq(say_end(&t, FAR_SIGNALLED, 9), 0);
    broken(&t, say_quiet(&t, 1u << CONTROL_COUNT), "limits that there are not");
}

Test(far_session, names)
{
    static const char *const bad[] = {"/a", "a/", "a//b", "..", "../a", "a/..", "a/../b", ".", "./a"};
    static const char *const good[] = {"a", ".a", "...", "a/b", "\033[1m", "a/.b"};
    struct talk t;
    char longest[COMPONENT_BYTES + 2];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ended(&t);
        broken(&t, say_entry(&t, bad[i], 1), "as none can be");
    }
    ended(&t);
    broken(&t, say_entry(&t, longest, 1), "as none can be");
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        ended(&t);
        cr_assert_eq(say_entry(&t, good[i], 1), 0, "%s", good[i]);
        engine_take_free(&t.take);
    }
}

Test(far_session, listings)
{
    struct talk t;
    ended(&t);
    cr_assert_eq(say_entry(&t, "a", 1), 0);
    broken(&t, say_listed(&t, 2, 0), "counts other objects");
    ended(&t);
    broken(&t, say_listed(&t, 0, 12), "could not list");
    ended(&t);
    cr_assert_eq(say_entry(&t, "a", 1), 0);
    cr_assert_eq(say_entry(&t, "b", 1), 0);
    cr_assert_eq(say_entry(&t, "a", 1), 0);
    broken(&t, say_listed(&t, 3, 0), "named one object twice");
    ended(&t);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(say_entry(&t, (const char *[]){"a", "b", "c", "d"}[i], 1), 0);
    broken(&t, say_entry(&t, "e", 1), "limits: visited");
}

static void asked(struct talk *t)
{
    ended(t);
    cr_assert_eq(say_entry(t, "a", 4), 0);
    cr_assert_eq(say_listed(t, 1, 0), 0);
    far_asked(&t->s);
}

Test(far_session, files_that_are_not_what_was_listed)
{
    struct talk t;
    asked(&t);
    broken(&t, say_file(&t, 5, 9), "not what was listed");
    asked(&t);
    broken(&t, say_file(&t, 4, 8), "not what was listed"); /* another inode */
    asked(&t);
    cr_assert_eq(say_file(&t, 4, 9), 0);
    broken(&t, say_frame(&t, FAR_DATA, "abcde", 5), "longer");
    asked(&t);
    cr_assert_eq(say_file(&t, 4, 9), 0);
    cr_assert_eq(say_frame(&t, FAR_DATA, "abc", 3), 0);
    cr_assert_not(t.take.v[0].there);
    broken(&t, say_done(&t, 3, 0), "shorter");
    asked(&t);
    cr_assert_eq(say_file(&t, 4, 9), 0);
    cr_assert_eq(say_frame(&t, FAR_DATA, "abcd", 4), 0);
    broken(&t, say_done(&t, 4, 5), "could not read");
    asked(&t);
    broken(&t, say_done(&t, 0, 2), "could not read");
}

Test(far_session, frames)
{
    uint8_t head[FAR_HEAD + 4] = {0};
    struct far_frame f;
    far_head(head, FAR_OUT, 4);
    cr_assert_eq(far_frame(head, FAR_HEAD - 1, true, &f), 0);
    cr_assert_eq(far_frame(head, FAR_HEAD + 3, true, &f), 0);
    cr_assert_eq(far_frame(head, FAR_HEAD + 4, true, &f), FAR_HEAD + 4);
    cr_assert_eq(far_frame(head, FAR_HEAD + 4, false, &f), -1); /* not the broker's */
    far_head(head, FAR_OUT, FAR_CHUNK + 1);
    cr_assert_eq(far_frame(head, FAR_HEAD, true, &f), -1);
    far_head(head, FAR_END, 4);
    cr_assert_eq(far_frame(head, FAR_HEAD, true, &f), -1);
    far_head(head, FAR_OUT, 4);
    head[6] = 1;
    cr_assert_eq(far_frame(head, FAR_HEAD + 4, true, &f), -1);
}
