/* SPDX-License-Identifier: ISC
 * SARIF 2.1.0 within what GitHub takes: every result has a location, accepted findings are left out (a suppression
 * does not stop an alert there), and there are no snippets, since they would show what a finding must not. What does not
 * fit is counted in a last result: the gravest findings come first, so that notes are cut before refusals. */
#include <stdio.h>
#include <string.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

/* What the results may hold; the rest of a result repeats and compresses to next to nothing. */
enum { RESULT_FRAME = 64 };
#define CUT_ID "sallyport/cut"

struct results {
    struct jsonw *j;
    enum finding_level level; /* of this pass */
    size_t shown, weight;
    size_t cut[LEVEL_NOTE + 1];
};

static const char *level_word(enum finding_level level)
{
    return level == LEVEL_REFUSE ? "error" : level == LEVEL_WARN ? "warning" : "note";
}

static void put_message(struct jsonw *j, const char *key, const char *text)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_put_text(j, "text", text);
    jsonw_object_end(j);
}

static void put_location(struct jsonw *j, const struct report_line *line)
{
    struct buf uri;
    buf_init(&uri, 65536);
    report_uri(&uri, line->item ? item_shown(line->item) : "contract.yaml");
    buf_u8(&uri, 0);
    jsonw_key(j, "locations");
    jsonw_array(j);
    jsonw_object(j);
    jsonw_key(j, "physicalLocation");
    jsonw_object(j);
    jsonw_key(j, "artifactLocation");
    jsonw_object(j);
    jsonw_put_text(j, "uri", uri.data ? (const char *)uri.data : "contract.yaml");
    jsonw_object_end(j);
    jsonw_key(j, "region");
    jsonw_object(j);
    jsonw_put_u64(j, "startLine", line->finding->has_line && line->finding->line ? line->finding->line : 1);
    jsonw_object_end(j);
    jsonw_object_end(j);
    jsonw_object_end(j);
    jsonw_array_end(j);
    buf_free(&uri);
}

static char *result_text(const struct report_line *line)
{
    struct buf text;
    buf_init(&text, 65536);
    buf_text(&text, line->message);
    if (line->finding->member) {
        buf_text(&text, " (in ");
        say_escape(&text, line->finding->member, strlen(line->finding->member));
        buf_u8(&text, ')');
    }
    return buf_take_text(&text);
}

static void put_fingerprint(struct jsonw *j, const char *fingerprint)
{
    jsonw_key(j, "partialFingerprints");
    jsonw_object(j);
    jsonw_put_text(j, "primaryLocationLineHash", fingerprint);
    jsonw_object_end(j);
}

/* Every byte that is this result's own counts in full, so that the compressed document stays below its bound. */
static bool fits(struct results *r, const struct report_line *line, const char *message)
{
    struct buf uri;
    buf_init(&uri, 65536);
    report_uri(&uri, line->item ? item_shown(line->item) : "contract.yaml");
    size_t weight = RESULT_FRAME + uri.len + (message ? strlen(message) : 0);
    buf_free(&uri);
    if (r->shown + 1 >= SARIF_RESULTS || r->weight + weight > SARIF_BYTES)
        return false;
    r->shown++;
    r->weight += weight;
    return true;
}

static bool put_result(void *ctx, const struct report_line *line)
{
    struct results *r = ctx;
    char fingerprint[SHA256_HEX];
    if (line->finding->level != r->level)
        return true;
    char *message = result_text(line);
    if (fits(r, line, message)) {
        report_fingerprint(line, fingerprint);
        jsonw_object(r->j);
        jsonw_put_text(r->j, "level", level_word(line->finding->level));
        put_location(r->j, line);
        put_message(r->j, "message", message);
        put_fingerprint(r->j, fingerprint);
        jsonw_put_text(r->j, "ruleId", line->code);
        jsonw_object_end(r->j);
    } else {
        r->cut[r->level]++;
    }
    free_auto(&message);
    return true;
}

