/* SPDX-License-Identifier: ISC
 * In a worker child: the tokenizer of hostile PDF syntax. */
#include "inspect/pdf_token.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/pdf_text.h"

enum { GAP = -150 }; /* thousandths of the type size between strings of one line: a blank */

void pdf_tokens_init(struct pdf_tokens *t, struct bytes *bytes, uint64_t offset, bool loose)
{
    *t = (struct pdf_tokens){.loose = loose};
    scan_init(&t->scan, bytes, offset);
}

bool pdf_is_space(int c)
{
    return c == 0 || ascii_space(c);
}

static bool is_delimiter(int c)
{
    switch (c) {
    case '(':
    case ')':
    case '<':
    case '>':
    case '[':
    case ']':
    case '{':
    case '}':
    case '/':
    case '%':
        return true;
    default:
        return false;
    }
}

static bool is_regular(int c)
{
    return c >= 0 && !pdf_is_space(c) && !is_delimiter(c);
}

bool pdf_token_is(const struct pdf_tokens *t, const char *word)
{
    return t->len == strlen(word) && memcmp(t->text, word, t->len) == 0;
}

static void take(struct pdf_tokens *t, int c)
{
    if (t->len < PDF_TEXT)
        t->text[t->len++] = (char)c;
    t->text[t->len] = '\0';
}

static enum pdf_kind read_name(struct pdf_tokens *t)
{
    struct scan *s = &t->scan;
    scan_next(s);
    while (is_regular(scan_peek(s))) {
        int c = scan_next(s);
        size_t len;
        const uint8_t *p = c == '#' ? scan_view(s, 2, &len) : NULL;
        if (p && len >= 2 && hex_value(p[0]) >= 0 && hex_value(p[1]) >= 0) {
            c = hex_value(p[0]) * 16 + hex_value(p[1]);
            scan_skip(s, 2);
        }
        take(t, c);
    }
    return PDF_NAME;
}

static int next_watched(struct pdf_tokens *t)
{
    int c = scan_next(&t->scan);
    if (!t->loose && c >= 0)
        pdf_watch_byte(&t->watch, c);
    return c;
}

static void keep(struct pdf_tokens *t, int c, bool coded)
{
    if (c < 0)
        return;
    take(t, c);
    if (t->strings)
        pdf_text_byte(t->strings, c, coded);
}

static void begin(struct pdf_tokens *t)
{
    if (t->strings)
        pdf_text_begin(t->strings);
}

/* Behind a backslash: a letter, up to three octal digits, an end of line that counts for nothing, or the byte itself. */
static void read_escape(struct pdf_tokens *t)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    int c = next_watched(t), code = 0;
    const char *hit = c > 0 ? strchr(from, c) : NULL;
    if (hit) {
        keep(t, to[hit - from], true);
    } else if (c == '\r' || c == '\n') {
        if (c == '\r' && scan_peek(&t->scan) == '\n')
            next_watched(t);
        if (t->strings)
            t->strings->differs = true;
    } else if (c >= '0' && c <= '7') {
        code = c - '0';
        for (int i = 0; i < 2 && (c = scan_peek(&t->scan)) >= '0' && c <= '7'; i++)
            code = code * 8 + next_watched(t) - '0';
        keep(t, code & 0xFF, true);
    } else {
        keep(t, c, true);
    }
}

/* Unescaped parentheses balance; a backslash takes the next byte with it. */
static enum pdf_kind read_string(struct pdf_tokens *t)
{
    size_t depth = 0;
    int c;
    begin(t);
    while ((c = next_watched(t)) >= 0) {
        if (c == '\\') {
            read_escape(t);
            continue;
        }
        if (c == '(' && depth++ == 0)
            continue;
        if (c == ')' && --depth == 0)
            return t->watch.hides ? PDF_BAD : PDF_STRING;
        keep(t, c, false);
    }
    return PDF_BAD;
}

