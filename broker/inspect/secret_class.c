/* SPDX-License-Identifier: ISC
 * Alphabets as bit masks. On x86-64 with SSE2, which every such processor has; elsewhere by table, with the same
 * result, which the tests compare. Pure. */
#include "inspect/secret_class.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { NO = 255 };

/* What stands behind the block is not known: taken as what would matter. */
#define SURE1 ((uint64_t)1 << 63)
#define SURE2 ((uint64_t)3 << 62)

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

static inline struct class_masks masks_of(const uint8_t *p)
{
    uint64_t base64 = 0, percent = 0, equals = 0, back = 0, hex = 0, line = 0, nul = 0, amp = 0, hash = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_or_si128(c, _mm_set1_epi8(0x20));
        __m128i letter = within(low, 'a', 25);
        __m128i digit = within(c, '/', 10); /* slash and the digits behind it */
        __m128i sign = _mm_or_si128(is(c, '_'), _mm_or_si128(is(c, '+'), is(c, '-')));
        base64 |= bits(_mm_or_si128(letter, _mm_or_si128(digit, sign)), i);
        hex |= bits(_mm_or_si128(within(c, '0', 9), within(low, 'a', 5)), i);
        line |= bits(_mm_or_si128(is(c, '\n'), is(c, '\r')), i);
        percent |= bits(is(c, '%'), i);
        equals |= bits(is(c, '='), i);
        back |= bits(is(c, '\\'), i);
        nul |= bits(is(c, 0), i);
        amp |= bits(is(c, '&'), i);
        hash |= bits(is(c, '#'), i);
    }
    uint64_t pair = (hex >> 1 | SURE1) & (hex >> 2 | SURE2);
    back |= amp & (hash >> 1 | SURE1);
    return (struct class_masks){base64, back | (percent & pair) | (equals & (pair | line >> 1 | SURE1)), nul, 0};
}

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

/* What a sign needs behind it to start an escape; asked only where there is one. */
static AVX2 uint64_t escapes_avx2(const uint8_t *p)
{
    uint64_t percent = 0, equals = 0, back = 0, line = 0, hex = 0, amp = 0, hash = 0;
    for (unsigned i = 0; i < 64; i += 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        amp |= bits32(is32(c, '&'), i);
        hash |= bits32(is32(c, '#'), i);
        __m256i letter = within32(_mm256_or_si256(c, _mm256_set1_epi8(0x20)), 'a', 5);
        hex |= bits32(_mm256_or_si256(within32(c, '0', 9), letter), i);
        line |= bits32(_mm256_or_si256(is32(c, '\n'), is32(c, '\r')), i);
        percent |= bits32(is32(c, '%'), i);
        equals |= bits32(is32(c, '='), i);
        back |= bits32(is32(c, '\\'), i);
    }
    uint64_t pair = (hex >> 1 | SURE1) & (hex >> 2 | SURE2);
    back |= amp & (hash >> 1 | SURE1);
    return back | (percent & pair) | (equals & (pair | line >> 1 | SURE1));
}

/* The same by two table look-ups, of the low and of the high half of each byte: 1 + - /, 2 digits, 4 A-O, 8 P-Z, 16 _,
 * 32 a-f, 64 g-o, 128 p-z; 44 are those that stand for less than 32. */
enum { HEADS = 44 };
static inline __attribute__((always_inline)) AVX2 __m256i kinds_of(__m256i c)
{
    const __m256i low_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-118, -82, -82, -82, -82, -82, -82, -50, -50, -50, -52, 69, 68, 69, 68, 85));
    const __m256i high_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 1, 2, 4, 24, 96, -128, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i half = _mm256_set1_epi8(15);
    __m256i a = _mm256_shuffle_epi8(low_table, _mm256_and_si256(c, half));
    __m256i b = _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(c, 4), half));
    return _mm256_and_si256(a, b);
}

