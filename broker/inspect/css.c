/* SPDX-License-Identifier: ISC
 * In a worker child: hostile styles. Every place that could be an address is looked at from its own start and the scan
 * then goes on right behind the opening, so that no quote or comment swallows the next one. */
#include "inspect/css.h"

#include <string.h>

#include "inspect/markup.h"

enum { NOT_ASCII = 0x80, IMAGE_SET_STRINGS = 16 };

void css_init(struct css *c, struct bytes *bytes, uint64_t offset, uint64_t stop, bool refs)
{
    *c = (struct css){.stop = stop < bytes->size ? stop : bytes->size, .refs = refs};
    scan_init(&c->scan, bytes, offset);
}

static int escape(struct css *c)
{
    uint32_t v = 0;
    int digits = 0, d;
    while (digits < 6 && (d = hex_value(scan_peek(&c->scan))) >= 0) {
        v = v * 16 + (uint32_t)d;
        digits++;
        scan_next(&c->scan);
    }
    if (digits == 0) {
        int next = scan_next(&c->scan);
        return next == '\n' || next == '\r' ? ' ' : next;
    }
    if (ascii_space(scan_peek(&c->scan)))
        scan_next(&c->scan);
    return v < NOT_ASCII ? (int)v : NOT_ASCII;
}

static int reference(struct css *c)
{
    size_t len;
    uint32_t code;
    const uint8_t *p = scan_view(&c->scan, 32, &len);
    size_t n = charref_read(p, len, &code);
    scan_skip(&c->scan, n ? n : 1);
    return n == 0 ? '&' : code < NOT_ASCII ? (int)code : NOT_ASCII;
}

/* The next character as CSS means it: lower case, NOT_ASCII for all beyond, -1 at the end. */
static int next_char(struct css *c)
{
    if (scan_offset(&c->scan) >= c->stop)
        return -1;
    int b = scan_peek(&c->scan);
    if (b == '&' && c->refs)
        b = reference(c);
    else
        scan_next(&c->scan);
    if (b == '\\')
        b = escape(c);
    return b >= NOT_ASCII ? NOT_ASCII : ascii_lower(b);
}

/* The address that starts here, behind its '(' or quote; the scan is left where it was. */
static enum weburl look_at_address(struct css *c, int quote)
{
    uint8_t text[WEBURL_START];
    size_t n = 0;
    uint64_t back = scan_offset(&c->scan);
    int ch;
    while ((ch = next_char(c)) >= 0 && (ch <= ' ' || (quote == 0 && (ch == '"' || ch == '\''))))
        if (ch == '"' || ch == '\'')
            quote = ch;
    for (; ch >= 0 && n < sizeof(text); ch = next_char(c)) {
        if (ch == quote || (quote == 0 && (ascii_space(ch) || ch == ')')))
            break;
        text[n++] = (uint8_t)ch;
    }
    scan_seek(&c->scan, back);
    return weburl_classify(text, n);
}

static bool is_ident(int ch)
{
    return ascii_letter(ch) || ascii_digit(ch) || ch == '-' || ch == '_' || ch == NOT_ASCII;
}

static void take_ident(struct css *c, int ch)
{
    if (c->ident_len < CSS_IDENT)
        c->ident[c->ident_len++] = (char)ch;
    else
        c->ident_len = CSS_IDENT + 1;
}

static bool ident_is(const struct css *c, const char *word)
{
    return c->ident_len == strlen(word) && memcmp(c->ident, word, c->ident_len) == 0;
}

static void note_keyword(struct css *c)
{
    static const char *const sets[] = {"image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade"};
    if (ident_is(c, "@import")) {
        c->import = true;
        c->space = false;
    }
    if (ident_is(c, "@namespace"))
        c->space = true;
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (ident_is(c, sets[i]))
            c->strings = IMAGE_SET_STRINGS;
}

/* Does an address open with this delimiter? */
static bool opens_address(struct css *c, int ch)
{
    if (ch == '(')
        return !c->space && (ident_is(c, "url") || ident_is(c, "src"));
    if (ch != '"' && ch != '\'')
        return false;
    if (c->strings > 0) {
        c->strings--;
        return true;
    }
    return c->import;
}

bool css_next(struct css *c, enum weburl *kind, uint64_t *at)
{
    int ch;
    while ((ch = next_char(c)) >= 0) {
        if (is_ident(ch)) {
            take_ident(c, ch);
            continue;
        }
        if (c->ident_len > 0 && c->ident_len <= CSS_IDENT)
            note_keyword(c);
        bool found = opens_address(c, ch);
        c->ident_len = 0;
        if (ch == '@')
            take_ident(c, ch);
        if (ch == ';' || ch == '{' || ch == '}') {
            c->import = c->space = false;
            c->strings = 0;
        }
        if (!found)
            continue;
        *at = scan_offset(&c->scan);
        *kind = look_at_address(c, ch == '(' ? 0 : ch);
        return true;
    }
    return false;
}
