/* SPDX-License-Identifier: ISC
 * In a worker child: encodings. A page that two readers decode differently is two pages, of which we saw one. */
#include <string.h>

#include "inspect/page.h"

static bool trimmed_is(const uint8_t *label, size_t len, const char *word)
{
    size_t n = strlen(word);
    if (len != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ascii_lower(label[i]) != word[i])
            return false;
    return true;
}

static bool is_margin(uint8_t c)
{
    return ascii_space(c) || c == '"' || c == '\'';
}

/* "{{ encoding }}", "@CHARSET@", "%s": what a template fills in. No reader knows an encoding of such a name, so for all of
 * them it declares none. */
static bool is_placeholder(const uint8_t *label, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (label[i] && strchr("{}$%@", label[i]))
            return true;
    return false;
}

void page_encoding(const struct page *page, const uint8_t *label, size_t len, uint64_t at)
{
    static const char *const unicode[] = {"utf-8", "utf8", "us-ascii", "ascii"};
    static const char *const latin[] = {"iso-8859-1", "iso8859-1", "iso_8859-1", "windows-1252",
                                        "cp1252",     "latin1",    "latin-1",    "l1"};
    while (len > 0 && is_margin(label[0]))
        label++, len--;
    while (len > 0 && is_margin(label[len - 1]))
        len--;
    if (is_placeholder(label, len))
        return;
    for (size_t i = 0; i < ARRAY_LEN(unicode); i++)
        if (trimmed_is(label, len, unicode[i]))
            return;
    for (size_t i = 0; i < ARRAY_LEN(latin); i++)
        if (trimmed_is(label, len, latin[i])) {
            if (page->latin)
                *page->latin = true;
            return;
        }
    tally_refuse(page->tally, FINDING_TYPE_CONFLICT, at, "declares another encoding than UTF-8, ASCII or Latin-1");
}

/* ESC ( or ESC $ and their like: ISO-2022, in which quotes and brackets mean other characters. */
static bool shifts(struct scan *s)
{
    int c = scan_peek(s);
    return c == '(' || c == ')' || c == '$' || c == '-' || c == '.';
}

static bool finds_shift(struct scan *s)
{
    while (scan_past(s, "\x1B"))
        if (shifts(s))
            return true;
    return false;
}

static bool finds_nul(struct scan *s)
{
    while (scan_peek(s) >= 0) {
        const uint8_t *hit = memchr(s->p, 0, (size_t)(s->end - s->p));
        s->p = hit ? hit : s->end;
        if (hit)
            return true;
    }
    return false;
}

void page_bytes(const struct page *page, struct inspection *in)
{
    static const char odd[] = "readers disagree about the encoding of this page";
    struct scan s;
    scan_init(&s, in->bytes, 0);
    if (finds_shift(&s))
        tally_refuse(page->tally, FINDING_TYPE_CONFLICT, scan_offset(&s), odd);
    if (in->text == TYPE_PLAIN || in->legacy || in->bytes->size == 0)
        return;
    scan_init(&s, in->bytes, 0);
    bool utf16 = scan_starts(&s, "\xFF\xFE", false) || scan_starts(&s, "\xFE\xFF", false);
    if (utf16 || finds_nul(&s))
        tally_refuse(page->tally, FINDING_TYPE_CONFLICT, scan_offset(&s), odd);
    else if (!page->latin || !*page->latin)
        tally_refuse(page->tally, FINDING_TYPE_CONFLICT, 0, "neither UTF-8 nor declared as Latin-1");
}
