/* SPDX-License-Identifier: ISC
 * In a worker child: decoders of hostile mail. */
#include "inspect/eml_decode.h"

#include <string.h>

#include "inspect/scan.h"

/* --- character sets ------------------------------------------------------------------------------ */

static size_t put_code(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 0x3F));
    out[2] = (char)(0x80 | (c & 0x3F));
    return 3;
}

size_t eml_charset_put(enum eml_charset charset, uint8_t c, char out[4])
{
    static const uint16_t windows[32] = {
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
        0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178};
    if (charset == EML_LATIN1)
        return put_code(c, out);
    if (charset == EML_WINDOWS1252)
        return put_code(c >= 0x80 && c < 0xA0 ? windows[c - 0x80] : c, out);
    out[0] = (char)c;
    return charset == EML_CHARSET_OTHER && c >= 0x80 ? 0 : 1;
}

/* --- transfer encodings -------------------------------------------------------------------------- */

static int base64_value(int c)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *hit = c ? strchr(alphabet, c) : NULL;
    return hit ? (int)(hit - alphabet) : -1;
}

static size_t base64_byte(struct eml_decoder *d, int c, uint8_t *out)
{
    int value = base64_value(c);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        return 0;
    if (c == '=') {
        d->chars = d->padded ? d->chars : d->held;
        d->padded = true;
        d->faulty = d->faulty || d->chars < 2 || ++d->held > 4;
        return 0;
    }
    d->faulty = d->faulty || value < 0 || d->padded;
    if (d->faulty)
        return 0;
    d->bits = d->bits << 6 | (uint32_t)value;
    if (++d->held < 4)
        return 0;
    out[0] = (uint8_t)(d->bits >> 16);
    out[1] = (uint8_t)(d->bits >> 8);
    out[2] = (uint8_t)d->bits;
    d->held = d->bits = 0;
    return 3;
}

/* Two characters in front of the padding are one byte, three are two. */
static bool base64_end(struct eml_decoder *d, uint8_t out[4], size_t *n)
{
    if (d->faulty || (d->held != 0 && d->held != 4))
        return false;
    if (d->chars == 2)
        out[(*n)++] = (uint8_t)(d->bits >> 4);
    if (d->chars == 3) {
        out[(*n)++] = (uint8_t)(d->bits >> 10);
        out[(*n)++] = (uint8_t)(d->bits >> 2);
    }
    return true;
}

/* "=XX" is a byte; "=" at the end of a line joins it with the next one. */
static size_t quoted_byte(struct eml_decoder *d, int c, uint8_t *out)
{
    if (d->held == 0) {
        if (c == '=')
            d->held_text[d->held++] = '=';
        else
            out[0] = (uint8_t)c;
        return c != '=';
    }
    bool blank = c == ' ' || c == '\t';
    if (d->held == 1 && (c == '\n' || c == '\r' || blank)) {
        d->held = c == '\n' ? 0 : 3;
        return 0;
    }
    if (d->held == 3) { /* between '=' and the end of its line */
        d->faulty = d->faulty || !(blank || c == '\r' || c == '\n');
        d->held = c == '\n' ? 0 : 3;
        return 0;
    }
    d->held_text[d->held++] = (uint8_t)c;
    d->faulty = d->faulty || hex_value(c) < 0;
    if (d->held < 3)
        return 0;
    out[0] = (uint8_t)(d->faulty ? '?' : hex_value(d->held_text[1]) * 16 + hex_value(d->held_text[2]));
    d->held = 0;
    return 1;
}

size_t eml_decode(struct eml_decoder *d, const uint8_t *p, size_t len, uint8_t *out)
{
    size_t n = 0;
    if (d->encoding == EML_IDENTITY) {
        memcpy(out, p, len);
        return len;
    }
    for (size_t i = 0; i < len && !d->faulty; i++)
        n += d->encoding == EML_BASE64 ? base64_byte(d, p[i], out + n) : quoted_byte(d, p[i], out + n);
    return n;
}

bool eml_decode_end(struct eml_decoder *d, uint8_t out[4], size_t *n)
{
    *n = 0;
    if (d->encoding == EML_BASE64)
        return base64_end(d, out, n);
    /* a soft line break at the very end joins with nothing */
    return !d->faulty && (d->encoding == EML_IDENTITY || d->held == 0 || d->held == 1 || d->held == 3);
}

/* --- encoded words ------------------------------------------------------------------------------- */

struct word {
    const uint8_t *charset, *text, *end; /* "=?" charset "?" B or Q "?" text "?=": end is behind it */
    size_t charset_len, len;
    bool base64;
};

static bool find_word(const uint8_t *p, const uint8_t *end, struct word *w)
{
    const uint8_t *one = memchr(p + 2, '?', (size_t)(end - p) - 2);
    if (!one || end - one < 5 || one[2] != '?' || !strchr("bBqQ", one[1]) || one[1] == 0)
        return false;
    const uint8_t *two = memchr(one + 3, '?', (size_t)(end - one) - 3);
    if (!two || end - two < 2 || two[1] != '=')
        return false;
    const uint8_t *star = memchr(p + 2, '*', (size_t)(one - p) - 2); /* a language follows the character set */
    *w = (struct word){.charset = p + 2, .text = one + 3, .end = two + 2, .len = (size_t)(two - one) - 3,
                       .charset_len = (size_t)((star ? star : one) - p) - 2, .base64 = ascii_lower(one[1]) == 'b'};
    return true;
}

static bool decode_word(struct buf *out, const struct word *w)
{
    enum { MOST = 1024 };
    enum eml_charset charset = eml_charset_of((const char *)w->charset, w->charset_len);
    struct eml_decoder d = {.encoding = w->base64 ? EML_BASE64 : EML_QUOTED_PRINTABLE};
    uint8_t copy[MOST], bytes[MOST + 8], tail[4];
    char utf8[4];
    size_t left = 0;
    if (w->len > MOST)
        return false;
    memcpy(copy, w->text, w->len);
    for (size_t i = 0; !w->base64 && i < w->len; i++)
        copy[i] = copy[i] == '_' ? ' ' : copy[i];
    size_t n = eml_decode(&d, copy, w->len, bytes);
    bool fine = eml_decode_end(&d, tail, &left) && (w->base64 || d.held == 0);
    memcpy(bytes + n, tail, left);
    for (size_t i = 0; i < n + left; i++) {
        size_t len = eml_charset_put(charset, bytes[i], utf8);
        buf_bytes(out, utf8, len);
        fine = fine && len > 0;
    }
    return fine;
}

bool eml_words(struct buf *out, const uint8_t *text, size_t len)
{
    const uint8_t *at = text, *end = text + len;
    struct word w;
    bool fine = true;
    while (at < end) {
        const uint8_t *mark = memmem(at, (size_t)(end - at), "=?", 2);
        size_t plain = (size_t)((mark ? mark : end) - at);
        buf_bytes(out, at, plain);
        at += plain;
        if (!mark)
            break;
        if (!find_word(mark, end, &w)) {
            buf_bytes(out, at, 2);
            at += 2;
            continue;
        }
        fine = decode_word(out, &w) && fine;
        for (at = w.end; at < end && ascii_space(*at);)
            at++;
        if (at == end || end - at < 2 || at[0] != '=' || at[1] != '?')
            at = w.end; /* blanks count unless another word follows them */
    }
    return fine;
}
