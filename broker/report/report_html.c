/* SPDX-License-Identifier: ISC
 * The report for people: one static page without script or external load, for light and dark, for a phone and a desk.
 * Every hostile byte goes through report_markup(). It must pass the program's own html-static profile. Pure. */
#include <string.h>

#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sallyport report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--dim:#5c636b;--line:#d8dce0;--card:#f5f6f8;--good:#1a7f37;"
    "--bad:#b42318;--warn:#8a5a00}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e8ea;--dim:#9aa3ab;--line:#343a40;--card:#1d2226;"
    "--good:#56c271;--bad:#ff7b6e;--warn:#e2b04a}}\n"
    "*{box-sizing:border-box}\n"
    "body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:76rem;"
    "padding:1rem}\n"
    "h1{font-size:1.5rem;margin:.3rem 0}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "code{font-family:ui-monospace,monospace;font-size:.86em;overflow-wrap:anywhere}.copy{user-select:all}\n"
    ".bar{display:flex;height:.9rem;border-radius:.3rem;overflow:hidden;background:var(--line)}\n"
    ".bar span{display:block}.p{background:var(--good)}.r{background:var(--bad)}.m{background:var(--warn)}\n"
    ".promote,.pass,.enforced,.proven{color:var(--good)}.refuse,.missing,.fail{color:var(--bad)}"
    ".unlisted,.unknown,.not-asked{color:var(--dim)}.warn,.partial,.unenforced{color:var(--warn)}\n"
    ".state{font-weight:600;white-space:nowrap}.dim{color:var(--dim);font-size:.9em}\n"
    "table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--dim);font-weight:500;font-size:.9em}\n"
    "th,td{border-top:1px solid var(--line);padding:.45rem .7rem .45rem 0;vertical-align:top}\n"
    "td.size{white-space:nowrap;text-align:right}td.path{min-width:12rem}\n"
    "ul{margin:.3rem 0;padding-left:1.2rem}li{margin:.3rem 0}\n"
    "details{border:1px solid var(--line);border-radius:.5rem;margin:.7rem 0;padding:0 .9rem;background:var(--card)}\n"
    "summary{cursor:pointer;padding:.6rem 0;font-weight:600}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--dim)}dd{margin:0;"
    "overflow-wrap:anywhere}\n"
    "@media(max-width:44rem){body{padding:.7rem}table,tbody,tr,td{display:block}thead{display:none}"
    "tr{border-top:1px solid var(--line);padding:.5rem 0}td{border:0;padding:.1rem 0}td.size{text-align:left}"
    "dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}\n"
    "</style>\n</head>\n<body>\n";

