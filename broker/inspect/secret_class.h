/* SPDX-License-Identifier: ISC
 * Sixty-four bytes at a time: which of them belong to which alphabet, as bit masks (bit i is byte i). Pure. */
#ifndef SALLYPORT_SECRET_CLASS_H
#define SALLYPORT_SECRET_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECRET_RUN_LEAST = 20 }; /* characters of an encoded run: 15 bytes */

/* What a text needs: encoded runs, and the bytes that start an escape. */
struct class_masks {
    uint64_t base64; /* A-Z a-z 0-9 + / - _ */
    /* \, ESC, % before two hex digits, & before #, and = before a line break, 20, 3D, 2D or two hex digits and another =. The
     * last three bits are not sure. */
    uint64_t escape;
    uint64_t nul;
};
void secret_class_text(const uint8_t p[64], struct class_masks *out);

/* How many of the n bytes at p (whole blocks of 64) hold nothing to look at: no escape, no eight zero bytes of UTF-16, no
 * run of SECRET_RUN_LEAST base64 characters that can be more than words. *run: characters of a run that reach p, then of
 * one that reach the end. back: the 32 bytes in front of p can be read. Where it stopped at a whole block, *masks is that
 * block's. */
size_t secret_class_skip(const uint8_t *p, size_t n, bool back, uint64_t *run, struct class_masks *masks);
/* Are the runs of the block at p no more than words, with the same meaning of *run and back? Then *run moves behind it.
 * len, 64 or more: so many bytes can be read. False where it is not known. */
bool secret_class_words(const uint8_t *p, size_t len, bool back, const struct class_masks *masks, uint64_t *run);
/* Characters of a run that reach the end of a block, of `before` that reached its start. */
uint64_t secret_class_behind(uint64_t before, uint64_t base64);
/* Start of the first run of at least SECRET_RUN_LEAST characters in the block at `at`, or UINT64_MAX; n bytes of the
 * block count. *run: as above. */
uint64_t secret_class_run(uint64_t at, uint64_t mask, uint64_t *run, unsigned n);

/* Where six pairs of base64 characters start, one other byte between each two: hex with colons or blanks, perhaps. Of
 * fourteen pairs, six lie in one block. */
uint64_t secret_class_pairs(uint64_t base64);

/* What a run of base64 characters needs. ascii: four characters that start here decode to three bytes below 128
 * (good for bits 0..61). hex: a hex digit. low: a hex digit below 8, the first of a byte below 128. */
struct class_run {
    uint64_t ascii, hex, low;
};
void secret_class_runs(const uint8_t p[64], struct class_run *out);

/* How many of the n bytes at p belong to a run of base64 characters that starts there. */
size_t secret_class_length(const uint8_t *p, size_t n);

/* Do four characters at c, the last of them unseen, decode to three bytes below 128? */
bool secret_class_ascii(const uint8_t *c);
/* 0..63, or 255 for what is not in either base64 alphabet. */
uint8_t secret_class_base64(uint8_t c);
/* 0..15, or 255. */
uint8_t secret_class_hex(uint8_t c);

#endif
