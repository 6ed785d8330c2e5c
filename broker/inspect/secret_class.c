/* SPDX-License-Identifier: ISC
 * Alphabets as bit masks. On x86-64 with SSE2, which every such processor has; elsewhere by table, with the same
 * result, which the tests compare. Pure. */
#include "inspect/secret_class.h"

#include <string.h>

#if defined(__SSE2__)
#include "inspect/secret_class_avx2.h"
#endif

enum { NO = 255 };

uint64_t secret_class_behind(uint64_t before, uint64_t mask)
{
    return ~mask ? (uint64_t)__builtin_clzll(~mask) : before + 64;
}

/* What stands behind the block is not known: taken as what would matter. */
#define SURE1 ((uint64_t)1 << 63)
#define SURE2 ((uint64_t)3 << 62)
#define SURE3 ((uint64_t)7 << 61)

/* By bit: is the byte a hex digit, a line break, and so on. */
struct signs {
    uint64_t hex, line, percent, equals, plain, amp, hash, two, three, zero, d; /* plain: \\ and ESC */
};

/* Of quoted-printable: a joined line, an encoded blank, = or -, or two encoded bytes in a row. "=12" is ordinary text. */
static inline uint64_t escapes_of(const struct signs *s)
{
    uint64_t pair = (s->hex >> 1 | SURE1) & (s->hex >> 2 | SURE2);
    uint64_t sign = ((s->two | s->three) >> 1 | SURE1) & (s->d >> 2 | SURE2);
    uint64_t blank = (s->two >> 1 | SURE1) & (s->zero >> 2 | SURE2);
    uint64_t quoted = (pair & (sign | blank | s->equals >> 3 | SURE3)) | s->line >> 1 | SURE1;
    return s->plain | (s->percent & pair) | (s->equals & quoted) | (s->amp & (s->hash >> 1 | SURE1));
}

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

bool secret_class_ascii(const uint8_t *c)
{
    return secret_class_base64(c[0]) < 32 && !(secret_class_base64(c[1]) & 8) && !(secret_class_base64(c[2]) & 2);
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
    uint64_t base64 = 0, nul = 0;
    struct signs s = {0};
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_or_si128(c, _mm_set1_epi8(0x20));
        __m128i letter = within(low, 'a', 25);
        __m128i digit = within(c, '/', 10); /* slash and the digits behind it */
        __m128i sign = _mm_or_si128(is(c, '_'), _mm_or_si128(is(c, '+'), is(c, '-')));
        base64 |= bits(_mm_or_si128(letter, _mm_or_si128(digit, sign)), i);
        s.hex |= bits(_mm_or_si128(within(c, '0', 9), within(low, 'a', 5)), i);
        s.line |= bits(_mm_or_si128(is(c, '\n'), is(c, '\r')), i);
        s.percent |= bits(is(c, '%'), i);
        s.equals |= bits(is(c, '='), i);
        s.plain |= bits(_mm_or_si128(is(c, '\\'), is(c, 0x1b)), i);
        s.amp |= bits(is(c, '&'), i);
        s.hash |= bits(is(c, '#'), i);
        s.two |= bits(is(c, '2'), i);
        s.three |= bits(is(c, '3'), i);
        s.zero |= bits(is(c, '0'), i);
        s.d |= bits(is(c, 'D'), i);
        nul |= bits(is(c, 0), i);
    }
    return (struct class_masks){base64, escapes_of(&s), nul};
}

/* What a sign needs behind it to start an escape, k and l being the kinds of c and d; asked only where there is one, and
 * step by step, since most of them start none. */
