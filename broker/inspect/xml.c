/* SPDX-License-Identifier: ISC
 * In a worker child: the prolog of hostile XML. A DOCTYPE that only names a DTD is what coverage and plist files carry
 * and passes; one that declares entities or attributes refuses. */
#include "inspect/xml.h"

#include <string.h>

#include "inspect/markup.h"

enum { INSTRUCTION_BYTES = 4096 };

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

/* Behind the '[' of a DOCTYPE, to behind its ']'. */
static void subset(const struct page *page, struct scan *s)
{
    int c;
    while ((c = scan_peek(s)) >= 0) {
        uint64_t at = scan_offset(s);
        if (scan_starts(s, "<!--", false)) {
            scan_skip(s, 4);
            scan_past(s, "-->");
            continue;
        }
        if (scan_starts(s, "<?", false)) {
            scan_past(s, "?>");
            continue;
        }
        bool attributes = scan_starts(s, "<!attlist", true);
        if (scan_starts(s, "<!entity", true) || c == '%')
            entity(page, at);
        scan_next(s);
        if (c == ']')
            return;
        if (c == '<' && skip_declaration(s) && attributes)
            entity(page, at); /* a default value puts attributes where no tag has them */
    }
}

static void doctype(const struct page *page, struct scan *s)
{
    int c, quote = 0;
    while ((c = scan_next(s)) >= 0) {
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '[')
            subset(page, s);
        else if (c == '>')
            return;
    }
}

uint64_t xml_prolog(const struct page *page, struct bytes *bytes)
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
            doctype(page, &s);
        } else {
            break;
        }
    }
    return scan_offset(&s);
}