static enum pdf_kind read_hex(struct pdf_tokens *t)
{
    int c, high = -1;
    begin(t);
    while ((c = scan_next(&t->scan)) >= 0 && c != '>') {
        int value = hex_value(c);
        if (value < 0 && !pdf_is_space(c))
            return PDF_BAD;
        if (value >= 0 && high >= 0)
            keep(t, high * 16 + value, true);
        if (value >= 0)
            high = high >= 0 ? -1 : value;
    }
    if (high >= 0)
        keep(t, high * 16, true);
    return c == '>' ? PDF_STRING : PDF_BAD;
}

/* Which strings belong together: those of a list, and in content those of one line. */
static void join(struct pdf_tokens *t, enum pdf_kind kind)
{
    static const char *const lines[] = {"Td", "TD", "Tm", "T*", "ET", "BT", "'", "\""};
    bool line = false;
    if (kind == PDF_ARRAY)
        t->lists++;
    if (kind == PDF_ARRAY_END && t->lists > 0)
        t->lists--;
    if (kind == PDF_NUMBER && t->lists > 0 && t->loose && strtol(t->text, NULL, 10) < GAP)
        pdf_text_gap(t->strings);
    for (size_t i = 0; t->loose && kind == PDF_WORD && i < ARRAY_LEN(lines); i++)
        line = line || pdf_token_is(t, lines[i]);
    if (line || (!t->loose && t->lists == 0))
        pdf_text_break(t->strings);
}

static enum pdf_kind read_delimiter(struct pdf_tokens *t, int c)
{
    if (c == '(')
        return read_string(t);
    scan_next(&t->scan);
    if (c == '[' || c == ']')
        return c == '[' ? PDF_ARRAY : PDF_ARRAY_END;
    if (c == '<') {
        if (scan_peek(&t->scan) != '<')
            return read_hex(t);
        scan_next(&t->scan);
        return PDF_DICT;
    }
    if (c != '>' || scan_peek(&t->scan) != '>')
        return PDF_BAD;
    scan_next(&t->scan);
    return PDF_DICT_END;
}

static enum pdf_kind read_regular(struct pdf_tokens *t)
{
    bool number = true;
    t->integer = true;
    t->value = 0;
    while (is_regular(scan_peek(&t->scan))) {
        int c = scan_next(&t->scan);
        take(t, c);
        if (ascii_digit(c))
            t->value = t->value < UINT64_MAX / 16 ? t->value * 10 + (uint64_t)(c - '0') : UINT64_MAX / 16;
        else
            t->integer = false;
        number = number && (ascii_digit(c) || c == '.' || c == '-' || c == '+');
    }
    return number ? PDF_NUMBER : PDF_WORD;
}

/* White space and comments; false where a comment hides an object. */
static bool skip_space(struct pdf_tokens *t)
{
    int c;
    while ((c = scan_peek(&t->scan)) >= 0) {
        if (c == '%') {
            while ((c = scan_peek(&t->scan)) >= 0 && c != '\n' && c != '\r') {
                if (!t->loose)
                    pdf_watch_byte(&t->watch, c);
                scan_next(&t->scan);
            }
            if (t->watch.hides)
                return false;
        } else if (pdf_is_space(c)) {
            scan_next(&t->scan);
        } else {
            return true;
        }
    }
    return true;
}

static enum pdf_kind read_token(struct pdf_tokens *t)
{
    t->len = 0;
    t->text[0] = '\0';
    bool clean = skip_space(t);
    t->at = scan_offset(&t->scan);
    int c = scan_peek(&t->scan);
    if (!clean)
        return PDF_BAD;
    if (c < 0)
        return PDF_EOF;
    if (c == '/')
        return read_name(t);
    if (!is_delimiter(c))
        return read_regular(t);
    if (c == '{' || c == '}' || c == ')') {
        scan_next(&t->scan);
        return PDF_BAD;
    }
    return read_delimiter(t, c);
}

enum pdf_kind pdf_token_next(struct pdf_tokens *t)
{
    enum pdf_kind kind = read_token(t);
    if (t->strings && kind == PDF_STRING)
        pdf_text_end(t->strings);
    if (t->strings)
        join(t, kind);
    return kind;
}
