/* SPDX-License-Identifier: ISC
 * The report for people: one static page without script or external load, for light and dark, for a phone and a desk.
 * Every hostile byte goes through report_markup(). It must pass the program's own html-static profile. No state is told by
 * colour alone. Pure. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>sallyport report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d9dee4;--good:#1a7f37;"
    "--bad:#b42318;--warn:#8a5a00;--none:#6e7781;--soft:#eef1f4}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#0f1317;--card:#171c22;--fg:#e6e9ec;--dim:#9aa4ae;--line:#2d353d;"
    "--good:#4fc26b;--bad:#ff8276;--warn:#e3b341;--none:#8b949e;--soft:#20272e}}\n"
    "*{box-sizing:border-box}\n"
    "body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:74rem;"
    "padding:1.5rem 1.25rem 3rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.35rem 0;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2.2rem 0 .7rem}\n"
    "a{color:inherit}code{font-family:ui-monospace,monospace;font-size:.88em;overflow-wrap:anywhere}\n"
    ".copy{user-select:all;cursor:copy;background:var(--soft);border-radius:.3rem;padding:.1rem .35rem}\n"
    ".dim{color:var(--dim);font-size:.9rem}.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem}\n"
    ".pill{display:inline-block;border:1px solid;border-radius:1rem;padding:0 .6rem;font-size:.85rem;font-weight:600;"
    "line-height:1.5rem;white-space:nowrap}\n"
    ".verdict{font-size:1rem;line-height:1.9rem;padding:0 .9rem}\n"
    ".tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:.7rem;margin:1rem 0 .7rem}\n"
    ".tiles a{display:block;padding:.6rem .9rem;text-decoration:none;border-top:4px solid}\n"
    ".tiles b{display:block;font-size:1.6rem;line-height:1.3}.tiles span{color:var(--dim)}\n"
    ".bar{display:flex;gap:2px;height:.8rem;border-radius:.4rem;overflow:hidden;margin-bottom:1.2rem}.bar span{display:block;"
    "min-width:4px}.p{background:var(--good)}.r{background:var(--bad)}.m{background:var(--warn)}\n"
    ".promote,.pass,.enforced,.proven{color:var(--good)}.refuse,.missing,.fail{color:var(--bad)}"
    ".unlisted,.unknown,.not-asked,.note{color:var(--none)}.warn,.partial,.unenforced,.lost{color:var(--warn)}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.2rem;margin:0;padding:.9rem 1rem}dt{color:var(--dim)}"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--dim);font-weight:500;font-size:.85rem}\n"
    "th,td{border-top:1px solid var(--line);padding:.5rem 1rem .5rem 0;vertical-align:top}tr>:first-child{padding-left:1rem}\n"
    "thead th{border-top:0}tbody tr:hover{background:var(--soft)}.size{text-align:right;white-space:nowrap}\n"
    "ul{list-style:none;margin:.4rem 0 .1rem;padding:0}li{border-left:3px solid;margin:.45rem 0;padding-left:.7rem}"
    "li span,li em{color:var(--fg);font-style:normal}li .dim{color:var(--dim)}\n"
    "details{margin:.7rem 0;scroll-margin-top:1rem}summary{cursor:pointer;padding:.7rem 1rem;font-weight:600}\n"
    ".two{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem}\n"
    ".board{display:grid;grid-template-columns:7rem 1fr;gap:.1rem .8rem;align-content:start;border-top:1px solid var(--line);padding:.55rem 1rem}\n"
    ".two .board:nth-child(-n+2),.one .board:first-child{border-top:0}.board .dim{grid-column:2}\n"
    "@media(max-width:46rem){body{padding:1rem .8rem 2rem}h1{font-size:1.35rem}.tiles{grid-template-columns:1fr 1fr}"
    ".two{grid-template-columns:1fr}.two .board:nth-child(2){border-top:1px solid var(--line)}"
    "table,tbody,tr,td{display:block}thead{display:none}tr{border-top:1px solid var(--line);padding:.6rem 1rem}"
    "tbody tr:first-child{border-top:0}td,tr>:first-child{border:0;padding:.1rem 0}td:empty{display:none}td.size{text-align:left;display:inline-block;"
    "margin-right:1rem}td.type{display:inline-block}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}\n"
    "@media(min-width:70rem){.hash code{font-size:.78rem;white-space:nowrap}}\n"
    "@media print{body{background:#fff;max-width:none;padding:0}details,.board,tr{break-inside:avoid}.copy{background:none}}\n"
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

static const char *mark_of(const char *state)
{
    static const struct {
        const char *state, *mark;
    } rows[] = {{"pass", "\xe2\x9c\x93 "},     {"enforced", "\xe2\x9c\x93 "}, {"proven", "\xe2\x9c\x93 "}, {"fail", "\xe2\x9c\x97 "},
                {"missing", "\xe2\x9c\x97 "}, {"unenforced", "! "},          {"unknown", "? "}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].state, state) == 0)
            return rows[i].mark;
    return "";
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
static void put_share(struct buf *out, char kind, size_t n)
{
    if (n > 0)
        buf_printf(out, "<span class=\"%c\" style=\"flex-grow:%zu\"></span>", kind, n);
}

static void put_tile(struct buf *out, const char *anchor, const char *class, size_t n, const char *word)
{
    if (n > 0)
        buf_printf(out, "<a class=\"card %s\" href=\"#%s\"><b>%zu</b><span>%s</span></a>\n", class, anchor, n, word);
    else
        buf_printf(out, "<a class=\"card note\" href=\"#files\"><b>0</b><span>%s</span></a>\n", word);
}

static void put_tally(struct buf *out, const struct tally *t)
{
    buf_text(out, "<div class=\"tiles\">\n");
    put_tile(out, "promoted", "promote", t->promote, "promoted");
    put_tile(out, "refused", "refuse", t->refuse, "refused");
    put_tile(out, "missing", "warn", t->missing, "missing");
    put_tile(out, "unlisted", "unlisted", t->unlisted, "unlisted");
    buf_text(out, "</div>\n");
    if (t->promote + t->refuse + t->missing == 0)
        return;
    buf_printf(out, "<div class=\"bar\" role=\"img\" aria-label=\"%zu promoted, %zu refused, %zu missing\">", t->promote, t->refuse,
               t->missing);
    put_share(out, 'p', t->promote);
    put_share(out, 'r', t->refuse);
    put_share(out, 'm', t->missing);
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

static void put_time(struct buf *out, const char *term, int64_t seconds, bool day)
{
    struct tm tm;
    char text[48];
    time_t time = (time_t)seconds;
    if (seconds > 0 && gmtime_r(&time, &tm) && strftime(text, sizeof(text), day ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S UTC", &tm) > 0)
        put_row(out, term, text, false);
}

/* Who lifted a finding, where one accept alone can have done it. */
static void put_accept(struct buf *out, const struct item *item, const struct finding *f)
{
    const struct accept *by = NULL;
    for (size_t i = 0; item && item->output && i < item->output->accept_n; i++) {
        const struct accept *accept = &item->output->accept[i];
        if (accept->code != f->code || strcmp(accept->rule, f->rule) != 0)
            continue;
        if (by)
            return;
        by = accept;
    }
    if (!by)
        return;
    buf_text(out, "<br><span class=\"dim\">Accepted by ");
    report_markup(out, by->approved_by);
    buf_text(out, ": ");
    report_markup(out, by->reason);
    buf_text(out, "</span>");
}

