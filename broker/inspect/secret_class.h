/* SPDX-License-Identifier: ISC
 * Sixty-four bytes at a time: which of them belong to which alphabet, as bit masks (bit i is byte i). Pure. */
#ifndef SALLYPORT_SECRET_CLASS_H
#define SALLYPORT_SECRET_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a text needs: encoded runs, and the bytes that start an escape. */
struct class_masks {
    uint64_t base64; /* A-Z a-z 0-9 + / - _ */
    uint64_t escape; /* % \ = */
    uint64_t nul;
};
void secret_class_text(const uint8_t p[64], struct class_masks *out);

/* What a run of base64 characters needs. ascii: four characters that start here decode to three bytes below 128
 * (good for bits 0..61). hex: a hex digit. low: a hex digit below 8, the first of a byte below 128. */
struct class_run {
    uint64_t ascii, hex, low;
};
void secret_class_runs(const uint8_t p[64], struct class_run *out);

/* 0..63, or 255 for what is not in either base64 alphabet. */
uint8_t secret_class_base64(uint8_t c);
/* 0..15, or 255. */
uint8_t secret_class_hex(uint8_t c);

#endif
