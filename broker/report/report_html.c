/* SPDX-License-Identifier: ISC
 * The report for people: one static page without script or external load, for light and dark, for a phone and a desk.
 * Every hostile byte goes through put_text(). It must pass the program's own html-static profile. */
#include <string.h>

#include "base/say.h"
#include "report/report_formats.h"

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sallyport report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--dim:#5c636b;--line:#d8dce0;--good:#1a7f37;--bad:#b42318;"
    "--warn:#8a5a00}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e8ea;--dim:#9aa3ab;--line:#343a40;--good:#56c271;"
    "--bad:#ff7b6e;--warn:#e2b04a}}\n"
    "body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:64rem;"
    "padding:1rem}\n"
    "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\n"
    "code{font-family:ui-monospace,monospace;font-size:.86em;overflow-wrap:anywhere}\n"
    ".bar{display:flex;height:.9rem;border-radius:.3rem;overflow:hidden;background:var(--line)}\n"
    ".bar span{display:block}.p{background:var(--good)}.r{background:var(--bad)}.m{background:var(--warn)}\n"
    ".promote{color:var(--good)}.refuse,.missing{color:var(--bad)}.unlisted{color:var(--dim)}.warn{color:var(--warn)}\n"
    "article{border-top:1px solid var(--line);padding:.6rem 0}\n"
    "article p{margin:.2rem 0}.dim{color:var(--dim);font-size:.9em}ul{margin:.3rem 0;padding-left:1.2rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--dim)}dd{margin:0;"
    "overflow-wrap:anywhere}\n</style>\n</head>\n<body>\n";

static void put_text(struct buf *out, const char *text)
{
    struct buf safe;
    buf_init(&safe, 1 << 20);
    say_escape(&safe, text, strlen(text));
    for (size_t i = 0; i < safe.len; i++) {
        const char *reference = safe.data[i] == '&'   ? "&amp;"
                                : safe.data[i] == '<' ? "&lt;"
                                : safe.data[i] == '>' ? "&gt;"
                                : safe.data[i] == '"' ? "&quot;"
                                                      : NULL;
        if (reference)
            buf_text(out, reference);
        else
            buf_u8(out, safe.data[i]);
    }
    if (safe.failed)
        out->failed = true;
    buf_free(&safe);
}

struct tally {
    size_t promote, refuse, missing, unlisted;
};

static struct tally count(const struct report *r)
{
    struct tally t = {0};
    for (size_t i = 0; i < r->items->n; i++) {
        const char *verdict = item_verdict_name(&r->items->v[i]);
        size_t *slot = *verdict == 'p' ? &t.promote : *verdict == 'r' ? &t.refuse : *verdict == 'm' ? &t.missing : &t.unlisted;
        (*slot)++;
    }
    return t;
}

static void put_bar(struct buf *out, const struct tally *t)
{
    size_t all = t->promote + t->refuse + t->missing;
    if (all == 0)
        return;
    buf_text(out, "<div class=\"bar\" role=\"img\" aria-label=\"share of what was promoted, refused and missing\">");
    buf_printf(out, "<span class=\"p\" style=\"width:%zu%%\"></span>", t->promote * 100 / all);
    buf_printf(out, "<span class=\"r\" style=\"width:%zu%%\"></span>", t->refuse * 100 / all);
    buf_printf(out, "<span class=\"m\" style=\"width:%zu%%\"></span></div>\n", t->missing * 100 / all);
    buf_printf(out, "<p class=\"dim\">%zu promoted, %zu refused, %zu missing, %zu unlisted</p>\n", t->promote, t->refuse,
               t->missing, t->unlisted);
}

static void put_row(struct buf *out, const char *term, const char *text)
{
    if (!text || !*text)
        return;
    buf_printf(out, "<dt>%s</dt><dd>", term);
    put_text(out, text);
    buf_text(out, "</dd>");
}

static void put_finding(struct buf *out, const struct finding *f)
{
    char code[128];
    finding_name(f, code, sizeof(code));
    buf_printf(out, "<li><code class=\"%s\">", f->accepted ? "promote" : f->level == LEVEL_REFUSE ? "refuse" : "warn");
    put_text(out, code);
    buf_printf(out, "</code>%s ", f->accepted ? " (accepted)" : f->level == LEVEL_NOTE ? " (note)" : "");
    put_text(out, f->message ? f->message : finding_sentence(f->code));
    if (f->member) {
        buf_text(out, " in <code>");
        put_text(out, f->member);
        buf_text(out, "</code>");
    }
    if (f->has_line)
        buf_printf(out, ", line %u", f->line);
    buf_text(out, "<br><span class=\"dim\">Fix: ");
    put_text(out, finding_fix(f->code));
    buf_text(out, "</span></li>\n");
}

static void put_findings(struct buf *out, const struct finding_list *list)
{
    if (list->n == 0)
        return;
    buf_text(out, "<ul>\n");
    for (size_t i = 0; i < list->n; i++)
        put_finding(out, &list->v[i]);
    buf_text(out, "</ul>\n");
}

static void put_item(struct buf *out, const struct item *item)
{
    char size[32], hex[SHA256_HEX];
    const char *verdict = item_verdict_name(item);
    buf_printf(out, "<article><p><b class=\"%s\">%s</b> <code>", verdict, verdict);
    put_text(out, item_shown(item));
    buf_text(out, "</code></p>\n");
    if (item->copied) {
        say_size(item->digest.bytes, size);
        buf_printf(out, "<p class=\"dim\">%s", size);
        if (item->verdict.outcome == OUTCOME_PROMOTE) {
            hex_encode(item->digest.sha256, SHA256_SIZE, hex);
            buf_printf(out, ", sha256 <code>%s</code>", hex);
        }
        buf_text(out, "</p>\n");
    }
    put_findings(out, &item->findings);
    buf_text(out, "</article>\n");
}

int report_html(const struct report *r, struct buf *out)
{
    const struct tally t = count(r);
    buf_text(out, page_head);
    buf_text(out, "<h1>");
    put_text(out, r->contract->name);
    buf_printf(out, ": <span class=\"%s\">%s</span></h1>\n", strcmp(r->decision, "refuse") == 0 ? "refuse" : "promote",
               r->decision);
    put_bar(out, &t);
    buf_text(out, "<dl>");
    put_row(out, "Id", r->id);
    put_row(out, "Purpose", r->contract->purpose);
    put_row(out, "Owner", r->contract->owner);
    put_row(out, "Escalation", r->contract->escalate);
    put_row(out, "Made by", r->tool_version);
    buf_text(out, "</dl>\n<h2>What was seen</h2>\n");
    for (size_t i = 0; i < r->items->n; i++)
        put_item(out, &r->items->v[i]);
    if (r->whole->n > 0) {
        buf_text(out, "<h2>On the whole</h2>\n");
        put_findings(out, r->whole);
    }
    buf_text(out, "<p class=\"dim\">Check this bag with stock tools: <code>sha256sum --strict -c manifest-sha256.txt "
                  "tagmanifest-sha256.txt</code></p>\n</body>\n</html>\n");
    return 0;
}
