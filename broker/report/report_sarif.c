/* SPDX-License-Identifier: ISC
 * SARIF 2.1.0 within what GitHub takes: every result has a location, accepted findings are left out (a suppression
 * does not stop an alert there), and there are no snippets, since they would show what a finding must not. */
#include <string.h>

#include "base/jsonw.h"
#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

/* GitHub takes 25,000 results in a run. */
enum { SARIF_RESULTS = 25000 };

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

static bool put_result(void *ctx, const struct report_line *line)
{
    struct jsonw *j = ctx;
    char fingerprint[SHA256_HEX];
    struct buf text;
    report_fingerprint(line, fingerprint);
    buf_init(&text, 65536);
    buf_text(&text, line->message);
    if (line->finding->member) {
        buf_text(&text, " (in ");
        say_escape(&text, line->finding->member, strlen(line->finding->member));
        buf_u8(&text, ')');
    }
    char *message = buf_take_text(&text);
    jsonw_object(j);
    jsonw_put_text(j, "level", level_word(line->finding->level));
    put_location(j, line);
    put_message(j, "message", message);
    jsonw_key(j, "partialFingerprints");
    jsonw_object(j);
    jsonw_put_text(j, "primaryLocationLineHash", fingerprint);
    jsonw_object_end(j);
    jsonw_put_text(j, "ruleId", line->code);
    jsonw_object_end(j);
    free_auto(&message);
    return line->index + 1 < SARIF_RESULTS;
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

static void put_tool(struct jsonw *j, const struct report *r)
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
    jsonw_key(&j, "results");
    jsonw_array(&j);
    report_each(r, false, put_result, &j);
    jsonw_array_end(&j);
    put_tool(&j, r);
    jsonw_object_end(&j);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "version", "2.1.0");
    jsonw_object_end(&j);
    buf_u8(out, '\n');
    return 0;
}
