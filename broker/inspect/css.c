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

/* Takes raw characters that stand for themselves wherever an address is, up to max of them. */
static size_t take_plain(struct css *c, uint8_t *out, size_t max)
{
    size_t len, n = 0;
    uint64_t left = c->stop - scan_offset(&c->scan);
    const uint8_t *p = scan_view(&c->scan, WEBURL_START, &len);
    max = max < len ? max : len;
    max = max < left ? max : (size_t)left;
    for (; n < max && p[n] > ' ' && p[n] < 0x7F; n++) {
        if (p[n] == '\\' || p[n] == '&' || p[n] == '"' || p[n] == '\'' || p[n] == ')')
            break;
        out[n] = (uint8_t)ascii_lower(p[n]);
    }
    c->scan.p += n;
    return n;
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
        n += take_plain(c, text + n, sizeof(text) - n);
    }
    c->work += scan_offset(&c->scan) - back;
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

/* Could a word start here that names an address or a list of them? Two bytes tell; an escape may stand for any. */
static bool may_be_word(const struct css *c, const uint8_t *p, const uint8_t *end)
{
    static const char pairs[][3] = {"im", "cr", "ur", "sr", "-w", "@i", "@n"};
    if (end - p < 2 || p[1] == '\\' || (p[1] == '&' && c->refs))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (ascii_lower(p[0]) == pairs[i][0] && ascii_lower(p[1]) == pairs[i][1])
            return true;
    return false;
}

/* Steps over raw bytes that neither name nor open an address: words of no interest and what stands between them. Only
 * between words, or inside one of no interest, and where no statement is open that gives strings a meaning. */
static void skip_dull(struct css *c)
{
    static const bool in_words[256] = {['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
                                       ['-'] = true,         ['_'] = true,         [NOT_ASCII ... 0xFF] = true};
    uint64_t here = scan_offset(&c->scan);
    const uint8_t *p = c->scan.p, *end = c->scan.end;
    bool dull = c->ident_len > 0;
    if (here >= c->stop)
        return;
    if (c->stop - here < (uint64_t)(end - p))
        end = p + (c->stop - here);
    for (; p < end && *p != '\\' && !(*p == '&' && c->refs); p++) {
        bool starts = *p == '@' || (in_words[*p] && !dull);
        if (starts && may_be_word(c, p, end)) {
            dull = false;
            break;
        }
        dull = in_words[*p] || *p == '@';
    }
    c->ident_len = dull ? CSS_IDENT + 1 : 0;
    c->scan.p = p;
}

bool css_next(struct css *c, enum weburl *kind, uint64_t *at)
{
    int ch;
    for (;;) {
        if (!c->import && !c->space && c->strings == 0 && (c->ident_len == 0 || c->ident_len > CSS_IDENT))
            skip_dull(c);
        if ((ch = next_char(c)) < 0)
            return false;
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
}
