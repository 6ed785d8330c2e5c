/* SPDX-License-Identifier: ISC
 * In a worker child: the prolog of hostile XML. A DOCTYPE that names a well-known DTD is what coverage and plist files
 * carry and passes; one that has a reader fetch another, or declares attributes or entities that may act, refuses. */
#include "inspect/xml.h"

#include <string.h>

#include "inspect/markup.h"

enum { INSTRUCTION_BYTES = 4096, DTD_BYTES = 512 };

/* The value of a pseudo-attribute inside the text of an instruction; false: it has none. Decodes it in place. */
static bool pseudo_attribute(uint8_t *text, size_t len, const char *name, const uint8_t **value, size_t *value_len)
{
    size_t n = strlen(name);
    for (size_t i = 0; i + n < len; i++) {
        if (memcmp(text + i, name, n) != 0 || (i > 0 && !ascii_space(text[i - 1])))
            continue;
        size_t at = i + n;
        while (at < len && (ascii_space(text[at]) || text[at] == '='))
            at++;
        if (at >= len || (text[at] != '"' && text[at] != '\''))
            continue;
        uint8_t *end = memchr(text + at + 1, text[at], len - at - 1);
        if (!end)
            return false;
        *value = text + at + 1;
        *value_len = charref_decode(text + at + 1, (size_t)(end - (text + at + 1)));
        return true;
    }
    return false;
}

static bool local_css(const uint8_t *href, size_t len)
{
    size_t end = 0;
    while (end < len && href[end] != '?' && href[end] != '#')
        end++;
    return weburl_classify(href, len) == WEBURL_LOCAL && end > 4 && memcmp(href + end - 4, ".css", 4) == 0;
}

/* Behind "<?". */
static void instruction(const struct page *page, struct scan *s)
{
    static const char style[] = "xml-stylesheet";
    uint8_t text[INSTRUCTION_BYTES];
    uint64_t at = scan_offset(s);
    size_t len;
    const uint8_t *p = scan_view(s, sizeof(text), &len), *value;
    len = len < sizeof(text) ? len : sizeof(text);
    const uint8_t *end = len > 0 ? memmem(p, len, "?>", 2) : NULL;
    len = end ? (size_t)(end - p) : len;
    memcpy(text, p, len);
    size_t value_len = 0;
    if (len > 4 && memcmp(text, "xml", 3) == 0 && ascii_space(text[3])) {
        if (pseudo_attribute(text, len, "encoding", &value, &value_len))
            page_encoding(page, value, value_len, at);
    } else if (len >= sizeof(style) - 1 && memcmp(text, style, sizeof(style) - 1) == 0) {
        if (!pseudo_attribute(text, len, "href", &value, &value_len) || !local_css(value, value_len))
            tally_add(page->tally, FINDING_ACTIVE_XML_STYLESHEET,
                      page->context == PAGE_ANY ? LEVEL_NOTE : LEVEL_REFUSE, at, NULL);
    }
    scan_past(s, "?>");
}

/* The rest of a declaration up to its '>'; was there quoted text in it that is not empty? */
static bool skip_declaration(struct scan *s)
{
    int c, quote = 0;
    bool text = false;
    while ((c = scan_next(s)) >= 0) {
        if (quote) {
            text = text || c != quote;
            quote = c == quote ? 0 : quote;
            continue;
        }
        if (c == '>')
            break;
        if (c == '"' || c == '\'')
            quote = c;
    }
    return text;
}

static void entity(const struct page *page, uint64_t at)
{
    tally_refuse(page->tally, FINDING_ACTIVE_XML_ENTITY, at, NULL);
}

/* "<!ENTITY ns_svg "http://www.w3.org/2000/svg">": drawing programs shorten names of namespaces so. Where every element
 * counts whatever its namespace is, these can do no harm. */
static bool names_namespace(const struct page *page, struct scan *s)
{
    static const char *const places[] = {"\"http://ns.adobe.com/", "\"http://www.w3.org/2000/svg\"", "\"http://www.w3.org/1999/xlink\"",
                                         "\"http://www.sodipodi.com/", "\"http://www.inkscape.org/namespaces/"};
    size_t len, at = 8;
    const uint8_t *p = scan_view(s, 256, &len);
    if (!claims_by_content(&page->tally->in->claims, TYPE_SVG))
        return false;
    while (at < len && ascii_space(p[at]))
        at++;
    while (at < len && (ascii_letter(p[at]) || ascii_digit(p[at]) || p[at] == '_'))
        at++;
    while (at < len && ascii_space(p[at]))
        at++;
    const uint8_t *close = at < len ? memchr(p + at + 1, '"', len - at - 1) : NULL;
    for (const uint8_t *q = p + at; close && q < close; q++)
        if (*q == '&' || *q == '%' || *q == '<')
            return false;
    for (size_t i = 0; close && i < ARRAY_LEN(places); i++) {
        size_t n = strlen(places[i]);
        if (len - at >= n && memcmp(p + at, places[i], n) == 0)
            return true;
    }
    return false;
}

