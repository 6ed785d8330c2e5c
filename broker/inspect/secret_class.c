/* SPDX-License-Identifier: ISC
 * Alphabets as bit masks. On x86-64 with SSE2, which every such processor has; elsewhere by table, with the same
 * result, which the tests compare. Pure. */
#include "inspect/secret_class.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { NO = 255 };

/* RFC 4648: both alphabets at once; which of the two is meant never changes a decision here. */
uint8_t secret_class_base64(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint8_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0' + 52);
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : NO;
}

uint8_t secret_class_hex(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (uint8_t)(c - 'a' + 10) : NO;
}

#if defined(__SSE2__)

/* lo <= c <= lo + n, unsigned */
static inline __m128i within(__m128i c, char lo, char n)
{
    __m128i d = _mm_sub_epi8(c, _mm_set1_epi8(lo));
    return _mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(n)), d);
}

static inline __m128i is(__m128i c, char what)
{
    return _mm_cmpeq_epi8(c, _mm_set1_epi8(what));
}

static inline uint64_t bits(__m128i v, unsigned at)
{
    return (uint64_t)(uint16_t)_mm_movemask_epi8(v) << at;
}

void secret_class_text(const uint8_t p[64], struct class_masks *out)
{
    struct class_masks m = {0};
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i letter = within(_mm_or_si128(c, _mm_set1_epi8(0x20)), 'a', 25);
        __m128i digit = within(c, '/', 10); /* slash and the digits behind it */
        __m128i sign = _mm_or_si128(is(c, '_'), _mm_or_si128(is(c, '+'), is(c, '-')));
        __m128i escape = _mm_or_si128(is(c, '\\'), _mm_or_si128(is(c, '%'), is(c, '=')));
        m.base64 |= bits(_mm_or_si128(letter, _mm_or_si128(digit, sign)), i);
        m.escape |= bits(escape, i);
        m.nul |= bits(is(c, 0), i);
    }
    *out = m;
}

void secret_class_runs(const uint8_t p[64], struct class_run *out)
{
    uint64_t first = 0, second = 0, third = 0, hex = 0, low = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i upper = within(c, 'A', 25), lower = within(c, 'a', 25), digit = within(c, '0', 9);
        __m128i plus = _mm_or_si128(is(c, '+'), is(c, '-'));
        __m128i known = _mm_or_si128(_mm_or_si128(upper, lower), digit);
        __m128i v = _mm_and_si128(upper, _mm_sub_epi8(c, _mm_set1_epi8('A')));
        v = _mm_or_si128(v, _mm_and_si128(lower, _mm_sub_epi8(c, _mm_set1_epi8('a' - 26))));
        v = _mm_or_si128(v, _mm_and_si128(digit, _mm_add_epi8(c, _mm_set1_epi8(52 - '0'))));
        v = _mm_or_si128(v, _mm_andnot_si128(known, _mm_sub_epi8(_mm_set1_epi8(63), _mm_and_si128(plus, _mm_set1_epi8(1)))));
        first |= bits(_mm_slli_epi16(v, 2), i);  /* bit 5 of the value to bit 7 of its byte */
        second |= bits(_mm_slli_epi16(v, 4), i); /* bit 3 */
        third |= bits(_mm_slli_epi16(v, 6), i);  /* bit 1 */
        hex |= bits(_mm_or_si128(digit, within(_mm_or_si128(c, _mm_set1_epi8(0x20)), 'a', 5)), i);
        low |= bits(within(c, '0', 7), i);
    }
    *out = (struct class_run){~first & ~second >> 1 & ~third >> 2, hex, low};
}

#else

void secret_class_text(const uint8_t p[64], struct class_masks *out)
{
    struct class_masks m = {0};
    for (unsigned i = 0; i < 64; i++) {
        m.base64 |= (uint64_t)(secret_class_base64(p[i]) != NO) << i;
        m.escape |= (uint64_t)(p[i] == '%' || p[i] == '\\' || p[i] == '=') << i;
        m.nul |= (uint64_t)(p[i] == 0) << i;
    }
    *out = m;
}

void secret_class_runs(const uint8_t p[64], struct class_run *out)
{
    uint64_t first = 0, second = 0, third = 0, hex = 0, low = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint8_t v = secret_class_base64(p[i]), h = secret_class_hex(p[i]);
        v = v == NO ? 63 : v;
        first |= (uint64_t)(v >> 5 & 1) << i;
        second |= (uint64_t)(v >> 3 & 1) << i;
        third |= (uint64_t)(v >> 1 & 1) << i;
        hex |= (uint64_t)(h != NO) << i;
        low |= (uint64_t)(h < 8) << i;
    }
    *out = (struct class_run){~first & ~second >> 1 & ~third >> 2, hex, low};
}

#endif
