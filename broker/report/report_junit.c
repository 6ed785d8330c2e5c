/* SPDX-License-Identifier: ISC
 * JUnit XML: one suite for the contract, one case for each object. XML 1.0 has no way to write most control characters,
 * so names and messages go through say_escape() first. */
#include <string.h>

#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

static bool stands(const struct finding *f)
{
    return f->level == LEVEL_REFUSE && !f->accepted;
}

static size_t count_standing(const struct finding_list *findings)
{
    size_t n = 0;
    for (size_t i = 0; i < findings->n; i++)
        n += stands(&findings->v[i]);
    return n;
}

static void put_code(struct buf *out, const struct finding *f)
{
    char code[128];
    finding_name(f, code, sizeof(code));
    report_markup(out, code);
}

static void put_sentence(struct buf *out, const struct finding *f)
{
    report_markup(out, f->message ? f->message : finding_sentence(f->code));
    if (f->member) {
        buf_text(out, " in ");
        report_markup(out, f->member);
    }
}

/* One failure for a case, as readers count them: the first finding in its attributes, all of them in its text. */
static void put_failure(struct buf *out, const struct finding_list *findings)
{
    bool first = true;
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding *f = &findings->v[i];
        if (!stands(f))
            continue;
        if (first) {
            buf_text(out, "<failure type=\"");
            put_code(out, f);
            buf_text(out, "\" message=\"");
            put_sentence(out, f);
            buf_text(out, "\">");
        }
        first = false;
        put_code(out, f);
        buf_text(out, ": ");
        put_sentence(out, f);
        buf_u8(out, '\n');
    }
    buf_text(out, "</failure>");
}

static void put_case(struct buf *out, const char *suite, const char *name, const struct finding_list *findings, bool skipped)
{
    buf_text(out, "  <testcase classname=\"");
    report_markup(out, suite);
    buf_text(out, "\" name=\"");
    report_markup(out, name);
    buf_text(out, "\">");
    if (count_standing(findings) > 0)
        put_failure(out, findings);
    else if (skipped)
        buf_text(out, "<skipped message=\"no output names it: it was not looked at\"/>");
    buf_text(out, "</testcase>\n");
}

static bool unlisted(const struct item *item)
{
    return strcmp(item_verdict_name(item), "unlisted") == 0;
}

int report_junit(const struct report *r, struct buf *out)
{
    size_t failures = count_standing(r->whole) > 0, skipped = 0;
    for (size_t i = 0; i < r->items->n; i++) {
        bool failed = count_standing(&r->items->v[i].findings) > 0;
        failures += failed;
        skipped += !failed && unlisted(&r->items->v[i]);
    }
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    report_markup(out, r->contract->name);
    buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n", r->items->n + 1, failures, skipped);
    for (size_t i = 0; i < r->items->n; i++)
        put_case(out, r->contract->name, item_shown(&r->items->v[i]), &r->items->v[i].findings, unlisted(&r->items->v[i]));
    put_case(out, r->contract->name, "(the whole)", r->whole, false);
    buf_text(out, "</testsuite>\n");
    return 0;
}
