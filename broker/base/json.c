/* SPDX-License-Identifier: ISC */
#include "base/json.h"

#include <string.h>

#include "base/utf8.h"

#define JSON_SAFE_INTEGER (((int64_t)1 << 53) - 1)

void json_init(struct json *j, struct buf *out)
{
    *j = (struct json){.out = out};
    j->first[0] = true;
}

/* Comma between the elements of an array. In an object json_key() has written it. */
static void before_value(struct json *j)
{
    if (j->depth == 0 || j->object[j->depth])
        return;
    if (!j->first[j->depth])
        buf_u8(j->out, ',');
    j->first[j->depth] = false;
}

static void open_level(struct json *j, bool object)
{
    before_value(j);
    if (j->depth + 1 >= JSON_DEPTH) {
        j->out->failed = true;
        return;
    }
    buf_u8(j->out, object ? '{' : '[');
    j->depth++;
    j->first[j->depth] = true;
    j->object[j->depth] = object;
    j->last[j->depth][0] = '\0';
}

static void close_level(struct json *j, bool object)
{
    if (j->depth == 0 || j->object[j->depth] != object) {
        j->out->failed = true;
        return;
    }
    buf_u8(j->out, object ? '}' : ']');
    j->depth--;
}

void json_object(struct json *j)
{
    open_level(j, true);
}

void json_object_end(struct json *j)
{
    close_level(j, true);
}

void json_array(struct json *j)
{
    open_level(j, false);
}

void json_array_end(struct json *j)
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

static void write_string(struct buf *out, const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t code;
    buf_u8(out, '"');
    for (size_t i = 0; i < len;) {
        size_t n = utf8_decode(p + i, len - i, &code);
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

void json_key(struct json *j, const char *key)
{
    if (j->depth == 0 || !j->object[j->depth] || strlen(key) >= JSON_KEY_BYTES) {
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

void json_text_n(struct json *j, const char *text, size_t len)
{
    before_value(j);
    write_string(j->out, text, len);
}

void json_text(struct json *j, const char *text)
{
    if (text)
        json_text_n(j, text, strlen(text));
    else
        json_null(j);
}

void json_u64(struct json *j, uint64_t v)
{
    const char *quote = v > (uint64_t)JSON_SAFE_INTEGER ? "\"" : "";
    before_value(j);
    buf_printf(j->out, "%s%llu%s", quote, (unsigned long long)v, quote);
}

void json_i64(struct json *j, int64_t v)
{
    const char *quote = v > JSON_SAFE_INTEGER || v < -JSON_SAFE_INTEGER ? "\"" : "";
    before_value(j);
    buf_printf(j->out, "%s%lld%s", quote, (long long)v, quote);
}

void json_bool(struct json *j, bool v)
{
    before_value(j);
    buf_text(j->out, v ? "true" : "false");
}

void json_null(struct json *j)
{
    before_value(j);
    buf_text(j->out, "null");
}

void json_raw(struct json *j, const char *text, size_t len)
{
    before_value(j);
    buf_bytes(j->out, text, len);
}

void json_put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text(j, text);
}

void json_put_u64(struct json *j, const char *key, uint64_t v)
{
    json_key(j, key);
    json_u64(j, v);
}

void json_put_i64(struct json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_i64(j, v);
}

void json_put_bool(struct json *j, const char *key, bool v)
{
    json_key(j, key);
    json_bool(j, v);
}
