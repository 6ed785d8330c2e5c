/* SPDX-License-Identifier: ISC
 * Vector helpers of secret_class*.c, for processors with AVX2. Included only where __SSE2__ is defined; whoever calls has
 * asked the processor. Pure. */
#ifndef SALLYPORT_SECRET_CLASS_AVX2_H
#define SALLYPORT_SECRET_CLASS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 uint64_t bits32(__m256i v, unsigned at)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(v) << at;
}

static inline AVX2 __m256i is32(__m256i c, char what)
{
    return _mm256_cmpeq_epi8(c, _mm256_set1_epi8(what));
}

static inline AVX2 __m256i within32(__m256i c, char lo, char n)
{
    __m256i d = _mm256_sub_epi8(c, _mm256_set1_epi8(lo));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(n)), d);
}

static inline __attribute__((always_inline)) AVX2 uint64_t both(__m256i a, __m256i b)
{
    return bits32(a, 0) | bits32(b, 32);
}

/* By two table look-ups, of the low and of the high half of each byte: 1 + - /, 2 digits, 4 A-O a-o, 8 P-Z p-z, 16 _, which
 * are BASE64; 32 % &, 64 =, 128 \ , which start escapes. */
enum { BASE64 = 31 };
static inline __attribute__((always_inline)) AVX2 __m256i kinds_of(__m256i c)
{
    const __m256i low_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(10, 14, 14, 14, 14, 46, 46, 14, 14, 14, 12, 5, -124, 69, 4, 21));
    const __m256i high_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 33, 66, 4, -104, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i half = _mm256_set1_epi8(15);
    __m256i a = _mm256_shuffle_epi8(low_table, _mm256_and_si256(c, half));
    __m256i b = _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(c, 4), half));
    return _mm256_and_si256(a, b);
}

#endif