static void put_finding(struct buf *out, const struct item *item, const struct finding *f)
{
    char code[128];
    bool refuses = f->level == LEVEL_REFUSE;
    finding_name(f, code, sizeof(code));
    buf_printf(out, "<li class=\"%s\"><code>", f->accepted ? "promote" : refuses ? "refuse" : f->level == LEVEL_WARN ? "warn" : "note");
    report_markup(out, code);
    buf_printf(out, "</code>%s <span>", f->accepted ? " (accepted)" : refuses ? "" : f->level == LEVEL_WARN ? " (warning)" : " (note)");
    report_markup(out, f->message ? f->message : finding_sentence(f->code));
    if (f->member) {
        buf_text(out, " in <code>");
        report_markup(out, f->member);
        buf_text(out, "</code>");
    }
    if (f->has_line)
        buf_printf(out, ", line %u", f->line);
    else if (f->has_offset)
        buf_printf(out, ", byte %llu", (unsigned long long)f->offset);
    buf_text(out, "</span>");
    if (f->accepted) {
        put_accept(out, item, f);
    } else {
        buf_text(out, "<br><span class=\"dim\">Fix: ");
        put_words(out, finding_fix(f->code));
        buf_text(out, "</span>");
    }
    buf_text(out, "</li>\n");
}

