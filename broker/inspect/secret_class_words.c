/* SPDX-License-Identifier: ISC
 * Which runs of base64 characters are no more than words: names and paths, of which texts are full. In a worker child over
 * hostile bytes. Nothing that a decoder would show as text is taken for one; where it cannot be told, it is none. Pure. */
#include "inspect/secret_class.h"

#if defined(__SSE2__)
#include "inspect/secret_class_avx2.h"

enum {
    NO = 255,
    FOLD_BLANKS = 64, /* more end a run of lines */
    STRETCH = 8       /* characters that is_stretch() looks at */
};

/* Do two groups of four from p on decode to bytes below 128, or four pairs from hex? */
static bool is_stretch(const uint8_t *p)
{
    bool low = true;
    for (unsigned i = 0; i < STRETCH; i++) {
        if (secret_class_base64(p[i]) == NO)
            return false;
        low = low && (i % 2 != 0 || (p[i] >= '0' && p[i] <= '7'));
    }
    return low || (secret_class_ascii(p) && secret_class_ascii(p + 4));
}

/* A run of sixteen or more ends in front of p + end: may text go on behind a line break there? Of the four groups that lie
 * across it, two lie whole on one side. Where that is out of sight it may. */
static bool folds(const uint8_t *p, size_t end, size_t len)
{
    size_t at = end;
    bool line = false;
    while (at < len && at - end < FOLD_BLANKS && (p[at] == '\n' || p[at] == '\r' || p[at] == ' ' || p[at] == '\t'))
        line = p[at++] == '\n' || line;
    if (at < len && (!line || secret_class_base64(p[at]) == NO))
        return false;
    if (len - at < STRETCH + 4)
        return true;
    for (unsigned i = 0; i < 4; i++)
        if (is_stretch(p + at + i) || is_stretch(p + end - i - STRETCH))
            return true;
    return false;
}

/* The ends of runs of sixteen: does one of them fold? One that reaches the end of the block is looked at where it ends. */
static bool any_folds(const uint8_t *p, uint64_t ends, uint64_t mask, size_t len)
{
    if (ends >> 63 && (len == 64 || secret_class_base64(p[64]) == NO) && folds(p, 64, len))
        return true;
    for (ends &= ~(mask >> 1) & UINT64_MAX >> 1; ends; ends &= ends - 1)
        if (folds(p, (size_t)__builtin_ctzll(ends) + 1, len))
            return true;
    return false;
}

/* May a packed stream start at p, "eJw" or "H4s" and their kind? */
static bool may_unpack(const uint8_t *p)
{
    return (p[0] == 'e' && (p[1] == 'A' || p[1] == 'F' || p[1] == 'J' || p[1] == 'N')) || (p[0] == 'H' && p[1] == '4');
}

/* A-Z a-f, which stand for less than 32. */
static inline AVX2 uint32_t heads_of(const uint8_t *p)
{
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return (uint32_t)bits32(_mm256_or_si256(within32(c, 'A', 25), within32(c, 'a', 5)), 0);
}

static inline AVX2 uint64_t low_of(const uint8_t *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return bits32(within32(a, '0', 7), 0) | bits32(within32(b, '0', 7), 32);
}

/* Bit i: four characters from p + i - 32 on decode to bytes below 128. The last two are not known. */
static AVX2 unsigned __int128 ascii_of(const uint8_t *p, bool goes_on)
{
    struct class_run here, before;
    secret_class_runs(p, &here);
    unsigned __int128 ascii = (unsigned __int128)here.ascii << 32;
    if (goes_on) {
        secret_class_runs(p - 32, &before);
        ascii |= (uint32_t)before.ascii;
    }
    return ascii;
}

/* Can anything in the runs of the block be more than words? Text decodes from base64 only where every fourth of sixteen
 * characters is one of A-Z a-f, and from hex only where every second one is a digit below 8. Where a run comes from the
 * block before, 32 bytes in front of p can be read. Long runs, which words seldom make, are more wherever they may be. */
static AVX2 bool is_words(const uint8_t *p, bool goes_on, const struct class_masks *m, size_t len)
{
    unsigned __int128 base64 = (unsigned __int128)m->base64 << 32, low = (unsigned __int128)low_of(p) << 32;
    unsigned __int128 head = (unsigned __int128)heads_of(p) << 32 | (unsigned __int128)heads_of(p + 32) << 64;
    if (goes_on) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p - 32)), zero = _mm256_setzero_si256();
        __m256i k = _mm256_and_si256(kinds_of(c), _mm256_set1_epi8(BASE64));
        base64 |= (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(k, zero));
        head |= heads_of(p - 32);
        low |= (uint32_t)_mm256_movemask_epi8(within32(c, '0', 7));
    }
    unsigned __int128 run = base64 & base64 >> 1;
    run &= run >> 2;
    run &= run >> 4;
    run &= run >> 8;
    head &= head >> 4;
    head &= head >> 8;
    low &= low >> 2;
    low &= low >> 4;
    low &= low >> 8;
    if (run & low)
        return false;
    if (run & head) {
        unsigned __int128 ascii = ascii_of(p, goes_on);
        ascii &= ascii >> 4;
        ascii &= ascii >> 8;
        if ((run & run >> 16 & run >> 24) || (run & head & ascii))
            return false;
        for (uint64_t starts = (uint64_t)((run & ~(base64 << 1)) >> 16); starts; starts &= starts - 1)
            if (may_unpack(p + __builtin_ctzll(starts) - 16))
                return false;
    }
    return !any_folds(p, (uint64_t)(run >> 17), m->base64, len);
}

#endif

bool secret_class_words(const uint8_t *p, size_t len, bool back, const struct class_masks *masks, uint64_t *run)
{
#if defined(__SSE2__)
    if (__builtin_cpu_supports("avx2") && (*run == 0 || back) && is_words(p, *run > 0, masks, len)) {
        *run = secret_class_behind(*run, masks->base64);
        return true;
    }
#endif
    (void)p;
    (void)len;
    (void)back;
    (void)masks;
    (void)run;
    return false;
}
