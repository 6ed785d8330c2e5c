/* SPDX-License-Identifier: ISC
 * For people: what was refused first, with the reason and the fix, then the totals and where the bag is. */
#include <string.h>

#include "base/say.h"
#include "report/report_formats.h"

enum { UNLISTED_SHOWN = 20 };

struct totals {
    size_t promoted, refused, missing, unlisted;
    uint64_t bytes;
};

static void paint(const struct report *r, struct buf *out, const char *color, const char *text)
{
    if (r->color)
        buf_printf(out, "\033[%sm%s\033[0m", color, text);
    else
        buf_text(out, text);
}

static void put_name(struct buf *out, const char *name)
{
    say_escape(out, name, strlen(name));
}

static void put_place(struct buf *out, const struct finding *f)
{
    if (f->member) {
        buf_text(out, " in ");
        put_name(out, f->member);
    }
    if (f->has_line)
        buf_printf(out, " at line %u", f->line);
    else if (f->has_offset)
        buf_printf(out, " at byte %llu", (unsigned long long)f->offset);
}

static void put_finding(const struct report *r, struct buf *out, const struct finding *f)
{
    char code[128];
    finding_name(f, code, sizeof(code));
    buf_text(out, "           ");
    paint(r, out, f->accepted ? "32" : f->level == LEVEL_REFUSE ? "31" : f->level == LEVEL_WARN ? "33" : "2", code);
    buf_printf(out, "%s: %s", f->accepted ? " (accepted)" : f->level == LEVEL_REFUSE ? "" : f->level == LEVEL_WARN ? " (warning)" : " (note)",
               f->message ? f->message : finding_sentence(f->code));
    put_place(out, f);
    buf_u8(out, '\n');
    if (f->level == LEVEL_REFUSE && !f->accepted)
        buf_printf(out, "             fix: %s\n", finding_fix(f->code));
}

static bool worth_a_line(const struct report *r, const struct item *item, const char *verdict, size_t unlisted)
{
    if (strcmp(verdict, "unlisted") == 0)
        return !r->quiet && (r->verbose || unlisted < UNLISTED_SHOWN);
    return !r->quiet || strcmp(verdict, "promote") != 0 || item_refused(item);
}

static void put_item(const struct report *r, struct buf *out, const struct item *item, const char *verdict)
{
    char size[32];
    const char *color = strcmp(verdict, "promote") == 0 ? "32" : strcmp(verdict, "unlisted") == 0 ? "2" : "31";
    buf_text(out, "  ");
    paint(r, out, color, verdict);
    buf_printf(out, "%*s", (int)(9 - strlen(verdict)), "");
    put_name(out, item_shown(item));
    if (item->copied) {
        say_size(item->digest.bytes, size);
        buf_printf(out, "  (%s)", size);
    }
    buf_u8(out, '\n');
    for (size_t i = 0; i < item->findings.n; i++)
        if (item->findings.v[i].code != FINDING_FILE_UNLISTED || item->findings.v[i].level == LEVEL_REFUSE)
            put_finding(r, out, &item->findings.v[i]);
}

static void count(struct totals *t, const struct item *item, const char *verdict)
{
    if (strcmp(verdict, "promote") == 0) {
        t->promoted++;
        t->bytes += item->digest.bytes;
    } else if (strcmp(verdict, "missing") == 0) {
        t->missing++;
    } else if (strcmp(verdict, "unlisted") == 0) {
        t->unlisted++;
    } else {
        t->refused++;
    }
}

static void put_decision(const struct report *r, struct buf *out)
{
    const char *word = "REFUSED: nothing was published";
    const char *color = "1;31";
    if (r->failed) {
        word = "NOT PUBLISHED: see the message";
    } else if (strcmp(r->decision, "promote") == 0) {
        word = r->check ? "would be promoted" : r->already ? "already promoted" : "promoted";
        color = "1;32";
    } else if (strcmp(r->decision, "partial") == 0) {
        word = r->check ? "would be promoted in part" : "promoted in part";
        color = "1;33";
    } else if (r->check) {
        word = "would be REFUSED";
    }
    buf_printf(out, "%s %s: ", r->contract->name, r->id);
    paint(r, out, color, word);
    buf_u8(out, '\n');
}

static void put_items(const struct report *r, struct buf *out, struct totals *t)
{
    for (size_t i = 0; i < r->items->n; i++) {
        const struct item *item = &r->items->v[i];
        const char *verdict = item_verdict_name(item);
        if (worth_a_line(r, item, verdict, t->unlisted))
            put_item(r, out, item, verdict);
        count(t, item, verdict);
    }
    if (!r->quiet && !r->verbose && t->unlisted > UNLISTED_SHOWN)
        buf_printf(out, "  unlisted %zu more (-v shows all)\n", t->unlisted - UNLISTED_SHOWN);
}

static void put_path(struct buf *out, const char *what, const char *path)
{
    if (!path)
        return;
    buf_printf(out, "  %s: ", what);
    put_name(out, path);
    buf_u8(out, '\n');
}

int report_human(const struct report *r, struct buf *out)
{
    struct totals t = {0};
    char size[32];
    put_decision(r, out);
    put_items(r, out, &t);
    if (r->whole->n > 0)
        buf_text(out, "  the whole\n");
    for (size_t i = 0; i < r->whole->n; i++)
        put_finding(r, out, &r->whole->v[i]);
    say_size(t.bytes, size);
    buf_printf(out, "  %zu %s (%s), %zu refused, %zu missing, %zu unlisted\n", t.promoted,
               strcmp(r->decision, "refuse") == 0 || r->check || r->failed ? "passed" : "promoted", size, t.refused, t.missing, t.unlisted);
    put_path(out, "bag", r->bag);
    put_path(out, "files", r->tree);
    if (r->head)
        buf_printf(out, "  ledger head: %s\n", r->head);
    return 0;
}