static inline __attribute__((always_inline)) AVX2 struct class_masks masks_of_avx2(const uint8_t *p)
{
    const __m256i zero = _mm256_setzero_si256(), heads = _mm256_set1_epi8(HEADS);
    __m256i signs = zero, zeros = zero;
    uint64_t other = 0, not_head = 0, nul = 0;
    for (unsigned i = 0; i < 64; i += 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + i)), k = kinds_of(c);
        __m256i sign = _mm256_or_si256(within32(c, '%', 1), is32(c, '=')); /* & is behind % */
        sign = _mm256_or_si256(sign, is32(c, '\\'));
        other |= bits32(_mm256_cmpeq_epi8(k, zero), i);
        not_head |= bits32(_mm256_cmpeq_epi8(_mm256_and_si256(k, heads), zero), i);
        signs = _mm256_or_si256(signs, sign);
        zeros = _mm256_or_si256(zeros, is32(c, 0));
    }
    if (!_mm256_testz_si256(zeros, zeros))
        for (unsigned i = 0; i < 64; i += 32)
            nul |= bits32(is32(_mm256_loadu_si256((const __m256i *)(const void *)(p + i)), 0), i);
    return (struct class_masks){~other, _mm256_testz_si256(signs, signs) ? 0 : escapes_avx2(p), nul, ~not_head};
}

static AVX2 void text_avx2(const uint8_t *p, struct class_masks *out)
{
    *out = masks_of_avx2(p);
}

void secret_class_text(const uint8_t p[64], struct class_masks *out)
{
    if (__builtin_cpu_supports("avx2"))
        text_avx2(p, out);
    else
        *out = masks_of(p);
}

static void runs_of(const uint8_t *p, struct class_run *out)
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

/* The value of a character is the character and a number that its upper half tells; + - / _ have every bit that is
 * looked at. */
static AVX2 void runs_avx2(const uint8_t *p, struct class_run *out)
{
    const __m256i shift = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i signs = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i half = _mm256_set1_epi8(15);
    uint64_t first = 0, second = 0, third = 0, hex = 0, low = 0;
    for (unsigned i = 0; i < 64; i += 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i upper = _mm256_and_si256(_mm256_srli_epi16(c, 4), half);
        __m256i v = _mm256_add_epi8(c, _mm256_shuffle_epi8(shift, upper));
        v = _mm256_or_si256(v, _mm256_or_si256(_mm256_shuffle_epi8(signs, upper), is32(c, '_')));
        first |= bits32(_mm256_slli_epi16(v, 2), i);
        second |= bits32(_mm256_slli_epi16(v, 4), i);
        third |= bits32(_mm256_slli_epi16(v, 6), i);
        __m256i digit = within32(c, '0', 9), letter = within32(_mm256_or_si256(c, _mm256_set1_epi8(0x20)), 'a', 5);
        hex |= bits32(_mm256_or_si256(digit, letter), i);
        low |= bits32(within32(c, '0', 7), i);
    }
    *out = (struct class_run){~first & ~second >> 1 & ~third >> 2, hex, low};
}

static AVX2 size_t length_avx2(const uint8_t *p, size_t n)
{
    const __m256i low_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(10, 14, 14, 14, 14, 14, 14, 14, 14, 14, 12, 5, 4, 5, 4, 21));
    const __m256i high_table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, 1, 2, 4, 24, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i half = _mm256_set1_epi8(15);
    size_t at = 0;
    for (; at + 32 <= n; at += 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + at));
        __m256i a = _mm256_shuffle_epi8(low_table, _mm256_and_si256(c, half));
        __m256i b = _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16(c, 4), half));
        uint32_t other = (uint32_t)bits32(_mm256_cmpeq_epi8(_mm256_and_si256(a, b), _mm256_setzero_si256()), 0);
        if (other)
            return at + (size_t)__builtin_ctz(other);
    }
    return at;
}

void secret_class_runs(const uint8_t p[64], struct class_run *out)
{
    if (__builtin_cpu_supports("avx2"))
        runs_avx2(p, out);
    else
        runs_of(p, out);
}

#else