/* A sentence of our own, in which `words` are code. */
static void put_words(struct buf *out, const char *sentence)
{
    for (bool code = false; *sentence; code = !code) {
        size_t n = strcspn(sentence, "`");
        char part[256];
        if (n >= sizeof(part))
            n = sizeof(part) - 1;
        memcpy(part, sentence, n);
        part[n] = '\0';
        buf_text(out, code ? "<code>" : "");
        report_markup(out, part);
        buf_text(out, code ? "</code>" : "");
        sentence += n + (sentence[n] == '`');
    }
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

/* Something that is there is never drawn as nothing. */
static void put_share(struct buf *out, char kind, size_t n, size_t all)
{
    if (n > 0)
        buf_printf(out, "<span class=\"%c\" style=\"width:%zu%%\"></span>", kind, n * 100 / all ? n * 100 / all : 1);
}

static void put_bar(struct buf *out, const struct tally *t)
{
    size_t all = t->promote + t->refuse + t->missing;
    if (all == 0)
        return;
    buf_text(out, "<div class=\"bar\" role=\"img\" aria-label=\"share of what was promoted, refused and missing\">");
    put_share(out, 'p', t->promote, all);
    put_share(out, 'r', t->refuse, all);
    put_share(out, 'm', t->missing, all);
    buf_text(out, "</div>\n");
}

static void put_row(struct buf *out, const char *term, const char *text, bool code)
{
    if (!text || !*text)
        return;
    buf_printf(out, "<dt>%s</dt><dd>%s", term, code ? "<code class=\"copy\">" : "");
    report_markup(out, text);
    buf_text(out, code ? "</code></dd>\n" : "</dd>\n");
}

static void put_finding(struct buf *out, const struct finding *f)
{
    char code[128];
    finding_name(f, code, sizeof(code));
    buf_printf(out, "<li><code class=\"%s\">", f->accepted ? "promote" : f->level == LEVEL_REFUSE ? "refuse" : "warn");
    report_markup(out, code);
    buf_printf(out, "</code>%s ", f->accepted ? " (accepted)" : f->level == LEVEL_NOTE ? " (note)" : "");
    report_markup(out, f->message ? f->message : finding_sentence(f->code));
    if (f->member) {
        buf_text(out, " in <code>");
        report_markup(out, f->member);
        buf_text(out, "</code>");
    }
    if (f->has_line)
        buf_printf(out, ", line %u", f->line);
    buf_text(out, "<br><span class=\"dim\">Fix: ");
    put_words(out, finding_fix(f->code));
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

static void put_types(struct buf *out, const struct item *item)
{
    const char *between = "";
    for (int t = TYPE_NONE + 1; item->copied && t < TYPE_COUNT; t++) {
        if (!claims_by_content(&item->claims, (enum type)t))
            continue;
        buf_text(out, between);
        report_markup(out, type_name((enum type)t));
        between = ", ";
    }
}

static void put_item(struct buf *out, const struct item *item)
{
    char size[32] = "", hex[SHA256_HEX];
    buf_text(out, "<tr><td class=\"path\"><code>");
    report_markup(out, item_shown(item));
    buf_text(out, "</code>");
    put_findings(out, &item->findings);
    if (item->copied)
        say_size(item->digest.bytes, size);
    else if (item->source.known && item->source.kind == OBJECT_FILE)
        say_size(item->source.size, size);
    buf_printf(out, "</td><td class=\"size\">%s</td><td>", size);
    put_types(out, item);
    buf_text(out, "</td><td>");
    if (item->copied && item->verdict.outcome == OUTCOME_PROMOTE) {
        hex_encode(item->digest.sha256, SHA256_SIZE, hex);
        buf_printf(out, "<code class=\"copy\">%s</code>", hex);
    }
    buf_text(out, "</td></tr>\n");
}

/* One list to look through for each verdict; what needs a decision is open. */
static void put_group(struct buf *out, const struct report *r, const char *verdict, const char *title, size_t n, bool open)
{
    if (n == 0)
        return;
    buf_printf(out, "<details%s><summary><span class=\"%s\">%s</span> (%zu)</summary>\n", open ? " open" : "", verdict, title, n);
    buf_text(out, "<table><thead><tr><th>Path</th><th>Size</th><th>Type</th><th>SHA-256</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->items->n; i++)
        if (strcmp(item_verdict_name(&r->items->v[i]), verdict) == 0)
            put_item(out, &r->items->v[i]);
    buf_text(out, "</tbody></table></details>\n");
}

static void put_files(struct buf *out, const struct report *r, const struct tally *t)
{
    enum { FEW = 40 };
    buf_text(out, "<h2>Files</h2>\n");
    put_group(out, r, "refuse", "Refused", t->refuse, true);
    put_group(out, r, "missing", "Missing", t->missing, true);
    put_group(out, r, "promote", "Promoted", t->promote, t->promote <= FEW);
    put_group(out, r, "unlisted", "Unlisted: seen, named by no output, not copied", t->unlisted, false);
}

static void put_rows(struct buf *out, const char *title, const struct report_row *rows, size_t n, const char *last)
{
    if (n == 0)
        return;
    buf_printf(out, "<h2>%s</h2>\n<table><thead><tr><th>State</th><th>What</th><th>%s</th></tr></thead><tbody>\n", title, last);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "<tr><td class=\"state %s\">%s</td><td>", rows[i].state, rows[i].state);
        report_markup(out, rows[i].name);
        buf_text(out, "</td><td class=\"dim\">");
        report_markup(out, rows[i].detail ? rows[i].detail : "");
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</tbody></table>\n");
}

static void put_digests(struct buf *out, const struct report *r)
{
    char hex[SHA256_HEX];
    buf_text(out, "<h2>Digests and verification</h2>\n<dl>\n");
    hex_encode(r->contract->sha256, SHA256_SIZE, hex);
    put_row(out, "Contract, SHA-256", hex, true);
    put_row(out, "Content of the record, SHA-256", r->content_sha256, true);
    put_row(out, "Verify the bag", "sallyport verify BAG --allowed-signers FILE --identity NAME", true);
    put_row(out, "Without sallyport", "sha256sum --strict --quiet -c tagmanifest-sha256.txt && "
            "sha256sum --strict --quiet -c manifest-sha256.txt", true);
    buf_text(out, "</dl>\n");
}

static void put_header(struct buf *out, const struct report *r, const struct tally *t)
{
    buf_printf(out, "<h1><span class=\"%s\">%s</span> ", r->decision,
               r->decision[0] == 'r' ? "Refused:" : strcmp(r->decision, "partial") == 0 ? "Promoted in part:" : "Promoted:");
    report_markup(out, r->contract->name);
    buf_text(out, "</h1>\n");
    put_bar(out, t);
    buf_printf(out, "<p class=\"dim\">%zu promoted, %zu refused, %zu missing, %zu unlisted</p>\n<dl>\n", t->promote, t->refuse,
               t->missing, t->unlisted);
    put_row(out, "Id", r->id, true);
    put_row(out, "Purpose", r->contract->purpose, false);
    put_row(out, "Owner", r->contract->owner, false);
    put_row(out, "Escalation", r->contract->escalate, false);
    put_row(out, "Revision", r->contract->revision, false);
    put_row(out, "Written by sallyport", r->tool_version, false);
    buf_text(out, "</dl>\n");
}

int report_html(const struct report *r, struct buf *out)
{
    const struct tally t = count(r);
    buf_text(out, page_head);
    put_header(out, r, &t);
    if (r->whole->n > 0) {
        buf_text(out, "<h2>About the whole</h2>\n");
        put_findings(out, r->whole);
    }
    put_files(out, r, &t);
    put_rows(out, "Scoreboard", r->scores, r->scores_n, "Evidence in the record");
    put_rows(out, "Sandbox and inspectors", r->controls, r->controls_n, "How");
    put_digests(out, r);
    buf_text(out, "</body>\n</html>\n");
    return 0;
}
