/* SPDX-License-Identifier: ISC
 * JUnit XML: one suite for the contract, one case for each object. XML 1.0 has no way to write most control characters,
 * so names and messages go through say_escape() first. */
#include <string.h>

#include "base/say.h"
#include "report/report_formats.h"

static void put_text(struct buf *out, const char *text)
{
    struct buf safe;
    buf_init(&safe, 1 << 20);
    say_escape(&safe, text, strlen(text));
    for (size_t i = 0; i < safe.len; i++) {
        const char *reference = safe.data[i] == '&'    ? "&amp;"
                                : safe.data[i] == '<'  ? "&lt;"
                                : safe.data[i] == '>'  ? "&gt;"
                                : safe.data[i] == '"'  ? "&quot;"
                                : safe.data[i] == '\'' ? "&apos;"
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

static bool stands(const struct finding *f)
{
    return f->level == LEVEL_REFUSE && !f->accepted;
}

static void put_failure(struct buf *out, const struct finding *f)
{
    char code[128];
    finding_name(f, code, sizeof(code));
    buf_text(out, "<failure type=\"");
    put_text(out, code);
    buf_text(out, "\" message=\"");
    put_text(out, f->message ? f->message : finding_sentence(f->code));
    buf_text(out, "\">");
    if (f->member) {
        buf_text(out, "in ");
        put_text(out, f->member);
    }
    buf_text(out, "</failure>");
}

static void put_case(struct buf *out, const char *suite, const char *name, const struct finding_list *findings)
{
    buf_text(out, "  <testcase classname=\"");
    put_text(out, suite);
    buf_text(out, "\" name=\"");
    put_text(out, name);
    buf_text(out, "\">");
    for (size_t i = 0; i < findings->n; i++)
        if (stands(&findings->v[i]))
            put_failure(out, &findings->v[i]);
    buf_text(out, "</testcase>\n");
}

static size_t failures(const struct report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->items->n; i++)
        n += item_refused(&r->items->v[i]);
    for (size_t i = 0; i < r->whole->n; i++)
        n += stands(&r->whole->v[i]);
    return n;
}

int report_junit(const struct report *r, struct buf *out)
{
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
    put_text(out, r->contract->name);
    buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\">\n", r->items->n + 1, failures(r));
    for (size_t i = 0; i < r->items->n; i++)
        put_case(out, r->contract->name, item_shown(&r->items->v[i]), &r->items->v[i].findings);
    put_case(out, r->contract->name, "(the whole)", r->whole);
    buf_text(out, "</testsuite>\n");
    return 0;
}