static struct class_masks masks_of(const uint8_t *p)
{
    uint64_t base64 = 0, percent = 0, equals = 0, back = 0, hex = 0, line = 0, nul = 0, amp = 0, hash = 0;
    for (unsigned i = 0; i < 64; i++) {
        base64 |= (uint64_t)(secret_class_base64(p[i]) != NO) << i;
        hex |= (uint64_t)(secret_class_hex(p[i]) != NO) << i;
        line |= (uint64_t)(p[i] == '\n' || p[i] == '\r') << i;
        percent |= (uint64_t)(p[i] == '%') << i;
        equals |= (uint64_t)(p[i] == '=') << i;
        back |= (uint64_t)(p[i] == '\\') << i;
        nul |= (uint64_t)(p[i] == 0) << i;
        amp |= (uint64_t)(p[i] == '&') << i;
        hash |= (uint64_t)(p[i] == '#') << i;
    }
    uint64_t pair = (hex >> 1 | SURE1) & (hex >> 2 | SURE2);
    back |= amp & (hash >> 1 | SURE1);
    return (struct class_masks){base64, back | (percent & pair) | (equals & (pair | line >> 1 | SURE1)), nul, 0};
}

void secret_class_text(const uint8_t p[64], struct class_masks *out)
{
    *out = masks_of(p);
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

/* --- blocks ------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) uint64_t find_run(uint64_t at, uint64_t mask, uint64_t *run, unsigned n)
{
    uint64_t carry = *run, ones = ~mask ? (uint64_t)__builtin_ctzll(~mask) : 64;
    if (carry + ones >= SECRET_RUN_LEAST)
        return at - carry;
    uint64_t m = mask & mask >> 1;
    m &= m >> 2;
    m &= m >> 4;
    m &= m >> 8;
    m &= m >> 4; /* sixteen and four more */
    if (m)
        return at + (unsigned)__builtin_ctzll(m);
    uint64_t top = n == 64 ? mask : mask << (64 - n);
    uint64_t tail = ~top ? (uint64_t)__builtin_clzll(~top) : 64;
    *run = tail >= n ? carry + n : tail;
    return UINT64_MAX;
}

uint64_t secret_class_run(uint64_t at, uint64_t mask, uint64_t *run, unsigned n)
{
    return find_run(at, mask, run, n);
}

/* Sixteen bytes where every second one is zero and none of the others, in any of the four lanes. */
static inline bool has_units(uint64_t nul)
{
    for (; nul; nul >>= 16)
        if ((nul & 0xffff) == 0xaaaa || (nul & 0xffff) == 0x5555)
            return true;
    return false;
}

uint64_t secret_class_pairs(uint64_t base64)
{
    uint64_t pair = base64 & base64 >> 1 & ~(base64 >> 2) & ~(base64 << 1);
    pair &= pair >> 3;
    pair &= pair >> 6;
    return pair & pair >> 6;
}

static inline __attribute__((always_inline)) bool is_dull(struct class_masks m, uint64_t *run)
{
    uint64_t before = *run;
    if (m.escape || (m.nul && has_units(m.nul)) || secret_class_pairs(m.base64))
        return false;
    if (find_run(SECRET_RUN_LEAST, m.base64, run, 64) == UINT64_MAX)
        return true;
    *run = before;
    return false;
}

static size_t skip_plain(const uint8_t *p, size_t n, uint64_t *run, struct class_masks *masks)
{
    size_t done = 0;
    for (; done + 64 <= n; done += 64) {
        *masks = masks_of(p + done);
        if (!is_dull(*masks, run))
            break;
    }
    return done;
}

#if defined(__SSE2__)

/* The ends of runs of sixteen: does one of them stand in front of a line break, behind which it may go on? */
static inline bool ends_line(const uint8_t *p, uint64_t ends, uint64_t mask)
{
    if (ends >> 63)
        return true;
    for (ends &= ~(mask >> 1); ends; ends &= ends - 1) {
        const uint8_t *behind = p + __builtin_ctzll(ends) + 1;
        if (*behind == ' ' && behind < p + 63)
            behind++;
        if (*behind <= ' ')
            return true;
    }
    return false;
}