static AVX2 uint64_t escapes_avx2(__m256i c, __m256i d, __m256i k, __m256i l)
{
    const __m256i small = _mm256_set1_epi8(0x20);
    struct signs s = {.plain = both(k, l), .equals = both(_mm256_slli_epi16(k, 1), _mm256_slli_epi16(l, 1))};
    uint64_t others = both(_mm256_slli_epi16(k, 2), _mm256_slli_epi16(l, 2));
    if (!(s.equals | others))
        return s.plain;
    s.hex = both(_mm256_or_si256(within32(c, '0', 9), within32(_mm256_or_si256(c, small), 'a', 5)),
                 _mm256_or_si256(within32(d, '0', 9), within32(_mm256_or_si256(d, small), 'a', 5)));
    if (others) {
        s.percent = both(is32(c, '%'), is32(d, '%'));
        s.amp = others & ~s.percent;
        s.hash = s.amp ? both(is32(c, '#'), is32(d, '#')) : 0;
    }
    if (s.equals) {
        s.line = both(_mm256_or_si256(is32(c, '\n'), is32(c, '\r')), _mm256_or_si256(is32(d, '\n'), is32(d, '\r')));
        if (s.equals & (s.hex >> 1 | SURE1)) {
            s.two = both(is32(c, '2'), is32(d, '2'));
            s.three = both(is32(c, '3'), is32(d, '3'));
            s.zero = both(is32(c, '0'), is32(d, '0'));
            s.d = both(is32(c, 'D'), is32(d, 'D'));
        }
    }
    return escapes_of(&s);
}

static inline __attribute__((always_inline)) AVX2 struct class_masks masks_of_avx2(const uint8_t *p)
{
    const __m256i zero = _mm256_setzero_si256(), base64 = _mm256_set1_epi8(BASE64);
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i d = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i k = kinds_of(c), l = kinds_of(d);
    uint64_t other = both(_mm256_cmpeq_epi8(_mm256_and_si256(k, base64), zero),
                          _mm256_cmpeq_epi8(_mm256_and_si256(l, base64), zero));
    __m256i signs = _mm256_andnot_si256(base64, _mm256_or_si256(k, l));
    __m256i zeros = _mm256_cmpeq_epi8(_mm256_min_epu8(c, d), zero);
    __m256i colours = _mm256_or_si256(is32(c, 0x1b), is32(d, 0x1b));
    uint64_t nul = 0, escape = _mm256_testz_si256(signs, signs) ? 0 : escapes_avx2(c, d, k, l);
    if (!_mm256_testz_si256(colours, colours))
        escape |= both(is32(c, 0x1b), is32(d, 0x1b));
    if (!_mm256_testz_si256(zeros, zeros))
        nul = both(is32(c, 0), is32(d, 0));
    return (struct class_masks){~other, escape, nul};
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
    uint64_t base64 = 0, nul = 0;
    struct signs s = {0};
    for (unsigned i = 0; i < 64; i++) {
        base64 |= (uint64_t)(secret_class_base64(p[i]) != NO) << i;
        s.hex |= (uint64_t)(secret_class_hex(p[i]) != NO) << i;
        s.line |= (uint64_t)(p[i] == '\n' || p[i] == '\r') << i;
        s.percent |= (uint64_t)(p[i] == '%') << i;
        s.equals |= (uint64_t)(p[i] == '=') << i;
        s.plain |= (uint64_t)(p[i] == '\\' || p[i] == 0x1b) << i;
        s.amp |= (uint64_t)(p[i] == '&') << i;
        s.hash |= (uint64_t)(p[i] == '#') << i;
        s.two |= (uint64_t)(p[i] == '2') << i;
        s.three |= (uint64_t)(p[i] == '3') << i;
        s.zero |= (uint64_t)(p[i] == '0') << i;
        s.d |= (uint64_t)(p[i] == 'D') << i;
        nul |= (uint64_t)(p[i] == 0) << i;
    }
    return (struct class_masks){base64, escapes_of(&s), nul};
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

/* No run of SECRET_RUN_LEAST ends here. */
static inline bool has_no_run(uint64_t mask, uint64_t before)
{
    uint64_t run = mask & mask >> 1;
    run &= run >> 2;
    run &= run >> 4;
    run &= run >> 8;
    return !(run & run >> 4) && before + (uint64_t)__builtin_ctzll(~mask | (uint64_t)1 << 63) < SECRET_RUN_LEAST;
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
        after = secret_class_behind(before, m.base64);
        if (has_no_run(m.base64, before))
            continue;
        uint64_t unused = before;
        if (!secret_class_words(p + done, n - done, back || done > 0, &m, &unused))
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
