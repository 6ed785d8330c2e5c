/* SPDX-License-Identifier: ISC */
#include "base/jsonw.h"

#include <string.h>

#include "base/utf8.h"

#define JSONW_SAFE_INTEGER (((uint64_t)1 << 53) - 1)

void jsonw_init(struct jsonw *j, struct buf *out)
{
    *j = (struct jsonw){.out = out};
    j->first[0] = true;
}

/* Comma between the elements of an array. In an object jsonw_key() has written it. */
static void before_value(struct jsonw *j)
{
    if (j->depth == 0 || j->object[j->depth])
        return;
    if (!j->first[j->depth])
        buf_u8(j->out, ',');
    j->first[j->depth] = false;
}

static void open_level(struct jsonw *j, bool object)
{
    before_value(j);
    if (j->depth + 1 >= JSONW_DEPTH) {
        j->out->failed = true;
        return;
    }
    buf_u8(j->out, object ? '{' : '[');
    j->depth++;
    j->first[j->depth] = true;
    j->object[j->depth] = object;
    j->last[j->depth][0] = '\0';
}

static void close_level(struct jsonw *j, bool object)
{
    if (j->depth == 0 || j->object[j->depth] != object) {
        j->out->failed = true;
        return;
    }
    buf_u8(j->out, object ? '}' : ']');
    j->depth--;
}

void jsonw_object(struct jsonw *j)
{
    open_level(j, true);
}

void jsonw_object_end(struct jsonw *j)
{
    close_level(j, true);
}

void jsonw_array(struct jsonw *j)
{
    open_level(j, false);
}

void jsonw_array_end(struct jsonw *j)
{
    close_level(j, false);
}

static void write_ascii(struct buf *out, uint8_t c)
{
    static const char short_form[] = "btn-fr"; /* from 8; 11 has no short form in JSON */
    if (c == '"' || c == '\\')
        buf_printf(out, "\\%c", c);
    else if (c >= 8 && c <= 13 && c != 11)
        buf_printf(out, "\\%c", short_form[c - 8]);
    else if (c < 0x20 || c == 0x7F)
        buf_printf(out, "\\u%04x", c);
    else
        buf_u8(out, c);
}

/* Length of what may stand in a string as it is, from the start. */
static size_t verbatim(const char *text, size_t len)
{
    size_t plain = utf8_plain((const uint8_t *)text, len), i = 0;
    while (i < plain && text[i] != '"' && text[i] != '\\')
        i++;
    return i;
}

static void write_string(struct buf *out, const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t code;
    buf_u8(out, '"');
    for (size_t i = 0; i < len;) {
        size_t n = verbatim(text + i, len - i);
        if (n > 0) {
            buf_bytes(out, p + i, n);
            i += n;
            continue;
        }
        n = utf8_decode(p + i, len - i, &code);
        if (n == 0) {
            out->failed = true;
            return;
        }
        if (n == 1)
            write_ascii(out, p[i]);
        else
            buf_bytes(out, p + i, n);
        i += n;
    }
    buf_u8(out, '"');
}

void jsonw_key(struct jsonw *j, const char *key)
{
    if (j->depth == 0 || !j->object[j->depth] || strlen(key) >= JSONW_KEY_BYTES) {
        j->out->failed = true;
        return;
    }
    if (!j->first[j->depth]) {
        if (strcmp(j->last[j->depth], key) >= 0)
            j->out->failed = true;
        buf_u8(j->out, ',');
    }
    j->first[j->depth] = false;
    memcpy(j->last[j->depth], key, strlen(key) + 1);
    write_string(j->out, key, strlen(key));
    buf_u8(j->out, ':');
}

void jsonw_text_n(struct jsonw *j, const char *text, size_t len)
{
    before_value(j);
    write_string(j->out, text, len);
}

void jsonw_text(struct jsonw *j, const char *text)
{
    if (text)
        jsonw_text_n(j, text, strlen(text));
    else
        jsonw_null(j);
}

static void write_integer(struct jsonw *j, bool negative, uint64_t magnitude)
{
    bool quoted = magnitude > JSONW_SAFE_INTEGER;
    before_value(j);
    if (quoted)
        buf_u8(j->out, '"');
    if (negative)
        buf_u8(j->out, '-');
    buf_decimal(j->out, magnitude);
    if (quoted)
        buf_u8(j->out, '"');
}

void jsonw_u64(struct jsonw *j, uint64_t v)
{
    write_integer(j, false, v);
}

void jsonw_i64(struct jsonw *j, int64_t v)
{
    write_integer(j, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void jsonw_bool(struct jsonw *j, bool v)
{
    before_value(j);
    buf_text(j->out, v ? "true" : "false");
}

void jsonw_null(struct jsonw *j)
{
    before_value(j);
    buf_text(j->out, "null");
}

void jsonw_raw(struct jsonw *j, const char *text, size_t len)
{
    before_value(j);
    buf_bytes(j->out, text, len);
}

void jsonw_put_text(struct jsonw *j, const char *key, const char *text)
{
    jsonw_key(j, key);
    jsonw_text(j, text);
}

void jsonw_put_u64(struct jsonw *j, const char *key, uint64_t v)
{
    jsonw_key(j, key);
    jsonw_u64(j, v);
}

void jsonw_put_i64(struct jsonw *j, const char *key, int64_t v)
{
    jsonw_key(j, key);
    jsonw_i64(j, v);
}

void jsonw_put_bool(struct jsonw *j, const char *key, bool v)
{
    jsonw_key(j, key);
    jsonw_bool(j, v);
}
