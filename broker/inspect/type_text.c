/* SPDX-License-Identifier: ISC
 * What encoding the bytes are in, and what encoding they say they are in. Runs in the confined child on hostile bytes;
 * one pass, constant memory.
 * Invariant: plain is only said of bytes that were all seen to be UTF-8 without NUL. */
#include "inspect/type_text.h"

#include <ctype.h>
#include <string.h>

#include "inspect/octet_run.h"

/* Goes through one chunk; returns how far it came. A sequence that the chunk cuts is left for the next one. */
static size_t check_chunk(const uint8_t *p, size_t len, bool last, struct text_shape *shape)
{
    size_t at = 0;
    while (at < len) {
        at += octet_run_ascii(p + at, len - at);
        if (at == len)
            break;
        if (p[at] == 0) {
            shape->plain = shape->bytes = false;
            return len;
        }
        size_t n = shape->plain ? octet_run_utf8(p + at, len - at) : 1;
        if (n == 0 && !last && len - at < 4)
            return at;
        shape->plain = shape->plain && n > 0;
        at += n ? n : 1;
    }
    return at;
}

static enum wide wide_by_mark(const uint8_t *p, size_t len)
{
    if (len >= 4 && memcmp(p, "\xff\xfe\0\0", 4) == 0)
        return WIDE_UTF32LE;
    if (len >= 4 && memcmp(p, "\0\0\xfe\xff", 4) == 0)
        return WIDE_UTF32BE;
    if (len >= 2 && p[0] == 0xFF && p[1] == 0xFE)
        return WIDE_UTF16LE;
    if (len >= 2 && p[0] == 0xFE && p[1] == 0xFF)
        return WIDE_UTF16BE;
    return WIDE_NONE;
}

static bool is_word(uint8_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F);
}

/* Eight characters of ASCII, each with its zero byte on the same side. */
static enum wide wide_by_zeros(const uint8_t *p, size_t len)
{
    if (len < 16)
        return WIDE_NONE;
    bool little = true, big = true;
    for (size_t i = 0; i < 16; i += 2) {
        little = little && is_word(p[i]) && p[i + 1] == 0;
        big = big && is_word(p[i + 1]) && p[i] == 0;
    }
    return little ? WIDE_UTF16LE : big ? WIDE_UTF16BE : WIDE_NONE;
}

struct text_shape type_text_shape(struct bytes *b)
{
    struct text_shape shape = {.plain = b->size > 0, .bytes = b->size > 0};
    size_t len = 0;
    for (uint64_t at = 0; at < b->size && shape.bytes;) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        if (at == 0) {
            shape.bom = len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0;
            shape.wide = wide_by_mark(p, len);
            shape.wide = shape.wide ? shape.wide : wide_by_zeros(p, len);
        }
        size_t run = shape.clean == at ? octet_run_clean(p, len) : 0;
        shape.clean += run;
        at += run + check_chunk(p + run, len - run, at + len == b->size, &shape);
    }
    return shape;
}

bool type_text_eight_bit(struct bytes *b, uint8_t from)
{
    size_t len = 0;
    for (uint64_t at = 0; at < b->size; at += len) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        for (size_t i = 0; p && i < len; i++)
            if ((p[i] < 0x20 && !isspace(p[i])) || (p[i] >= 0x7F && p[i] < from) || p[i] == 0x7F)
                return false;
        if (!p || len == 0)
            return false;
    }
    return true;
}

size_t type_text_narrow(struct bytes *b, enum wide wide, uint8_t *out, size_t len)
{
    size_t unit = wide == WIDE_UTF32LE || wide == WIDE_UTF32BE ? 4 : 2, n = 0;
    bool little = wide == WIDE_UTF16LE || wide == WIDE_UTF32LE;
    for (uint64_t at = 0; n < len && wide != WIDE_NONE; at += unit) {
        const uint8_t *p = bytes_at(b, at, unit);
        uint32_t code = 0;
        if (!p)
            break;
        for (size_t i = 0; i < unit; i++)
            code = code << 8 | p[little ? unit - 1 - i : i];
        if (code != 0xFEFF)
            out[n++] = code < 0x80 ? (uint8_t)code : '?';
    }
    return n;
}

