/* SPDX-License-Identifier: ISC
 * The ledger of a destination in numbers: decisions by contract, custody events, when, and the head. Only the chain is
 * verified here; the bags are the business of verify. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/ledger.h"

/* Of one contract, or of all. */
struct count {
    const char *name; /* borrowed from the ledger */
    uint64_t promote, partial, refuse;
    int64_t first, last;
};

struct stats {
    struct count all;
    struct count *v; /* by name; owned */
    size_t n;
    uint64_t events, mended;
};

static void add(struct count *c, const struct ledger_entry *e)
{
    uint64_t *slot = strcmp(e->decision, "promote") == 0 ? &c->promote : strcmp(e->decision, "partial") == 0 ? &c->partial : &c->refuse;
    (*slot)++;
    if (!c->first)
        c->first = e->time;
    c->last = e->time;
}

static int by_name(const void *a, const void *b)
{
    const struct ledger_entry *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : (*x)->sequence < (*y)->sequence ? -1 : 1;
}

static int gather(const struct ledger *ledger, struct stats *stats)
{
    size_t n = 0;
    const struct ledger_entry **sorted = calloc(ledger->n + 1, sizeof(*sorted));
    stats->v = calloc(ledger->n + 1, sizeof(*stats->v));
    for (size_t i = 0; sorted && stats->v && i < ledger->n; i++) {
        const struct ledger_entry *e = &ledger->v[i];
        bool mended = e->event && strcmp(e->event, LEDGER_MENDED) == 0;
        stats->mended += mended;
        stats->events += e->event && !mended;
        if (e->event)
            continue;
        sorted[n++] = e;
        add(&stats->all, e);
    }
    int rc = sorted && stats->v ? 0 : -1;
    if (rc == 0 && n > 1)
        qsort(sorted, n, sizeof(*sorted), by_name);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (stats->n == 0 || strcmp(stats->v[stats->n - 1].name, sorted[i]->name) != 0)
            stats->v[stats->n++] = (struct count){.name = sorted[i]->name};
        add(&stats->v[stats->n - 1], sorted[i]);
    }
    free(sorted);
    return rc;
}

static const char *time_text(int64_t seconds, char out[32])
{
    struct tm tm;
    time_t time = (time_t)seconds;
    if (!seconds || !gmtime_r(&time, &tm) || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(out, 32, "-");
    return out;
}

static void print_count(const struct count *c, const char *name)
{
    char first[32], last[32];
    printf("  %-24s %8llu promoted %6llu in part %6llu refused   %s .. %s\n", name, (unsigned long long)c->promote,
           (unsigned long long)c->partial, (unsigned long long)c->refuse, time_text(c->first, first), time_text(c->last, last));
}

static void print_human(const char *path, const struct ledger *ledger, const struct stats *stats, const char *head)
{
    char *shown = say_name(path);
    printf("%s: %zu ledger lines, %llu custody events, %llu mended\n", shown ? shown : "?", ledger->n,
           (unsigned long long)stats->events, (unsigned long long)stats->mended);
    free(shown);
    for (size_t i = 0; i < stats->n; i++) {
        char *name = say_name(stats->v[i].name);
        print_count(&stats->v[i], name ? name : "?");
        free(name);
    }
    print_count(&stats->all, "all");
    printf("  head: %s\n", head);
}

static void put_count(struct jsonw *j, const struct count *c)
{
    char first[32], last[32];
    jsonw_object(j);
    jsonw_put_text(j, "first", c->first ? time_text(c->first, first) : NULL);
    jsonw_put_text(j, "last", c->last ? time_text(c->last, last) : NULL);
    if (c->name)
        jsonw_put_text(j, "name", c->name);
    jsonw_put_u64(j, "partial", c->partial);
    jsonw_put_u64(j, "promote", c->promote);
    jsonw_put_u64(j, "refuse", c->refuse);
    jsonw_object_end(j);
}

static int print_json(const struct ledger *ledger, const struct stats *stats, const char *head)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, 64 * MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "all");
    put_count(&j, &stats->all);
    jsonw_key(&j, "contracts");
    jsonw_array(&j);
    for (size_t i = 0; i < stats->n; i++)
        put_count(&j, &stats->v[i]);
    jsonw_array_end(&j);
    jsonw_put_u64(&j, "events", stats->events);
    jsonw_put_text(&j, "head", head);
    jsonw_put_u64(&j, "lines", ledger->n);
    jsonw_put_u64(&j, "mended", stats->mended);
    jsonw_put_text(&j, "schema", "sallyport.stats/1");
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int show(const struct args *args, const struct ledger *ledger)
{
    struct stats stats = {0};
    char head[SHA256_HEX] = "";
    int rc = gather(ledger, &stats) == 0 ? EXIT_OK : EXIT_INTERNAL;
    if (ledger->n > 0)
        hex_encode(ledger->v[ledger->n - 1].digest, SHA256_SIZE, head);
    if (rc == EXIT_OK && args->format == REPORT_JSON)
        rc = print_json(ledger, &stats, head);
    else if (rc == EXIT_OK)
        print_human(args->operands.v[0], ledger, &stats, head);
    free(stats.v);
    return rc;
}

int cmd_stats(const struct args *args)
{
    struct ledger ledger = {0};
    if (args->operands.n != 1 || (args->format_given && args->format != REPORT_JSON && args->format != REPORT_HUMAN)) {
        say("one destination is wanted, and human or json: sallyport stats DEST [--format json]");
        return EXIT_USAGE;
    }
    AUTO_FD dest = open(args->operands.v[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int loaded = dest < 0 ? -1 : ledger_load(dest, &ledger);
    int rc;
    if (loaded < 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
        line_fail("there is no ledger that can be read in", args->operands.v[0], errno);
    } else if (loaded == 1) {
        say("the ledger is damaged: %s; see sallyport verify DEST", ledger.fault);
        rc = EXIT_VERIFY;
    } else {
        rc = show(args, &ledger);
    }
    ledger_free(&ledger);
    return rc;
}
