/* SPDX-License-Identifier: ISC
 * What the bytes of mail stand for: transfer encodings, character sets, encoded words. Strict: bytes that readers skip or
 * take differently are a fault. Sources: RFC 2045 6.7 and 6.8, RFC 2047, WHATWG Encoding "windows-1252". */
#ifndef SALLYPORT_EML_DECODE_H
#define SALLYPORT_EML_DECODE_H

#include "inspect/eml_head.h"

/* One byte of a character set as UTF-8 in out (up to 3 bytes; 0: it stands for nothing). UTF-8 is passed on. */
size_t eml_charset_put(enum eml_charset charset, uint8_t c, char out[4]);

/* The text with encoded words replaced by what they stand for; false where one is not as the standard has it. Adds to
 * `out`, which bounds it. */
bool eml_words(struct buf *out, const uint8_t *text, size_t len);

/* A decoder of one body that is fed in pieces. */
struct eml_decoder {
    enum eml_encoding encoding;
    uint32_t bits;          /* base64: what was gathered of four characters */
    unsigned held;          /* how many of them, padding too; quoted-printable: how far into "=XX", 3: behind a soft break */
    unsigned chars;         /* in front of the padding */
    bool padded, faulty;
    uint8_t held_text[4];
};

/* Decodes len bytes into out, which has room for len + 3, and returns how many came out. */
size_t eml_decode(struct eml_decoder *d, const uint8_t *p, size_t len, uint8_t *out);
/* At the end of the body: false where it is faulty or cut off. *n: up to 3 bytes that were still held. */
bool eml_decode_end(struct eml_decoder *d, uint8_t out[4], size_t *n);

#endif