static inline __attribute__((always_inline)) AVX2 uint64_t low_of(const uint8_t *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return bits32(within32(a, '0', 7), 0) | bits32(within32(b, '0', 7), 32);
}

/* Can anything in the runs of the block be more than words? Text decodes from base64 only where every fourth of sixteen
 * characters is one of A-Z a-f, and from hex only where every second one is a digit below 8. Where a run comes from the
 * block before, 32 bytes in front of p can be read, and what ended there was looked at. */
static inline __attribute__((always_inline)) AVX2 bool is_words(const uint8_t *p, bool goes_on, const struct class_masks *m)
{
    unsigned __int128 base64 = (unsigned __int128)m->base64 << 32, head = (unsigned __int128)m->head << 32,
                      low = (unsigned __int128)low_of(p) << 32;
    if (goes_on) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p - 32)), k = kinds_of(c);
        __m256i zero = _mm256_setzero_si256(), heads = _mm256_and_si256(k, _mm256_set1_epi8(HEADS));
        base64 |= (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(k, zero));
        head |= (uint32_t)~_mm256_movemask_epi8(_mm256_cmpeq_epi8(heads, zero));
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
    return !(run & (head | low)) && !ends_line(p, (uint64_t)(run >> 17), m->base64);
}

static inline uint64_t run_behind(uint64_t before, uint64_t mask)
{
    return ~mask ? (uint64_t)__builtin_clzll(~mask) : before + 64;
}

/* No eight in a row here, and too few in front to make a run with less than eight. */
static inline bool has_no_run(uint64_t mask, uint64_t before)
{
    uint64_t run = mask & mask >> 1;
    run &= run >> 2;
    return !(run & run >> 4) && before + 8 <= SECRET_RUN_LEAST;
}

/* Where the first bytes of a run are out of sight, the run is looked at in full. */
static AVX2 size_t skip_avx2(const uint8_t *p, size_t n, bool back, uint64_t *run, struct class_masks *masks)
{
    struct class_masks m = {0};
    uint64_t before = *run, after = 0;
    size_t done = 0;
    for (; done + 64 <= n; done += 64, before = after) {
        m = masks_of_avx2(p + done);
        if (m.escape || (m.nul && has_units(m.nul)) || secret_class_pairs(m.base64))
            break;
        after = run_behind(before, m.base64);
        if (has_no_run(m.base64, before))
            continue;
        uint64_t unused = before;
        if (find_run(UINT64_MAX / 2, m.base64, &unused, 64) == UINT64_MAX)
            continue;
        if ((before > 0 && !back && done == 0) || !is_words(p + done, before > 0, &m))
            break;
    }
    *run = before;
    *masks = m;
    return done;
}
#endif

size_t secret_class_skip(const uint8_t *p, size_t n, bool back, uint64_t *run, struct class_masks *masks)
{
#if defined(__SSE2__)
    if (__builtin_cpu_supports("avx2"))
        return skip_avx2(p, n, back, run, masks);
#endif
    (void)back;
    return skip_plain(p, n, run, masks);
}

#if defined(__SSE2__)
static AVX2 bool words_avx2(const uint8_t *p, bool goes_on, const struct class_masks *masks)
{
    return is_words(p, goes_on, masks);
}
#endif

bool secret_class_words(const uint8_t p[64], bool back, const struct class_masks *masks, uint64_t *run)
{
#if defined(__SSE2__)
    if (__builtin_cpu_supports("avx2") && (*run == 0 || back) && words_avx2(p, *run > 0, masks)) {
        *run = run_behind(*run, masks->base64);
        return true;
    }
#endif
    (void)p;
    (void)back;
    (void)masks;
    (void)run;
    return false;
}

size_t secret_class_length(const uint8_t *p, size_t n)
{
    size_t at = 0;
#if defined(__SSE2__)
    if (__builtin_cpu_supports("avx2"))
        at = length_avx2(p, n);
#endif
    while (at < n && secret_class_base64(p[at]) != NO)
        at++;
    return at;
}