static void put_findings(struct buf *out, const struct item *item, const struct finding_list *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].code == FINDING_FILE_UNLISTED && list->v[i].level == LEVEL_NOTE)
            continue; /* the heading of its list says so */
        buf_text(out, shown++ ? "" : "<ul>\n");
        put_finding(out, item, &list->v[i]);
    }
    buf_text(out, shown ? "</ul>\n" : "");
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

static void put_item(struct buf *out, const struct item *item, bool digests)
{
    char size[32] = "", hex[SHA256_HEX];
    buf_text(out, "<tr><td><code>");
    report_markup(out, item_shown(item));
    buf_text(out, "</code>");
    put_findings(out, item, &item->findings);
    if (item->copied)
        say_size(item->digest.bytes, size);
    else if (item->source.known && item->source.kind == OBJECT_FILE)
        say_size(item->source.size, size);
    buf_printf(out, "</td><td class=\"size\">%s</td><td class=\"type\">", size);
    put_types(out, item);
    if (digests) {
        hex_encode(item->digest.sha256, SHA256_SIZE, hex);
        buf_printf(out, "</td><td class=\"hash\"><code class=\"copy\">%s</code>", hex);
    }
    buf_text(out, "</td></tr>\n");
}

/* One list to look through for each verdict; what needs a decision is open. */
struct group {
    const char *anchor, *verdict, *title;
    size_t n;
    bool open;
};

static void put_group(struct buf *out, const struct report *r, const struct group *g)
{
    const bool digests = strcmp(g->verdict, "promote") == 0;
    if (g->n == 0)
        return;
    buf_printf(out, "<details class=\"card\" id=\"%s\"%s><summary><span class=\"%s\">%s</span> (%zu)</summary>\n", g->anchor,
               g->open ? " open" : "", g->verdict, g->title, g->n);
    buf_printf(out, "<table><thead><tr><th>Path</th><th class=\"size\">Size</th><th>Type</th>%s</tr></thead><tbody>\n",
               digests ? "<th>SHA-256</th>" : "");
    for (size_t i = 0; i < r->items->n; i++)
        if (strcmp(item_verdict_name(&r->items->v[i]), g->verdict) == 0)
            put_item(out, &r->items->v[i], digests);
    buf_text(out, "</tbody></table></details>\n");
}

static void put_files(struct buf *out, const struct report *r, const struct tally *t)
{
    enum { FEW = 40 };
    const struct group groups[] = {
        {"refused", "refuse", "Refused", t->refuse, true},
        {"missing", "missing", "Missing", t->missing, true},
        {"promoted", "promote", strcmp(r->decision, "refuse") == 0 ? "Passed, and not published: the whole was refused" : "Promoted",
         t->promote, t->promote <= FEW},
        {"unlisted", "unlisted", "Unlisted: seen, named by no output, not copied", t->unlisted, false}};
    buf_text(out, "<h2 id=\"files\">Files</h2>\n");
    if (r->items->n == 0)
        buf_text(out, "<p class=\"dim\">The walk saw no file.</p>\n");
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        put_group(out, r, &groups[i]);
}

static void put_board(struct buf *out, const char *title, const char *layout, const struct report_row *rows, size_t n)
{
    if (n == 0)
        return;
    buf_printf(out, "<h2>%s</h2>\n<div class=\"card %s\">\n", title, layout);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "<div class=\"board\"><div><span class=\"pill %s\">%s%s</span></div><div>", rows[i].state,
                   mark_of(rows[i].state), rows[i].state);
        report_markup(out, rows[i].name);
        buf_text(out, "</div>");
        if (rows[i].detail && *rows[i].detail) {
            buf_text(out, "<div class=\"dim\">");
            report_markup(out, rows[i].detail);
            buf_text(out, "</div>");
        }
        buf_text(out, "</div>\n");
    }
    buf_text(out, "</div>\n");
}

