/* SPDX-License-Identifier: ISC
 * In a worker child: XML. Entities and stylesheets of the prolog; and, where a namespace makes elements act (XHTML, SVG,
 * MathML, XSLT, XInclude), those elements. Text about markup in CDATA is inert for every reader and passes. */
#include "inspect/active_scanners.h"

#include <string.h>

#include "inspect/markup.h"
#include "inspect/page.h"
#include "inspect/xml.h"

struct document {
    struct page page;
    struct page_prefixes live;
    struct xml_texts texts;
    bool hides;    /* an attribute that matters may refer to one of them, or was not read to its end */
    bool includes; /* the XInclude namespace was seen */
    bool program;  /* the XSLT namespace was seen */
    bool rebased;  /* a base elsewhere, outside of what page_examine() looks at; harmless where nothing acts */
    uint64_t rebased_at;
};

bool active_xml_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_XML) && !claims_has(&in->claims, TYPE_SVG);
}

static bool holds(const struct markup_attribute *a, const char *text)
{
    return memmem(a->value, a->value_len, text, strlen(text)) != NULL;
}

static void add_prefix(struct page_prefixes *live, const char *prefix)
{
    for (size_t i = 0; i < live->n; i++)
        if (strncmp(live->v[i], prefix, PAGE_PREFIX) == 0)
            return;
    if (live->n == PAGE_PREFIXES) {
        live->all = true;
        return;
    }
    strncpy(live->v[live->n], prefix, PAGE_PREFIX);
    live->v[live->n++][PAGE_PREFIX] = '\0';
}

/* xmlns="..." or xmlns:p="...". */
static void look_at_namespace(struct document *doc, const struct markup_attribute *a)
{
    const char *prefix = a->full[5] == ':' ? a->full + 6 : "";
    if (holds(a, "www.w3.org/1999/xhtml") || holds(a, "www.w3.org/2000/svg") || holds(a, "www.w3.org/1998/Math/MathML"))
        add_prefix(&doc->live, prefix); /* handlers of events act in all three */
    bool program = holds(a, "www.w3.org/1999/XSL/Transform") || holds(a, "www.w3.org/TR/WD-xsl");
    doc->program = doc->program || program;
    if (program)
        tally_add(doc->page.tally, FINDING_ACTIVE_XML_STYLESHEET,
                  doc->page.context == PAGE_ANY ? LEVEL_NOTE : LEVEL_REFUSE, a->at, "an XSLT program");
    doc->includes = doc->includes || holds(a, "www.w3.org/2001/XInclude") || holds(a, "www.w3.org/2003/XInclude");
}

/* "&day;", or what may have been one, in an attribute that is read for what it does here. */
static bool may_refer(const struct markup_attribute *a)
{
    const uint8_t *p = a->value, *end = a->value + a->value_len;
    bool matters = strncmp(a->full, "xml", 3) == 0 || strstr(a->name, "href") || strlen(a->full) == MARKUP_NAME;
    for (; matters && a->has_value && (p = memchr(p, '&', (size_t)(end - p))) != NULL; p++)
        if (p + 1 < end && (ascii_letter(p[1]) || p[1] == '_' || p[1] >= 0x80))
            return true;
    return matters && a->cut;
}

/* Local and downward: a part of the same document set. */
static bool stays_near(const uint8_t *href, size_t len)
{
    return weburl_classify(href, len) == WEBURL_LOCAL && !(len > 0 && (href[0] == '/' || href[0] == '\\')) &&
           !memmem(href, len, "..", 2);
}

static void look_at_element(struct document *doc, struct markup *m, const struct markup_tag *tag)
{
    const struct markup_attribute *a;
    bool include = strcmp(tag->name, "include") == 0, near = true;
    while ((a = markup_attribute(m)) != NULL) {
        doc->hides = doc->hides || may_refer(a);
        if (strncmp(a->full, "xmlns", 5) == 0 && (a->full[5] == ':' || a->full[5] == '\0'))
            look_at_namespace(doc, a);
        else if (page_rebases(a)) {
            doc->rebased_at = doc->rebased ? doc->rebased_at : a->at;
            doc->rebased = true;
        } else if (include && strcmp(a->name, "href") == 0)
            near = stays_near(a->value, a->value_len);
        else if (a->has_value && strstr(a->name, "href") && weburl_classify(a->value, a->value_len) == WEBURL_SCRIPT)
            page_act(&doc->page, ACT_SCRIPT_URL, a->at);
    }
    if (include && doc->includes)
        tally_add(doc->page.tally, FINDING_ACTIVE_XML_ENTITY, near ? LEVEL_WARN : LEVEL_REFUSE, tag->at,
                  "includes another file (XInclude)");
}

void active_xml_scan(struct inspection *in)
{
    const struct markup_tag *tag;
    struct tally tally;
    bool latin = false;
    struct document doc = {
        .page = {.context = page_context_of(in), .tally = &tally, .latin = &latin, .exact = true}};
    tally_init(&tally, in);
    doc.page.start = xml_prolog(&doc.page, in->bytes, &doc.texts);
    struct markup *m = markup_new(in->bytes, doc.page.start, in->bytes->size, true);
    if (!m) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    m->exact = m->openings = true;
    while ((tag = markup_next(m)) != NULL)
        look_at_element(&doc, m, tag);
    in->budget->work += m->work;
    if (m->exhausted)
        inspect_find(in, FINDING_INSPECT_LIMIT, "tags within tags without end");
    markup_free(&m);
    if (doc.texts.declared && (doc.hides || doc.includes || doc.program || doc.live.n > 0))
        tally_refuse(&tally, FINDING_ACTIVE_XML_ENTITY, doc.texts.at, NULL);
    doc.page.live = &doc.live;
    if (doc.rebased && (doc.live.n > 0 || doc.includes))
        page_act(&doc.page, ACT_BASE, doc.rebased_at);
    if (doc.live.n > 0)
        page_examine(&doc.page, in->bytes);
    page_bytes(&doc.page, in);
    tally_say(&tally);
}
