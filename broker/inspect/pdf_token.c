/* SPDX-License-Identifier: ISC
 * In a worker child: the tokenizer of hostile PDF syntax. */
#include "inspect/pdf_token.h"

#include <string.h>

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

/* Unescaped parentheses balance; a backslash takes the next byte with it. */
static enum pdf_kind read_string(struct pdf_tokens *t)
{
    size_t depth = 0;
    int c;
    while ((c = scan_next(&t->scan)) >= 0) {
        if (!t->loose)
            pdf_watch_byte(&t->watch, c);
        if (c == '\\') {
            c = scan_next(&t->scan);
            if (!t->loose && c >= 0)
                pdf_watch_byte(&t->watch, c);
        } else if (c == '(')
            depth++;
        else if (c == ')' && --depth == 0)
            return t->watch.hides ? PDF_BAD : PDF_STRING;
    }
    return PDF_BAD;
}

static enum pdf_kind read_hex(struct pdf_tokens *t)
{
    int c;
    while ((c = scan_next(&t->scan)) >= 0 && c != '>')
        if (hex_value(c) < 0 && !pdf_is_space(c))
            return PDF_BAD;
    return c == '>' ? PDF_STRING : PDF_BAD;
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

enum pdf_kind pdf_token_next(struct pdf_tokens *t)
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