static void put_digests(struct buf *out, const struct report *r)
{
    char hex[SHA256_HEX], command[400];
    buf_text(out, "<h2>Digests and verification</h2>\n<dl class=\"card\">\n");
    hex_encode(r->contract->sha256, SHA256_SIZE, hex);
    put_row(out, "Contract, SHA-256", hex, true);
    put_row(out, "Content of the record, SHA-256", r->content_sha256, true);
    if (!r->check && !r->failed) {
        snprintf(command, sizeof(command), "sallyport verify %s-%s --allowed-signers FILE --identity NAME", r->contract->name, r->id);
        put_row(out, "Verify", command, true);
        put_row(out, "In the bag, without sallyport", "sha256sum --strict --quiet -c tagmanifest-sha256.txt", true);
        if (strcmp(r->decision, "refuse") != 0) /* there sha256sum finds an empty list, which it calls an error */
            put_row(out, "and", "sha256sum --strict --quiet -c manifest-sha256.txt", true);
    }
    buf_text(out, "</dl>\n<p class=\"dim\">One click on a digest or a command selects all of it.</p>\n");
}

static void put_texts(struct buf *out, const char *term, const struct text_list *list)
{
    if (list->n == 0)
        return;
    buf_printf(out, "<dt>%s</dt><dd>", term);
    for (size_t i = 0; i < list->n; i++) {
        buf_text(out, i ? ", " : "");
        report_markup(out, list->v[i]);
    }
    buf_text(out, "</dd>\n");
}

static void put_pairs(struct buf *out, const char *term, const struct pair_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        buf_printf(out, "<dt>%s</dt><dd>", i ? "" : term);
        report_markup(out, list->v[i].key);
        buf_text(out, ": ");
        report_markup(out, list->v[i].value);
        buf_text(out, "</dd>\n");
    }
}

static const char *decision_words(const struct report *r)
{
    if (strcmp(r->decision, "promote") == 0)
        return r->check ? "Would be promoted" : "Promoted";
    if (strcmp(r->decision, "partial") == 0)
        return r->check ? "Would be promoted in part" : "Promoted in part";
    return r->check ? "Would be refused" : "Refused: nothing was published";
}

static void put_header(struct buf *out, const struct report *r, const struct tally *t)
{
    const struct contract *c = r->contract;
    buf_text(out, "<header>\n<div class=\"dim\">sallyport evidence report</div>\n<h1>");
    report_markup(out, c->name);
    buf_printf(out, "</h1>\n<span class=\"pill verdict %s\">%s</span>\n", r->failed ? "warn" : r->decision,
               r->failed ? "Not published: the run failed" : decision_words(r));
    put_tally(out, t);
    buf_text(out, "<dl class=\"card\">\n");
    put_row(out, "Purpose", c->purpose, false);
    put_row(out, "Id", r->id, true);
    put_time(out, "Run", r->started, false);
    put_row(out, "Source", r->source, false);
    put_row(out, "Owner", c->owner ? c->owner : "unknown: the contract names nobody", false);
    put_row(out, "Escalation", c->escalate ? c->escalate : "unknown: the contract names nobody", false);
    put_texts(out, "Not covered", &c->not_covered);
    put_pairs(out, "Risks", &c->threat);
    put_time(out, "Next review", c->review_by, true);
    put_row(out, "Contract's revision", c->revision, false);
    put_row(out, "Written by sallyport", r->tool_version, false);
    buf_text(out, "</dl>\n</header>\n");
}

int report_html(const struct report *r, struct buf *out)
{
    const struct tally t = count(r);
    buf_text(out, page_head);
    put_header(out, r, &t);
    buf_text(out, "<main>\n");
    if (r->whole->n > 0) {
        buf_text(out, "<h2>About the whole</h2>\n");
        put_findings(out, NULL, r->whole);
    }
    put_files(out, r, &t);
    put_board(out, "Scoreboard", "two", r->scores, r->scores_n);
    put_board(out, "Sandbox and inspectors", "two", r->controls, r->controls_n);
    put_digests(out, r);
    buf_text(out, "</main>\n</body>\n</html>\n");
    return 0;
}
