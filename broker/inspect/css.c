/* SPDX-License-Identifier: ISC
 * In a worker child: hostile styles. Every place that could be an address is looked at from its own start and the scan
 * then goes on right behind the opening, so that no quote or comment swallows the next one. */
#include "inspect/css.h"

#include <string.h>

#include "inspect/markup.h"

enum { NOT_ASCII = 0x80 };

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
        return next == '\r' || next == '\f' ? '\n' : next; /* inside an address it is nothing, elsewhere a blank */
    }
    if (scan_starts(&c->scan, "\r\n", false))
        scan_skip(&c->scan, 2);
    else if (ascii_space(scan_peek(&c->scan)))
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
    c->decoded = b == '&' && c->refs;
    c->escaped = b == '\\';
    if (c->decoded)
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

static bool is_setter(const struct css *c)
{
    static const char *const sets[] = {"image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade",
                                       "src",       "alphaimageloader"};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (ident_is(c, sets[i]))
            return true;
    return false;
}

/* A name that stands for a value elsewhere, as in image-set(var(--name)). */
static bool is_named_value(const struct css *c)
{
    bool own = c->ident_len > 2 && c->ident[0] == '-' && c->ident[1] == '-';
    return own || ident_is(c, "initial-value") || ident_is(c, "result");
}

/* ch: what follows the word. */
static void note_keyword(struct css *c, int ch)
{
    if (ident_is(c, "@import")) {
        c->import = true;
        c->strings |= CSS_CODE;
    }
    bool ends_name = ch == ':' || ch == '/' || ascii_space(ch);
    if ((ch == '(' && is_setter(c)) || (ends_name && is_named_value(c)))
        c->strings |= CSS_CODE;
    if (ident_is(c, "@namespace"))
        c->space = true;
}

/* From one state on by one character; 0: the statement ends. A line's end closes a string that it breaks. */
static unsigned step(enum css_state state, int ch)
{
    switch (state) {
    case CSS_SLASH:
        if (ch == '*')
            return CSS_COMMENT;
        break;
    case CSS_COMMENT:
        return ch == '*' ? CSS_STAR : CSS_COMMENT;
    case CSS_STAR:
        return ch == '/' ? CSS_CODE : ch == '*' ? CSS_STAR : CSS_COMMENT;
    case CSS_SINGLE:
        return ch == '\'' || ch == '\n' ? CSS_CODE : CSS_SINGLE;
    case CSS_DOUBLE:
        return ch == '"' || ch == '\n' ? CSS_CODE : CSS_DOUBLE;
    case CSS_PAREN: /* a quote there makes the whole statement void */
        return ch == ')' ? CSS_CODE : ch == '"' || ch == '\'' ? 0 : CSS_PAREN;
    case CSS_CODE:
        break;
    }
    if (ch == '(')
        return CSS_CODE | CSS_PAREN;
    if (ch == ';' || ch == '{' || ch == '}')
        return 0;
    return ch == '/' ? CSS_SLASH : ch == '\'' ? CSS_SINGLE : ch == '"' ? CSS_DOUBLE : CSS_CODE;
}

/* All states on by one character, and by none where it may have been no character of its own. */
static void go_on(struct css *c, int ch)
{
    const unsigned comment = CSS_COMMENT | CSS_STAR;
    unsigned next = 0, states = c->strings;
    if (!states)
        return;
    if (c->escaped) {
        next = states & ~(comment | CSS_SLASH);
        next |= states & CSS_SLASH ? CSS_CODE : 0u;
        next |= states & comment ? CSS_COMMENT : 0u;
        states &= comment;
    } else if (c->decoded) {
        next = states;
    }
    for (unsigned state = CSS_CODE; state <= CSS_PAREN; state <<= 1)
        if (states & state)
            next |= step(c->escaped ? CSS_COMMENT : (enum css_state)state, ch);
    c->strings = next;
    c->import = c->import && next;
}

/* Does an address open with this delimiter? */
static bool opens_address(struct css *c, int ch)
{
    if (ch == '(')
        return !c->space && (ident_is(c, "url") || ident_is(c, "src"));
    return (ch == '"' || ch == '\'') && (c->strings & (CSS_CODE | CSS_SLASH));
}

/* Could a word start here that names an address or a list of them? Its first bytes tell; an escape may stand for any. */
static bool may_be_word(const struct css *c, const uint8_t *p, const uint8_t *end)
{
    static const char starts[][4] = {"im", "cr", "ur", "sr", "-w", "--", "@i", "@n", "alp", "ini", "res"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        size_t n = 0;
        while (starts[i][n] && p + n < end && ascii_lower(p[n]) == starts[i][n])
            n++;
        if (!starts[i][n] || p + n == end || p[n] == '\\' || (p[n] == '&' && c->refs))
            return true;
    }
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
        if (!c->space && c->strings == 0 && (c->ident_len == 0 || c->ident_len > CSS_IDENT))
            skip_dull(c);
        if ((ch = next_char(c)) < 0)
            return false;
        if (is_ident(ch)) {
            take_ident(c, ch);
            go_on(c, ch);
            continue;
        }
        if (c->ident_len > 0 && c->ident_len <= CSS_IDENT)
            note_keyword(c, ch);
        bool found = opens_address(c, ch);
        c->space = c->space && ascii_space(ch); /* and a name: no string or comment ends between it and its address */
        c->ident_len = 0;
        if (ch == '@')
            take_ident(c, ch);
        go_on(c, ch);
        if (!found)
            continue;
        *at = scan_offset(&c->scan);
        *kind = look_at_address(c, ch == '(' ? 0 : ch);
        return true;
    }
}
