/* SPDX-License-Identifier: ISC
 * How far bytes stay of one harmless kind: what lets scanners step over clean text many bytes at a time and look only at
 * what could matter. Each answers for exactly the bytes that the loop next to it would pass over. Pure. */
#ifndef SALLYPORT_OCTET_RUN_H
#define SALLYPORT_OCTET_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "inspect/octets.h"

/* Printable ASCII, tab, form feed, line feed, and a carriage return in front of a line feed: text that acts on nothing and
 * hides nothing. A carriage return that is the last byte is left for the caller. */
size_t octet_run_clean(const uint8_t *p, size_t len);
/* Whole blocks of 64 such bytes, without any carriage return: for loops that look at the rest by themselves. */
size_t octet_run_blocks(const uint8_t *p, size_t len);
/* ASCII without NUL. */
size_t octet_run_ascii(const uint8_t *p, size_t len);
/* Whole characters of strict UTF-8 beyond ASCII (RFC 3629). */
size_t octet_run_utf8(const uint8_t *p, size_t len);
/* Where `what` (1 to len bytes) first stands in p, or NULL. Faster than memmem() on text, and linear in len for needles of
 * the size of a word. */
const uint8_t *octet_find(const uint8_t *p, size_t len, const uint8_t *what, size_t n);

#define OCTET_ONES 0x0101010101010101u
#define OCTET_TOPS 0x8080808080808080u

/* A set top bit where the byte of word equals c; bytes above the first may be wrong, so only the lowest counts. */
ALWAYS_INLINE uint64_t octet_equal(uint64_t word, uint8_t c)
{
    uint64_t differ = word ^ (OCTET_ONES * c);
    return (differ - OCTET_ONES) & ~differ & OCTET_TOPS;
}

/* Bytes up to the first that is a or b. In place, since most values are short. */
ALWAYS_INLINE size_t octet_run_until(const uint8_t *p, size_t len, uint8_t a, uint8_t b)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word = get_le64(p + i), stop = octet_equal(word, a) | octet_equal(word, b);
        if (stop)
            return i + (size_t)__builtin_ctzll(stop) / 8;
    }
    while (i < len && p[i] != a && p[i] != b)
        i++;
    return i;
}

/* Bytes that stand for themselves in a JSON string: none of '"', '\\' and C0. In place, since most strings are short. */
ALWAYS_INLINE size_t octet_run_string(const uint8_t *p, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word = get_le64(p + i);
        uint64_t stop = octet_equal(word, '"') | octet_equal(word, '\\') |
                        ((word - OCTET_ONES * 0x20) & ~word & OCTET_TOPS);
        if (stop)
            return i + (size_t)__builtin_ctzll(stop) / 8;
    }
    while (i < len && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20)
        i++;
    return i;
}

#endif
