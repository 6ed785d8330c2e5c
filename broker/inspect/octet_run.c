/* SPDX-License-Identifier: ISC
 * Blocks of sixteen bytes side by side, words of eight where runs are short, and a byte at a time for the rest. */
#include "inspect/octet_run.h"

#include <string.h>

#include "inspect/lanes.h"
#include "inspect/octets.h"

enum { BLOCK = 64 };

static bool is_clean(uint8_t c)
{
    return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t' || c == '\f';
}

static bool block_is_clean(const uint8_t *p)
{
    LANES_OF(uint8_t) odd = {0};
    for (size_t i = 0; i < BLOCK; i += LANES) {
        LANES_OF(uint8_t) v = lanes_load(p + i);
        odd |= ~(lanes_between(v, 0x20, 0x7E) | lanes_equal(v, '\n') | lanes_equal(v, '\t') | lanes_equal(v, '\f'));
    }
    return !lanes_any(odd);
}

size_t octet_run_blocks(const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (len - i >= BLOCK && block_is_clean(p + i))
        i += BLOCK;
    return i;
}

size_t octet_run_clean(const uint8_t *p, size_t len)
{
    size_t i = 0;
    for (;;) {
        i += octet_run_blocks(p + i, len - i);
        size_t stop = len - i >= BLOCK ? i + BLOCK : len;
        while (i < stop && is_clean(p[i]))
            i++;
        if (i == len || (i < stop && !(p[i] == '\r' && i + 1 < len && p[i + 1] == '\n')))
            return i;
        i += i < stop;
    }
}

size_t octet_run_ascii(const uint8_t *p, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word = get_le64(p + i);
        uint64_t stop = (word | ((word - OCTET_ONES) & ~word)) & OCTET_TOPS;
        if (stop)
            return i + (size_t)__builtin_ctzll(stop) / 8;
    }
    while (i < len && p[i] != 0 && p[i] < 0x80)
        i++;
    return i;
}

static bool follows(uint8_t c)
{
    return (c & 0xC0) == 0x80;
}

/* Length of the character at p, 0 where there is none. The second byte bounds what is overlong, a surrogate or beyond
 * U+10FFFF. */
static size_t wide_char(const uint8_t *p, size_t left)
{
    uint8_t lead = p[0];
    if (left >= 2 && lead >= 0xC2 && lead <= 0xDF)
        return follows(p[1]) ? 2 : 0;
    if (left >= 3 && (lead & 0xF0) == 0xE0) {
        bool second = lead == 0xE0 ? p[1] >= 0xA0 : lead == 0xED ? p[1] <= 0x9F : true;
        return second && follows(p[1]) && follows(p[2]) ? 3 : 0;
    }
    if (left >= 4 && lead >= 0xF0 && lead <= 0xF4) {
        bool second = lead == 0xF0 ? p[1] >= 0x90 : lead == 0xF4 ? p[1] <= 0x8F : true;
        return second && follows(p[1]) && follows(p[2]) && follows(p[3]) ? 4 : 0;
    }
    return 0;
}

size_t octet_run_utf8(const uint8_t *p, size_t len)
{
    size_t i = 0, n;
    while (i < len && (n = wide_char(p + i, len - i)) > 0)
        i += n;
    return i;
}

/* Could the needle start in [p, p + BLOCK), by its first two bytes and its last? */
static bool block_may_hold(const uint8_t *p, const uint8_t *what, size_t distance)
{
    LANES_OF(uint8_t) hit = {0};
    for (size_t i = 0; i < BLOCK; i += LANES)
        hit |= lanes_equal(lanes_load(p + i), what[0]) & lanes_equal(lanes_load(p + i + 1), what[1]) &
               lanes_equal(lanes_load(p + i + distance), what[distance]);
    return lanes_any(hit);
}

const uint8_t *octet_find(const uint8_t *p, size_t len, const uint8_t *what, size_t n)
{
    size_t i = 0, ends = len >= n ? len - n + 1 : 0;
    if (n == 1)
        return len > 0 ? memchr(p, *what, len) : NULL;
    while (i < ends) {
        size_t stop = ends;
        if (ends - i >= BLOCK) {
            stop = i + BLOCK;
            if (!block_may_hold(p + i, what, n - 1))
                i = stop;
        }
        for (; i < stop; i++)
            if (p[i] == what[0] && p[i + 1] == what[1] && memcmp(p + i, what, n) == 0)
                return p + i;
    }
    return NULL;
}
