/* SPDX-License-Identifier: ISC
 * Line formats: JSON Lines for scripts and GitHub workflow commands for annotations. */
#include <stdio.h>
#include <string.h>

#include "base/jsonw.h"
#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

/* GitHub shows ten annotations of a kind for a step; the tenth says how many there are. */
enum { GITHUB_SHOWN = 9 };

struct lines {
    const struct report *report;
    struct buf *out;
    size_t shown, more;
};

static void put_name(struct jsonw *j, const char *key, const char *name)
{
    struct buf text;
    buf_init(&text, 65536);
    say_escape(&text, name, strlen(name));
    jsonw_key(j, key);
    jsonw_text_n(j, (const char *)(text.data ? text.data : (const uint8_t *)""), text.len);
    buf_free(&text);
}

static bool jsonl_finding(void *ctx, const struct report_line *line)
{
    struct lines *l = ctx;
    struct jsonw j;
    jsonw_init(&j, l->out);
    jsonw_object(&j);
    jsonw_put_bool(&j, "accepted", line->finding->accepted);
    jsonw_put_text(&j, "code", line->code);
    jsonw_put_text(&j, "event", "finding");
    jsonw_put_text(&j, "level", finding_level_name(line->finding->level));
    if (line->finding->has_line)
        jsonw_put_u64(&j, "line", line->finding->line);
    if (line->finding->member)
        put_name(&j, "member", line->finding->member);
    jsonw_put_text(&j, "message", line->message);
    if (line->finding->has_offset)
        jsonw_put_u64(&j, "offset", line->finding->offset);
    if (line->item)
        put_name(&j, "path", item_shown(line->item));
    jsonw_object_end(&j);
    buf_u8(l->out, '\n');
    return true;
}

static void jsonl_entry(struct buf *out, const struct item *item)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "event", "entry");
    put_name(&j, "path", item_shown(item));
    jsonw_put_text(&j, "verdict", item_verdict_name(item));
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

int report_jsonl(const struct report *r, struct buf *out)
{
    struct lines lines = {.report = r, .out = out};
    struct jsonw j;
    for (size_t i = 0; i < r->items->n; i++)
        jsonl_entry(out, &r->items->v[i]);
    report_each(r, true, jsonl_finding, &lines);
    jsonw_init(&j, out);
    jsonw_object(&j);
    if (r->bag)
        put_name(&j, "bag", r->bag);
    jsonw_put_text(&j, "decision", r->decision);
    jsonw_put_text(&j, "event", "summary");
    jsonw_put_text(&j, "id", r->id);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
    return 0;
}

/* Data of a workflow command: %, CR and LF; properties also ':' and ','. */
static void command_text(struct buf *out, const char *text, bool property)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ',')))
            buf_printf(out, "%%%02X", (uint8_t)*text);
        else
            buf_u8(out, (uint8_t)*text);
    }
}

static void command_name(struct buf *out, const char *name, bool property)
{
    char *shown = say_name(name);
    command_text(out, shown ? shown : "?", property);
    free_auto(&shown);
}

static bool github_finding(void *ctx, const struct report_line *line)
{
    static const char *const words[] = {[LEVEL_REFUSE] = "error", [LEVEL_WARN] = "warning", [LEVEL_NOTE] = "notice"};
    struct lines *l = ctx;
    if (line->finding->level == LEVEL_NOTE)
        return true;
    if (l->shown >= GITHUB_SHOWN) {
        l->more++;
        return true;
    }
    l->shown++;
    buf_printf(l->out, "::%s ", words[line->finding->level]);
    if (line->item) {
        buf_text(l->out, "file=");
        command_name(l->out, item_shown(line->item), true);
        buf_printf(l->out, ",line=%u,", line->finding->has_line ? line->finding->line : 1);
    }
    buf_text(l->out, "title=");
    command_text(l->out, line->code, true);
    buf_text(l->out, "::");
    command_text(l->out, line->message, false);
    if (line->finding->member) {
        buf_text(l->out, " (in ");
        command_name(l->out, line->finding->member, false);
        buf_u8(l->out, ')');
    }
    buf_u8(l->out, '\n');
    return true;
}

int report_github(const struct report *r, struct buf *out)
{
    struct lines lines = {.report = r, .out = out};
    report_each(r, false, github_finding, &lines);
    if (lines.more)
        buf_printf(out, "::warning title=sallyport::and %zu more findings; see the report\n", lines.more);
    buf_printf(out, "::%s title=sallyport::%s %s: %s\n", strcmp(r->decision, "refuse") == 0 ? "error" : "notice",
               r->contract->name, r->id, r->decision);
    return 0;
}
