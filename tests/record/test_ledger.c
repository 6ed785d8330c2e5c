/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "record/ledger.h"

struct place {
    char path[64];
    int fd;
};

static struct place make(void)
{
    struct place p = {.path = "/tmp/sallyport-ledger-XXXXXX"};
    cr_assert_not_null(mkdtemp(p.path));
    p.fd = open(p.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_geq(p.fd, 0);
    return p;
}

static void drop(struct place *p)
{
    (void)unlinkat(p->fd, LEDGER_NAME, 0);
    (void)unlinkat(p->fd, LEDGER_PENDING, 0);
    close(p->fd);
    cr_assert_eq(rmdir(p->path), 0);
}

static void append(struct place *p, const char *id, const char *decision, uint64_t want)
{
    struct ledger_line line = {.id = id, .name = "n", .decision = decision, .time = 7};
    char head[SHA256_HEX];
    uint64_t sequence = 0;
    memset(line.tagmanifest_sha256, id[0], SHA256_SIZE);
    cr_assert_eq(ledger_append(p->fd, &line, &sequence, head), 0);
    cr_assert_eq(sequence, want);
    cr_assert_eq(strlen(head), 64);
}

Test(ledger, what_was_appended_is_read)
{
    struct place p = make();
    struct ledger ledger;
    uint8_t of_b[SHA256_SIZE];
    append(&p, "a", "promote", 1);
    append(&p, "b", "partial", 2);
    append(&p, "c", "refuse", 3);
    cr_assert_eq(ledger_load(p.fd, &ledger), 0);
    cr_assert_eq(ledger.n, 3);
    memset(of_b, 'b', sizeof(of_b));
    cr_assert_eq(ledger_of_bag(&ledger, of_b), &ledger.v[1]);
    cr_assert(ledger_id_used(&ledger, "a"));
    cr_assert(!ledger_id_used(&ledger, "c"), "a refused id may be used again");
    cr_assert(ledger_mentions(p.fd, "c"));
    cr_assert(!ledger_mentions(p.fd, "d"));
    memset(of_b, 'c', sizeof(of_b));
    cr_assert_null(ledger_of_bag(&ledger, of_b), "a refusal has no bag");
    ledger_free(&ledger);
    drop(&p);
}

Test(ledger, an_event_has_no_decision)
{
    struct place p = make();
    struct ledger ledger;
    struct ledger_line event = {.id = "a", .name = "n", .time = 8, .event = "released", .text = "to b", .keyid = "k", .signature = "s"};
    uint64_t sequence;
    char head[SHA256_HEX];
    append(&p, "a", "promote", 1);
    cr_assert_eq(ledger_append(p.fd, &event, &sequence, head), 0);
    cr_assert_eq(ledger_load(p.fd, &ledger), 0, "%s", ledger.fault);
    cr_assert_eq(ledger.n, 2);
    cr_assert_str_eq(ledger.v[1].event, "released");
    cr_assert_str_eq(ledger.v[1].text, "to b");
    ledger_free(&ledger);
    drop(&p);
}

Test(ledger, nothing_and_something_else)
{
    struct place p = make();
    struct ledger ledger;
    cr_assert_eq(ledger_load(p.fd, &ledger), -1);
    cr_assert(!ledger_mentions(p.fd, "a"));
    cr_assert_eq(mkfifoat(p.fd, LEDGER_NAME, 0600), 0);
    cr_assert_eq(ledger_load(p.fd, &ledger), 1, "a FIFO is no ledger, and nobody waits for it");
    ledger_free(&ledger);
    drop(&p);
}

Test(ledger, pending)
{
    struct place p = make();
    char name[64];
    cr_assert(!ledger_pending(p.fd, name, sizeof(name)));
    ledger_pending_set(p.fd, "n-one");
    ledger_pending_set(p.fd, "n-two");
    cr_assert(ledger_pending(p.fd, name, sizeof(name)));
    cr_assert_str_eq(name, "n-two");
    ledger_pending_clear(p.fd);
    cr_assert(!ledger_pending(p.fd, name, sizeof(name)));
    ledger_pending_set(p.fd, "../elsewhere");
    cr_assert(!ledger_pending(p.fd, name, sizeof(name)), "only a name of the destination itself");
    drop(&p);
}

static size_t size_of(const struct place *p)
{
    struct stat st;
    cr_assert_eq(fstatat(p->fd, LEDGER_NAME, &st, 0), 0);
    return (size_t)st.st_size;
}

static void cut(const struct place *p, size_t size)
{
    AUTO_FD fd = openat(p->fd, LEDGER_NAME, O_WRONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, (off_t)size), 0);
}

