/* SPDX-License-Identifier: ISC
 * In a worker child: the weights, keyed to the harmful construct and not to its container: what 56,000 pages of
 * documentation carry without harm is silent. */
#include "inspect/page.h"

#include <string.h>

#include "inspect/markup.h"

enum weight { PASS = 0, NOTE, WARN, REFUSE };

static const struct {
    enum finding_code code;
    enum weight weight[PAGE_CONTEXTS]; /* static, local, any, prose */
    const char *message;
} acts[ACT_COUNT] = {
    [ACT_SCRIPT] = {FINDING_ACTIVE_HTML_SCRIPT, {REFUSE, NOTE, NOTE, REFUSE}, NULL},
    [ACT_HANDLER] = {FINDING_ACTIVE_HTML_HANDLER, {REFUSE, NOTE, NOTE, REFUSE}, NULL},
    [ACT_SCRIPT_URL] = {FINDING_ACTIVE_HTML_URL, {REFUSE, NOTE, NOTE, REFUSE}, "an address runs script"},
    [ACT_DOCUMENT_URL] = {FINDING_ACTIVE_HTML_URL, {REFUSE, REFUSE, NOTE, REFUSE}, "an address holds a document itself"},
    [ACT_SCHEME] = {FINDING_ACTIVE_HTML_URL,
                    {REFUSE, REFUSE, NOTE, REFUSE},
                    "an address starts a program or reads a place that pages have no business with"},
    [ACT_FILE_LINK] = {FINDING_ACTIVE_HTML_URL, {WARN, WARN, NOTE, NOTE}, "a link to a file of the reader's machine"},
    [ACT_EMBED] = {FINDING_ACTIVE_HTML_EMBED, {REFUSE, NOTE, NOTE, REFUSE}, NULL},
    [ACT_SRCDOC] = {FINDING_ACTIVE_HTML_EMBED, {REFUSE, REFUSE, NOTE, REFUSE}, "a document inside an attribute"},
    [ACT_FOREIGN] = {FINDING_ACTIVE_HTML_EMBED, {WARN, NOTE, NOTE, NOTE}, "HTML inside an SVG image (foreignObject)"},
    [ACT_REFRESH] = {FINDING_ACTIVE_HTML_REFRESH, {REFUSE, NOTE, NOTE, REFUSE}, NULL},
    [ACT_REFRESH_AWAY] = {FINDING_ACTIVE_HTML_REFRESH, {REFUSE, REFUSE, NOTE, REFUSE}, "the page redirects to another host"},
    [ACT_HEADER] = {FINDING_ACTIVE_HTML_REFRESH, {REFUSE, REFUSE, NOTE, REFUSE}, "the page sets a header by itself"},
    [ACT_BASE] = {FINDING_ACTIVE_HTML_BASE, {REFUSE, REFUSE, NOTE, REFUSE}, NULL},
    [ACT_LOAD] = {FINDING_ACTIVE_EXTERNAL_LOAD, {REFUSE, REFUSE, NOTE, REFUSE}, NULL},
};

enum page_context page_context_of(const struct inspection *in)
{
    switch (type_html_profile(in->admitted)) {
    case HTML_PROFILE_ANY:
        return PAGE_ANY;
    case HTML_PROFILE_LOCAL:
        return PAGE_LOCAL;
    case HTML_NONE:
    case HTML_PROFILE_STATIC:
        break;
    }
    return PAGE_STATIC;
}

void page_act(const struct page *page, enum page_act act, uint64_t at)
{
    enum weight weight = acts[act].weight[page->context];
    if (weight == PASS)
        return;
    tally_add(page->tally, acts[act].code, weight == REFUSE ? LEVEL_REFUSE : weight == WARN ? LEVEL_WARN : LEVEL_NOTE,
              at, acts[act].message);
}

bool page_rebases(const struct markup_attribute *a)
{
    if (!a->has_value || a->full[0] != 'x' || strcmp(a->full, "xml:base") != 0)
        return false;
    enum weburl kind = weburl_classify(a->value, a->value_len);
    return kind != WEBURL_LOCAL && kind != WEBURL_PLAIN;
}

void page_style(const struct page *page, struct bytes *bytes, uint64_t offset, uint64_t stop, bool refs)
{
    struct css css;
    enum weburl kind;
    uint64_t at;
    css_init(&css, bytes, offset, stop, refs);
    while (css_next(&css, &kind, &at)) {
        if (kind == WEBURL_OUTSIDE || kind == WEBURL_FILE)
            page_act(page, ACT_LOAD, at);
        else if (kind == WEBURL_SCRIPT)
            page_act(page, ACT_SCRIPT_URL, at);
        else if (kind == WEBURL_HANDLER)
            page_act(page, ACT_SCHEME, at);
        else if (css.import && (kind == WEBURL_DOCUMENT || kind == WEBURL_IMAGE || kind == WEBURL_SVG))
            page_act(page, ACT_DOCUMENT_URL, at);
    }
    page->tally->in->budget->work += css.work;
}