/* Nothing is dropped without a word: the document itself says what it does not hold. */
static void put_cut(struct results *r)
{
    static const struct finding none = {0};
    const struct report_line whole = {.finding = &none};
    char message[400];
    snprintf(message, sizeof(message),
             "This document holds what GitHub takes (%d results, 10 MB). Left out were %zu findings that refuse, %zu warnings and "
             "%zu notes; the record holds all of them (--format json).",
             SARIF_RESULTS, r->cut[LEVEL_REFUSE], r->cut[LEVEL_WARN], r->cut[LEVEL_NOTE]);
    jsonw_object(r->j);
    jsonw_put_text(r->j, "level", r->cut[LEVEL_REFUSE] ? "error" : "warning");
    put_location(r->j, &whole);
    put_message(r->j, "message", message);
    put_fingerprint(r->j, CUT_ID);
    jsonw_put_text(r->j, "ruleId", CUT_ID);
    jsonw_object_end(r->j);
}

/* True: something was left out. */
static bool put_results(struct jsonw *j, const struct report *report)
{
    static const enum finding_level order[] = {LEVEL_REFUSE, LEVEL_WARN, LEVEL_NOTE};
    struct results results = {.j = j};
    jsonw_key(j, "results");
    jsonw_array(j);
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        results.level = order[i];
        report_each(report, false, put_result, &results);
    }
    bool cut = results.cut[LEVEL_REFUSE] || results.cut[LEVEL_WARN] || results.cut[LEVEL_NOTE];
    if (cut)
        put_cut(&results);
    jsonw_array_end(j);
    return cut;
}

struct rules {
    struct jsonw *j;
    bool seen[FINDING_COUNT];
    const struct report *report;
};

static void put_rule(struct jsonw *j, const struct report_line *line)
{
    enum finding_code code = line->finding->code;
    jsonw_object(j);
    jsonw_key(j, "defaultConfiguration");
    jsonw_object(j);
    jsonw_put_text(j, "level", level_word(finding_default_level(code)));
    jsonw_object_end(j);
    put_message(j, "fullDescription", finding_sentence(code));
    put_message(j, "help", finding_fix(code));
    jsonw_put_text(j, "id", line->code);
    put_message(j, "shortDescription", finding_sentence(code));
    jsonw_object_end(j);
}

struct first {
    const struct report_line *of;
    bool earlier;
};

static bool is_earlier(void *ctx, const struct report_line *line)
{
    struct first *first = ctx;
    if (line->index >= first->of->index)
        return false;
    first->earlier = strcmp(line->code, first->of->code) == 0;
    return !first->earlier;
}

/* A fixed code is remembered; of secrets there are many rules, and few in one report. */
static bool rule_of(void *ctx, const struct report_line *line)
{
    struct rules *rules = ctx;
    enum finding_code code = line->finding->code;
    struct first first = {.of = line};
    if (code == FINDING_SECRET)
        report_each(rules->report, false, is_earlier, &first);
    else
        first.earlier = rules->seen[code];
    rules->seen[code] = true;
    if (!first.earlier)
        put_rule(rules->j, line);
    return true;
}

static void put_cut_rule(struct jsonw *j)
{
    static const char sentence[] = "The document does not hold every finding.", fix[] = "Read the record: --format json.";
    jsonw_object(j);
    jsonw_key(j, "defaultConfiguration");
    jsonw_object(j);
    jsonw_put_text(j, "level", "error");
    jsonw_object_end(j);
    put_message(j, "fullDescription", sentence);
    put_message(j, "help", fix);
    jsonw_put_text(j, "id", CUT_ID);
    put_message(j, "shortDescription", sentence);
    jsonw_object_end(j);
}

static void put_tool(struct jsonw *j, const struct report *r, bool cut)
{
    struct rules rules = {.j = j, .report = r};
    jsonw_key(j, "tool");
    jsonw_object(j);
    jsonw_key(j, "driver");
    jsonw_object(j);
    jsonw_put_text(j, "name", "sallyport");
    jsonw_key(j, "rules");
    jsonw_array(j);
    report_each(r, false, rule_of, &rules);
    if (cut)
        put_cut_rule(j);
    jsonw_array_end(j);
    jsonw_put_text(j, "semanticVersion", r->tool_version);
    jsonw_object_end(j);
    jsonw_object_end(j);
}

int report_sarif(const struct report *r, struct buf *out)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    jsonw_key(&j, "runs");
    jsonw_array(&j);
    jsonw_object(&j);
    jsonw_put_text(&j, "columnKind", "utf16CodeUnits");
    bool cut = put_results(&j, r);
    put_tool(&j, r, cut);
    jsonw_object_end(&j);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "version", "2.1.0");
    jsonw_object_end(&j);
    buf_u8(out, '\n');
    return 0;
}
