/* SPDX-License-Identifier: ISC */
#include "record/base64.h"

#include <errno.h>
#include <stdlib.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void quad(struct buf *out, const uint8_t *p, size_t left)
{
    uint32_t bits = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0) | (left > 2 ? p[2] : 0);
    buf_u8(out, (uint8_t)alphabet[bits >> 18]);
    buf_u8(out, (uint8_t)alphabet[bits >> 12 & 63]);
    buf_u8(out, left > 1 ? (uint8_t)alphabet[bits >> 6 & 63] : '=');
    buf_u8(out, left > 2 ? (uint8_t)alphabet[bits & 63] : '=');
}

void base64_encode(struct buf *out, const void *data, size_t len, size_t wrap)
{
    const uint8_t *p = data;
    size_t column = 0;
    for (size_t i = 0; i < len; i += 3) {
        if (wrap && column + 4 > wrap) {
            buf_u8(out, '\n');
            column = 0;
        }
        quad(out, p + i, len - i);
        column += 4;
    }
    if (wrap)
        buf_u8(out, '\n');
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters to `n` bytes; false where a character or a spare bit is wrong. */
static bool unquad(const char *text, size_t n, uint8_t *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int v = i <= n ? value_of(text[i]) : 0;
        if (v < 0 || (i > n && text[i] != '='))
            return false;
        bits = bits << 6 | (uint32_t)v;
    }
    if (bits & ((1u << (8 * (3 - n))) - 1u))
        return false;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(bits >> (16 - 8 * i));
    return true;
}

uint8_t *base64_decode(const char *text, size_t len, size_t *out_len)
{
    errno = EINVAL;
    if (len % 4 != 0)
        return NULL;
    uint8_t *out = malloc(len / 4 * 3 + 1);
    size_t at = 0;
    for (size_t i = 0; out && i < len; i += 4) {
        bool last = i + 4 == len;
        size_t n = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 1 : 2) : 3;
        if (!unquad(text + i, n, out + at)) {
            free(out);
            errno = EINVAL;
            return NULL;
        }
        at += n;
    }
    *out_len = at;
    return out;
}
