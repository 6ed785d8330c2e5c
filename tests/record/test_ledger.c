/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