/* "<!ATTLIST svg xmlns:xlink CDATA #FIXED "http://www.w3.org/1999/xlink">": the same, as an attribute that is always there. */
static bool fixes_namespace(const struct page *page, struct scan *s)
{
    static const char *const values[] = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"};
    size_t len, known = 0;
    const uint8_t *p = scan_view(s, 512, &len), *end = p + len, *open;
    const uint8_t *close = memchr(p, '>', len);
    if (!close || !claims_by_content(&page->tally->in->claims, TYPE_SVG) || memchr(p, '\'', (size_t)(close - p)))
        return false;
    for (; (open = memchr(p, '"', (size_t)(close - p))) != NULL; p = open + 1) {
        size_t before = known;
        for (size_t i = 0; i < ARRAY_LEN(values); i++) {
            size_t n = strlen(values[i]);
            bool same = (size_t)(end - open) > n + 2 && memcmp(open + 1, values[i], n) == 0 && open[n + 1] == '"';
            known += same;
            open += same ? n + 1 : 0;
        }
        if (known == before)
            return false;
    }
    return known > 0;
}

/* The name in "<!ENTITY name": none that this program's own readers of references know, or it would read another text
 * for it than the document's reader does. Returns the offset behind it, 0 where there is none. */
static size_t own_name(const uint8_t *p, size_t len, size_t at)
{
    uint8_t reference[64] = {'&'};
    size_t n = 1;
    uint32_t code;
    while (at < len && n + 1 < sizeof(reference) &&
           (ascii_letter(p[at]) || p[at] == '_' || (n > 1 && (ascii_digit(p[at]) || p[at] == '.' || p[at] == '-'))))
        reference[n++] = p[at++];
    reference[n++] = ';';
    return n > 2 && charref_read(reference, n, &code) == 0 ? at : 0;
}

/* Only characters that stand for themselves, or references to those beyond ASCII. */
static bool plain_text(const uint8_t *p, const uint8_t *end)
{
    uint32_t code;
    if (end - p > XML_TEXT_BYTES)
        return false;
    for (size_t n = 1; p < end; p += n, n = 1) {
        if (*p == '<' || *p == '%')
            return false;
        if (*p == '&' && (p[1] != '#' || (n = charref_read(p, (size_t)(end - p), &code)) == 0 || code < 0x80))
            return false;
    }
    return true;
}

/* "<!ENTITY day "10">" */
static bool short_text(struct scan *s)
{
    size_t len, at = 8;
    const uint8_t *p = scan_view(s, 64 + XML_TEXT_BYTES + 64, &len), *close;
    while (at < len && ascii_space(p[at]))
        at++;
    at = at > 8 ? own_name(p, len, at) : 0;
    if (at == 0 || at == len || !ascii_space(p[at]))
        return false;
    while (at < len && ascii_space(p[at]))
        at++;
    if (at == len || (p[at] != '"' && p[at] != '\'') || !(close = memchr(p + at + 1, p[at], len - at - 1)))
        return false;
    return plain_text(p + at + 1, close);
}

/* A declaration of an entity. */
static void declares(const struct page *page, struct scan *s, struct xml_texts *texts)
{
    if (names_namespace(page, s))
        return;
    if (!texts || !short_text(s)) {
        entity(page, scan_offset(s));
        return;
    }
    texts->at = texts->declared ? texts->at : scan_offset(s);
    texts->declared = true;
}

/* Behind the '[' of a DOCTYPE, to behind its ']'. */
static void subset(const struct page *page, struct scan *s, struct xml_texts *texts)
{
    int c;
    while ((c = scan_peek(s)) >= 0) {
        uint64_t at = scan_offset(s);
        if (scan_starts(s, "<!--", false)) {
            scan_skip(s, 4);
            scan_past(s, "-->");
            continue;
        }
        if (scan_starts(s, "<?", false)) { /* some readers take a stylesheet from here, too */
            scan_skip(s, 2);
            instruction(page, s);
            continue;
        }
        bool attributes = scan_starts(s, "<!attlist", true) && !fixes_namespace(page, s);
        if (scan_starts(s, "<!entity", true))
            declares(page, s, texts);
        else if (c == '%' || scan_starts(s, "<![", false)) /* a section would hide what is declared in it */
            entity(page, at);
        scan_next(s);
        if (c == ']')
            return;
        if (c == '<' && skip_declaration(s) && attributes)
            entity(page, at); /* a default value puts attributes where no tag has them */
    }
}

