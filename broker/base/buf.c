/* SPDX-License-Identifier: ISC */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reader_init(struct reader *r, const void *data, size_t len)
{
    *r = (struct reader){.at = data, .left = len};
}

const uint8_t *reader_take(struct reader *r, size_t len)
{
    if (r->failed || len > r->left) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *at = r->at;
    r->at += len;
    r->left -= len;
    return at;
}

static uint64_t read_le(struct reader *r, size_t len)
{
    const uint8_t *p = reader_take(r, len);
    uint64_t v = 0;
    for (size_t i = 0; p && i < len; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint8_t reader_u8(struct reader *r)
{
    return (uint8_t)read_le(r, 1);
}

uint16_t reader_u16(struct reader *r)
{
    return (uint16_t)read_le(r, 2);
}

uint32_t reader_u32(struct reader *r)
{
    return (uint32_t)read_le(r, 4);
}

uint64_t reader_u64(struct reader *r)
{
    return read_le(r, 8);
}

const uint8_t *reader_text(struct reader *r, size_t max, size_t *len)
{
    *len = reader_u16(r);
    const uint8_t *at = *len <= max ? reader_take(r, *len) : NULL;
    if (at && !memchr(at, 0, *len))
        return at;
    r->failed = true;
    return NULL;
}

bool reader_done(const struct reader *r)
{
    return !r->failed && r->left == 0;
}

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf){.max = b->max};
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    b->failed = false;
}

static bool buf_grow(struct buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : 256;
    while (cap < need)
        cap *= 2;
    uint8_t *grown = realloc(b->data, cap);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->data = grown;
    b->cap = cap;
    return true;
}

/* Room for len more bytes and one terminator. */
static bool buf_room(struct buf *b, size_t len)
{
    if (b->failed || len > b->max || b->len > b->max - len) {
        b->failed = true;
        return false;
    }
    size_t need = b->len + len + 1;
    return need <= b->cap || buf_grow(b, need);
}

void buf_bytes(struct buf *b, const void *data, size_t len)
{
    if (len == 0 || !buf_room(b, len))
        return;
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

static void write_le(struct buf *b, uint64_t v, size_t len)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(v >> (8 * i));
    buf_bytes(b, bytes, len);
}

void buf_u8(struct buf *b, uint8_t v)
{
    if (buf_room(b, 1))
        b->data[b->len++] = v;
}

void buf_u16(struct buf *b, uint16_t v)
{
    write_le(b, v, 2);
}

void buf_u32(struct buf *b, uint32_t v)
{
    write_le(b, v, 4);
}

void buf_u64(struct buf *b, uint64_t v)
{
    write_le(b, v, 8);
}

void buf_text(struct buf *b, const char *text)
{
    buf_bytes(b, text, strlen(text));
}

void buf_decimal(struct buf *b, uint64_t v)
{
    char digits[20]; /* of 2^64 - 1 */
    size_t at = sizeof(digits);
    do
        digits[--at] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    buf_bytes(b, digits + at, sizeof(digits) - at);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    /* Most texts fit into what is left; only the others are formatted twice. */
    size_t room = b->cap - b->len;
    int len = vsnprintf(room ? (char *)b->data + b->len : NULL, room, fmt, args);
    va_end(args);
    if (len < 0)
        b->failed = true;
    else if (buf_room(b, (size_t)len)) {
        if ((size_t)len >= room)
            vsnprintf((char *)b->data + b->len, (size_t)len + 1, fmt, again);
        b->len += (size_t)len;
    }
    va_end(again);
}

char *buf_take_text(struct buf *b)
{
    if (!buf_room(b, 0)) {
        buf_free(b);
        return NULL;
    }
    char *text = (char *)b->data;
    text[b->len] = '\0';
    *b = (struct buf){.max = b->max};
    return text;
}