/* --- declared encodings -------------------------------------------------------------------------------------------- */

static bool name_in(const uint8_t *p, size_t len, const char *const *names)
{
    for (; *names; names++) {
        size_t n = strlen(*names), i = 0;
        while (i < n && i < len && tolower(p[i]) == (*names)[i])
            i++;
        /* editors append how lines end: utf-8-unix */
        if (i == n && (len == n || p[n] == '-'))
            return true;
    }
    return false;
}

static enum declared judge_name(const uint8_t *p, size_t len)
{
    /* "binary" is Ruby's word for bytes as they are */
    static const char *const utf8[] = {"utf-8", "utf8", "us-ascii", "ascii", "binary", NULL};
    static const char *const latin1[] = {"iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1", "l1",
                                         "iso-latin-1", "windows-1252", "cp1252", NULL};
    if (len == 0)
        return DECLARED_NOTHING;
    return name_in(p, len, utf8) ? DECLARED_UTF8 : name_in(p, len, latin1) ? DECLARED_LATIN1 : DECLARED_OTHER;
}

static size_t find(const uint8_t *p, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++) {
        size_t k = 0;
        while (k < n && tolower(p[i + k]) == word[k])
            k++;
        if (k == n)
            return i;
    }
    return len;
}

/* The name behind "word = " with or without quotes; nothing where there is no '='. */
static enum declared value_of(const uint8_t *p, size_t len, const char *word, const char *assign)
{
    size_t at = find(p, len, word);
    if (at == len)
        return DECLARED_NOTHING;
    at += strlen(word);
    while (at < len && isspace(p[at]))
        at++;
    if (at == len || !p[at] || !strchr(assign, p[at]))
        return DECLARED_NOTHING;
    at++;
    while (at < len && (isspace(p[at]) || p[at] == '"' || p[at] == '\''))
        at++;
    size_t end = at;
    while (end < len && (isalnum(p[end]) || (p[end] && strchr("-_.:", p[end]))))
        end++;
    return judge_name(p + at, end - at);
}

static enum declared worse(enum declared a, enum declared b)
{
    return a > b ? a : b;
}

static enum declared in_meta(const uint8_t *p, size_t len)
{
    enum declared said = DECLARED_NOTHING;
    for (size_t at = find(p, len, "<meta"); at < len;) {
        const uint8_t *end = memchr(p + at, '>', len - at);
        size_t tag = end ? (size_t)(end - p) - at : len - at;
        said = worse(said, value_of(p + at, tag, "charset", "="));
        at += tag;
        at += find(p + at, len - at, "<meta");
    }
    return said;
}

static enum declared in_first_lines(const uint8_t *p, size_t len)
{
    const uint8_t *line = memchr(p, '\n', len);
    if (line)
        line = memchr(line + 1, '\n', len - (size_t)(line + 1 - p));
    size_t two = line ? (size_t)(line - p) : len;
    size_t at = find(p, two, "coding");
    /* Only a comment speaks about the file itself. */
    if (at == two || !memchr(p, '#', at))
        return DECLARED_NOTHING;
    return value_of(p, two, "coding", ":=");
}

enum declared type_text_declared(const uint8_t *p, size_t len, unsigned forms)
{
    enum declared said = DECLARED_NOTHING;
    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
        len -= 3;
    }
    if ((forms & DECLARATION_XML) && len > 5 && memcmp(p, "<?xml", 5) == 0) {
        const uint8_t *end = memchr(p, '>', len);
        said = worse(said, value_of(p, end ? (size_t)(end - p) : len, "encoding", "="));
    }
    if (forms & DECLARATION_HTML)
        said = worse(said, in_meta(p, len));
    if ((forms & DECLARATION_CSS) && len > 10 && memcmp(p, "@charset \"", 10) == 0)
        said = worse(said, judge_name(p + 10, find(p + 10, len - 10, "\"")));
    if (forms & DECLARATION_SOURCE)
        said = worse(said, in_first_lines(p, len));
    return said;
}