/* Where published DTDs lie: readers have them at hand or know the host. A public identifier says nothing: a reader
 * without a catalog fetches the address next to it. */
static const char *const dtd_places[] = {
    "www.w3.org/", "w3.org/", "cobertura.sourceforge.net/", "raw.githubusercontent.com/cobertura/", "www.jacoco.org/",
    "jacoco.org/", "www.apple.com/", "www.freedesktop.org/", "freedesktop.org/", "specifications.freedesktop.org/",
    "www.oasis-open.org/", "docs.oasis-open.org/", "docbook.org/", "www.docbook.org/", "cdn.docbook.org/",
    "www.mozilla.org/", "java.sun.com/", "www.sun.com/", "xmlns.jcp.org/", "jakarta.ee/", "xmlns.oracle.com/",
    "www.gnome.org/", "glade.gnome.org/", "library.gnome.org/", "maven.apache.org/", "logging.apache.org/",
    "struts.apache.org/", "tiles.apache.org/", "xml.apache.org/", "ant.apache.org/", "jakarta.apache.org/",
    "ibatis.apache.org/", "mybatis.org/", "checkstyle.org/", "www.checkstyle.org/", "checkstyle.sourceforge.net/",
    "www.puppycrawl.com/", "hibernate.org/", "www.hibernate.org/", "hibernate.sourceforge.net/",
    "www.springframework.org/", "testng.org/", "www.eclipse.org/", "jetty.mortbay.org/", "jetty.org/", "pear.php.net/",
    "xmlsoft.org/", "jats.nlm.nih.gov/", "dtd.nlm.nih.gov/", "www.ncbi.nlm.nih.gov/", "www.musicxml.org/",
    "www.idpf.org/", "www.daisy.org/", "www.web3d.org/", "my.netscape.com/", "www.wapforum.org/",
    "www.openmobilealliance.org/"};

static bool starts(const uint8_t **p, size_t *len, const char *with)
{
    size_t n = strlen(with);
    if (*len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ascii_lower((*p)[i]) != ascii_lower((uint8_t)with[i]))
            return false;
    *p += n;
    *len -= n;
    return true;
}

static bool dtd_known(const uint8_t *p, size_t len)
{
    if (starts(&p, &len, "urn:"))
        return true; /* a name, no place */
    if (starts(&p, &len, "file:///usr/share/"))
        return !memmem(p, len, "..", 2); /* the system's own catalogs */
    if (!starts(&p, &len, "http://"))
        starts(&p, &len, "https://");
    for (size_t i = 0; i < ARRAY_LEN(dtd_places); i++)
        if (starts(&p, &len, dtd_places[i]))
            return true;
    return false;
}

/* A quoted literal of a DOCTYPE, behind its quote. Public identifiers are no addresses to the classifier. */
static void literal(const struct page *page, struct scan *s, int quote)
{
    uint8_t text[DTD_BYTES];
    uint64_t at = scan_offset(s);
    size_t len = 0;
    int c;
    while ((c = scan_next(s)) >= 0 && c != quote)
        if (len < sizeof(text))
            text[len++] = (uint8_t)c;
    enum weburl kind = weburl_classify(text, len);
    bool fetched = kind != WEBURL_LOCAL && kind != WEBURL_IMAGE;
    if (fetched && !dtd_known(text, len))
        page_act(page, ACT_LOAD, at);
}

/* Behind "<!DOCTYPE". */
static void doctype(const struct page *page, struct scan *s, struct xml_texts *texts)
{
    int c;
    while ((c = scan_next(s)) >= 0) {
        if (c == '"' || c == '\'')
            literal(page, s, c);
        else if (c == '[')
            subset(page, s, texts);
        else if (c == '>')
            return;
    }
}

uint64_t xml_prolog(const struct page *page, struct bytes *bytes, struct xml_texts *texts)
{
    struct scan s;
    int c;
    scan_init(&s, bytes, 0);
    if (scan_starts(&s, "\xEF\xBB\xBF", false))
        scan_skip(&s, 3);
    while ((c = scan_peek(&s)) >= 0) {
        if (ascii_space(c)) {
            scan_next(&s);
        } else if (scan_starts(&s, "<!--", false)) {
            scan_skip(&s, 4);
            scan_past(&s, "-->");
        } else if (scan_starts(&s, "<?", false)) {
            scan_skip(&s, 2);
            instruction(page, &s);
        } else if (scan_starts(&s, "<!doctype", true)) {
            scan_skip(&s, 9);
            doctype(page, &s, texts);
        } else {
            break;
        }
    }
    return scan_offset(&s);
}