/* Wherever its last line was torn, the chain goes on, says so, and the lines before it are untouched. */
static void mend_at_every_byte(const struct ledger_line *last, const char *bag)
{
    char head[SHA256_HEX];
    uint64_t sequence;
    for (size_t keep = 1;; keep++) {
        struct place p = make();
        struct ledger_torn torn;
        struct ledger ledger;
        append(&p, "a", "promote", 1);
        size_t before = size_of(&p);
        cr_assert_eq(ledger_append(p.fd, last, &sequence, head), 0);
        bool whole = before + keep == size_of(&p);
        cut(&p, before + keep);
        cr_assert_eq(ledger_mend(p.fd, 9, &torn), whole ? 0 : 1, "at %zu", keep);
        if (!whole)
            cr_assert_eq(torn.sequence, 2);
        if (!whole && torn.bag[0])
            cr_assert_str_eq(torn.bag, bag);
        append(&p, "c", "promote", 3);
        cr_assert_eq(ledger_load(p.fd, &ledger), 0, "at %zu: %s", keep, ledger.fault);
        cr_assert_eq(ledger.n, 3);
        cr_assert_str_eq(ledger.v[0].id, "a");
        if (!whole)
            cr_assert_str_eq(ledger.v[1].event, LEDGER_MENDED);
        ledger_free(&ledger);
        drop(&p);
        if (whole)
            return;
    }
}

Test(ledger, a_decision_torn_at_any_byte_is_set_aside)
{
    const struct ledger_line line = {.id = "one", .name = "small", .decision = "promote", .time = 1234567};
    mend_at_every_byte(&line, "small-one");
}

Test(ledger, an_event_torn_at_any_byte_is_set_aside)
{
    char keyid[SHA256_HEX];
    memset(keyid, 'a', sizeof(keyid) - 1);
    keyid[sizeof(keyid) - 1] = '\0';
    const struct ledger_line line = {.id = "one", .name = "small", .time = 8, .event = "released", .text = "to \"b\" \\ and\nc",
                                     .keyid = keyid, .signature = "-----BEGIN\nx\n"};
    const struct ledger_line silent = {.id = "one", .name = "small", .time = 8, .event = "held", .keyid = keyid, .signature = "s"};
    mend_at_every_byte(&line, "");
    mend_at_every_byte(&silent, "");
}

Test(ledger, the_first_line_can_be_torn_too)
{
    struct place p = make();
    struct ledger_torn torn;
    struct ledger ledger;
    append(&p, "a", "promote", 1);
    cut(&p, 100);
    cr_assert_eq(ledger_mend(p.fd, 9, &torn), 1);
    cr_assert_eq(ledger_load(p.fd, &ledger), 0, "%s", ledger.fault);
    cr_assert_eq(ledger.n, 1);
    ledger_free(&ledger);
    drop(&p);
}

static void add_text(const struct place *p, const char *text, size_t len)
{
    AUTO_FD fd = openat(p->fd, LEDGER_NAME, O_WRONLY | O_APPEND | O_CLOEXEC);
    cr_assert_eq(fd_write_full(fd, text, len), 0);
}

Test(ledger, blocks_that_were_never_written_are_torn_as_well)
{
    static const char zeros[300];
    struct place p = make();
    struct ledger_torn torn;
    append(&p, "a", "promote", 1);
    add_text(&p, zeros, sizeof(zeros));
    cr_assert_eq(ledger_mend(p.fd, 9, &torn), 1);
    append(&p, "c", "promote", 3);
    drop(&p);
}

/* What no run of ours can have left is damage, and stays as it is for whoever looks into it. */
Test(ledger, what_is_no_beginning_of_a_line_is_not_touched)
{
    static const char *const tails[] = {
        "nothing", "{\"torn", "{ \"event\"", "x", "{\"content_sha256\":\"zz", "{\"content_sha256\":\"00\",\"id\"",
        "{\"content_sha256\":\"00\",\"decision\":\"promote\",\"id\":\"a\",\"name\":\"n\",\"previous\":\"00",
        "{\"content_sha256\":\"00\",\"decision\":\"promote\",\"id\":\"a\",\"name\":\"n\",\"time\":1}"};
    for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
        struct place p = make();
        struct ledger_torn torn;
        append(&p, "a", "promote", 1);
        add_text(&p, tails[i], strlen(tails[i]));
        size_t size = size_of(&p);
        cr_assert_eq(ledger_mend(p.fd, 9, &torn), -1, "%s", tails[i]);
        cr_assert_eq(errno, EILSEQ);
        cr_assert_eq(size_of(&p), size);
        drop(&p);
    }
}

Test(ledger, a_broken_chain_before_the_torn_line_is_not_touched)
{
    struct place p = make();
    struct ledger_torn torn;
    append(&p, "a", "promote", 1);
    append(&p, "b", "promote", 2);
    AUTO_FD fd = openat(p.fd, LEDGER_NAME, O_WRONLY | O_CLOEXEC);
    cr_assert_eq(pwrite(fd, "b", 1, 30), 1);
    cut(&p, size_of(&p) - 5);
    cr_assert_eq(ledger_mend(p.fd, 9, &torn), -1);
    drop(&p);
}

Test(ledger, a_line_that_does_not_fit_on_the_disk_leaves_nothing)
{
    struct place p = make();
    struct ledger ledger;
    struct ledger_line line = {.id = "b", .name = "n", .decision = "promote", .time = 7};
    char head[SHA256_HEX];
    uint64_t sequence;
    append(&p, "a", "promote", 1);
    size_t size = size_of(&p);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {size + 50, size + 50};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_assert_eq(ledger_append(p.fd, &line, &sequence, head), -1);
    cr_assert_eq(errno, EFBIG);
    cr_assert_eq(size_of(&p), size);
    cr_assert_eq(ledger_load(p.fd, &ledger), 0);
    ledger_free(&ledger);
    drop(&p);
}
