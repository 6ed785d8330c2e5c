/* SPDX-License-Identifier: ISC */
#include "collect/collect_ahead.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/limits.h"
#include "tests/collect/scratch.h"

enum { FILES = 3 * COPY_AHEAD };

static struct scratch s;
static struct root root;
static struct copy_job job;
static struct copy_ahead *ahead;
static struct output output;
static struct item items[FILES];
static int staged[FILES];

static void setup(void)
{
    s = scratch_new();
    cr_assert_eq(root_open(&root, s.path, RESOLVE_UNPROBED), 0);
    scratch_dir(&s, "staged");
    job = (struct copy_job){.root = &root};
    for (size_t i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof(name), "f%zu", i);
        items[i] = (struct item){.path = strdup(name), .output = &output, .fd = -1, .staged = -1};
        snprintf(name, sizeof(name), "staged/%zu", i);
        staged[i] = openat(s.fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        cr_assert_geq(staged[i], 0);
    }
    ahead = copy_ahead_begin(&job, COPY_THREADS);
    cr_assert_not_null(ahead);
}

static void teardown(void)
{
    copy_ahead_end(&ahead);
    cr_assert_null(ahead);
    for (size_t i = 0; i < FILES; i++) {
        item_clear(&items[i]);
        close(staged[i]);
    }
    root_close(&root);
    scratch_free(&s);
}

TestSuite(collect_ahead, .init = setup, .fini = teardown, .timeout = 60);

/* No two files have the same bytes; some are larger than a block. */
static size_t text_of(size_t i, char *text, size_t size)
{
    size_t len = i % 16 == 5 ? size : 1 + i * 7;
    for (size_t at = 0; at < len; at++)
        text[at] = (char)('a' + (at + i) % 26);
    return len;
}

static void put(size_t i, char *text, size_t size)
{
    char name[32];
    snprintf(name, sizeof(name), "f%zu", i);
    scratch_put(&s, name, text, text_of(i, text, size));
}

static void expect_copy(size_t i, char *text, size_t size)
{
    uint8_t expected[SHA256_SIZE];
    size_t len = text_of(i, text, size);
    AUTO_FREE char *have = malloc(size + 1);
    sha256_bytes(text, len, expected);
    cr_assert(items[i].copied, "file %zu", i);
    cr_assert(sha256_equal(expected, items[i].digest.sha256), "file %zu", i);
    cr_assert_eq(pread(staged[i], have, size + 1, 0), (ssize_t)len, "file %zu", i);
    cr_assert_eq(memcmp(have, text, len), 0, "file %zu", i);
}

static struct copy_order order_of(size_t i)
{
    return (struct copy_order){.item = &items[i], .staged = staged[i], .max = MIB, .total_left = GIB};
}

/* Waits for one that must come. */
static size_t take(int result)
{
    struct copy_order order;
    unsigned tries = 0;
    while (!copy_ahead_take(ahead, COPY_AHEAD_WAIT_MS, &order))
        cr_assert_lt(tries++, 2000u, "nothing came");
    size_t i = (size_t)(order.item - items);
    cr_assert_lt(i, (size_t)FILES);
    cr_assert_eq(order.result, result, "file %zu: %d", i, order.result);
    return i;
}

Test(collect_ahead, every_file_comes_back_once_with_its_own_bytes)
{
    size_t size = 2 * COPY_BLOCK, given = 0, taken = 0;
    AUTO_FREE char *text = malloc(size);
    bool seen[FILES] = {false};
    for (size_t i = 0; i < FILES; i++)
        put(i, text, size);
    while (taken < FILES) {
        while (given < FILES && copy_ahead_room(ahead)) {
            struct copy_order order = order_of(given++);
            copy_ahead_give(ahead, &order);
        }
        cr_assert_leq(copy_ahead_pending(ahead), (size_t)COPY_AHEAD);
        size_t i = take(0);
        cr_assert_not(seen[i], "file %zu came twice", i);
        seen[i] = true;
        taken++;
        expect_copy(i, text, size);
    }
    struct copy_order order;
    cr_assert_eq(copy_ahead_pending(ahead), 0u);
    cr_assert_not(copy_ahead_take(ahead, 1, &order));
}

Test(collect_ahead, a_single_small_file_is_not_held_back)
{
    char text[64];
    put(0, text, sizeof(text));
    struct copy_order order = order_of(0);
    copy_ahead_give(ahead, &order);
    cr_assert_eq(take(0), 0u);
    expect_copy(0, text, sizeof(text));
}

Test(collect_ahead, bounds_and_refusals_are_each_files_own)
{
    char text[64];
    put(1, text, sizeof(text));
    put(2, text, sizeof(text));
    put(3, text, sizeof(text));
    cr_assert_eq(symlinkat("f1", s.fd, "f4"), 0);
    struct copy_order orders[] = {order_of(1), order_of(2), order_of(3), order_of(4)};
    orders[1].max = 1;
    orders[2].total_left = 1;
    for (size_t i = 0; i < ARRAY_LEN(orders); i++)
        copy_ahead_give(ahead, &orders[i]);
    for (size_t n = 0; n < ARRAY_LEN(orders); n++) {
        struct copy_order order;
        while (!copy_ahead_take(ahead, COPY_AHEAD_WAIT_MS, &order))
            ;
        cr_assert_eq(order.result, order.item == &items[1] ? 0 : 1);
    }
    cr_assert(items[1].copied);
    cr_assert_eq(items[2].findings.v[0].code, FINDING_FILE_TOO_LARGE);
    cr_assert_eq(items[3].findings.v[0].code, FINDING_FILE_TOO_LARGE);
    cr_assert_str_eq(items[3].findings.v[0].message, "`limits: total` is exhausted, in path order");
    cr_assert_eq(items[4].findings.v[0].code, FINDING_FILE_SYMLINK);
}

Test(collect_ahead, an_error_of_our_own_side_comes_with_its_number)
{
    char text[64];
    put(0, text, sizeof(text));
    struct copy_order order = order_of(0), back;
    order.staged = open("/dev/full", O_RDWR | O_CLOEXEC);
    cr_assert_geq(order.staged, 0);
    copy_ahead_give(ahead, &order);
    while (!copy_ahead_take(ahead, COPY_AHEAD_WAIT_MS, &back))
        ;
    cr_assert_eq(back.result, -1);
    cr_assert_eq(back.error, ENOSPC);
    close(order.staged);
}

/* What was given and not begun is nobody's any more once the end returned. */
Test(collect_ahead, the_end_waits_for_nothing_that_was_not_begun)
{
    size_t size = 2 * COPY_BLOCK, copied = 0;
    AUTO_FREE char *text = malloc(size);
    for (size_t i = 0; i < COPY_AHEAD; i++) {
        put(i, text, size);
        struct copy_order order = order_of(i);
        copy_ahead_give(ahead, &order);
    }
    copy_ahead_end(&ahead);
    for (size_t i = 0; i < COPY_AHEAD; i++)
        if (items[i].copied) {
            copied++;
            expect_copy(i, text, size);
        }
    cr_assert_leq(copied, (size_t)COPY_AHEAD);
}

/* A signal to the process must reach the thread that looks at it. */
Test(collect_ahead, signals_stay_with_the_caller)
{
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    cr_assert_eq(sigprocmask(SIG_BLOCK, &usr1, NULL), 0);
    cr_assert_eq(kill(getpid(), SIGUSR1), 0); /* would end the process if a thread took it */
    struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
    cr_assert_eq(nanosleep(&moment, NULL), 0);
    cr_assert_eq(sigtimedwait(&usr1, NULL, &moment), SIGUSR1);
}
