/* SPDX-License-Identifier: ISC
 * Choosing shapes, where rules are compiled, and finding them, in a worker child over hostile bytes. With AVX2 where the
 * processor has it, else by table, with the same result. Trusts rules and the stored shapes, never the text. Pure. */
#include "inspect/secret_shape.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    BLOCK = 32,
    LITERAL_MEMBERS = 6,  /* the library writes out classes as small as this */
    LITERAL_ENOUGH = 4,   /* measured: shorter ones cost, the more the commoner they are */
    WIDTH_MOST = 64
};

static bool has(const uint8_t class[32], uint8_t c)
{
    return class[c >> 3] >> (c & 7) & 1;
}

/* --- choosing -------------------------------------------------------------------------------------------- */

/* Of text, parts in a thousand, roughly. */
static unsigned frequency(unsigned c)
{
    if (c > 0 && c < 128 && strchr("etaoinsrlcdpumh ", (int)c))
        return 50;
    return c > 0 && c < 128 && strchr("bfgjkqvwxyz0123456789./-_=:,;'\"()<>\n\t", (int)c) ? 12 : 3;
}

static unsigned class_rate(const bool class[256], unsigned *members)
{
    unsigned sum = 0;
    *members = 0;
    for (unsigned c = 0; c < 256; c++)
        if (class[c]) {
            sum += frequency(c);
            ++*members;
        }
    return sum < 1000 ? sum : 1000;
}

/* The trigger byte by byte: for each the class, and what a text has of it. */
struct unrolled {
    size_t n;
    const bool *class[WIDTH_MOST];
    unsigned rate[WIDTH_MOST], members[WIDTH_MOST];
};

static bool unroll(const struct rule *rule, struct secret_gate *steps, struct unrolled *out)
{
    out->n = 0;
    if (!secret_trigger_shape(rule, steps))
        return false;
    for (size_t i = 0; i < steps->n; i++)
        for (unsigned k = 0; k < steps->steps[i].least; k++) {
            if (out->n == WIDTH_MOST)
                return false;
            out->class[out->n] = steps->steps[i].class;
            out->rate[out->n] = class_rate(steps->steps[i].class, &out->members[out->n]);
            out->n++;
        }
    return out->n >= SHAPE_PLACES;
}

static size_t literal_of(const struct unrolled *u)
{
    size_t best = 0, run = 0;
    for (size_t i = 0; i < u->n; i++) {
        run = u->members[i] <= LITERAL_MEMBERS ? run + 1 : 0;
        best = run > best ? run : best;
    }
    return best;
}

size_t secret_shape_literal(const struct rule *rule)
{
    struct secret_gate steps;
    struct unrolled u;
    return unroll(rule, &steps, &u) ? literal_of(&u) : 0;
}

/* How often a text has the n bytes from `at` on, of a thousand to the n. */
static double rate_of(const struct unrolled *u, size_t at, size_t n)
{
    double rate = 1;
    for (size_t i = at; i < at + n; i++)
        rate *= u->rate[i];
    return rate;
}

static size_t rarest(const struct unrolled *u, size_t n)
{
    size_t best = 0;
    for (size_t at = 1; at + n <= u->n; at++)
        if (rate_of(u, at, n) < rate_of(u, best, n))
            best = at;
    return best;
}

/* What the trigger costs the database: short literals before common ones. 0: too little to ask. */
static double cost_of(const struct unrolled *u)
{
    size_t literal = literal_of(u), n = LITERAL_ENOUGH - 1;
    if (literal >= LITERAL_ENOUGH)
        return 0;
    return rate_of(u, rarest(u, n), n) + (literal < n ? 1e9 * (double)(n - literal) : 0);
}

static void shape_fill(struct shape *shape, size_t rule, const struct secret_gate *steps, const struct unrolled *u)
{
    memset(shape, 0, sizeof(*shape));
    shape->rule = (uint32_t)rule;
    shape->width = (uint16_t)u->n;
    shape->anchor = (uint16_t)rarest(u, SHAPE_PLACES);
    shape->steps = (uint32_t)steps->n;
    for (size_t i = 0; i < steps->n; i++) {
        shape->step[i].n = steps->steps[i].least;
        for (unsigned c = 0; c < 256; c++)
            if (steps->steps[i].class[c])
                shape->step[i].class[c >> 3] |= (uint8_t)(1u << (c & 7));
    }
}

static void add_places(struct secret_shapes *out, size_t number, const struct unrolled *u, size_t anchor)
{
    for (size_t k = 0; k < SHAPE_PLACES; k++)
        for (unsigned c = 0; c < 256; c++)
            if (u->class[anchor + k][c]) {
                out->low[k][c & 15] |= (uint8_t)(1u << number);
                out->high[k][c >> 4] |= (uint8_t)(1u << number);
            }
}

void secret_shapes_choose(const struct rule_table *table, struct secret_shapes *out)
{
    struct secret_gate steps;
    struct unrolled u;
    memset(out, 0, sizeof(*out));
    while (out->n < SHAPES_MOST) {
        double most = 0;
        size_t best = table->n;
        for (size_t i = 0; i < table->n; i++) {
            double cost = !secret_shapes_have(out, i) && unroll(&table->v[i], &steps, &u) ? cost_of(&u) : 0;
            if (cost > most) {
                most = cost;
                best = i;
            }
        }
        if (best == table->n || !unroll(&table->v[best], &steps, &u))
            return;
        shape_fill(&out->v[out->n], best, &steps, &u);
        add_places(out, out->n, &u, out->v[out->n].anchor);
        out->n++;
    }
}

bool secret_shapes_have(const struct secret_shapes *shapes, size_t rule)
{
    for (size_t i = 0; i < shapes->n && i < SHAPES_MOST; i++)
        if (shapes->v[i].rule == rule)
            return true;
    return false;
}

/* --- finding --------------------------------------------------------------------------------------------- */

_Static_assert(SHAPE_PLACES == 4, "they are written out below");

struct search {
    const struct secret_shapes *shapes;
    const uint8_t *p;
    size_t len;
    shape_hit *hit;
    void *context;
};

static bool shape_is(const struct shape *shape, const uint8_t *p)
{
    for (size_t i = 0; i < shape->steps; i++)
        for (uint32_t k = 0; k < shape->step[i].n; k++)
            if (!has(shape->step[i].class, *p++))
                return false;
    return true;
}

/* The shapes whose places may be at `at`. */
static bool compare(const struct search *s, size_t at, unsigned shapes)
{
    for (; shapes; shapes &= shapes - 1) {
        const struct shape *shape = &s->shapes->v[__builtin_ctz(shapes)];
        if (at < shape->anchor || s->len - (at - shape->anchor) < shape->width)
            continue;
        size_t start = at - shape->anchor;
        if (shape_is(shape, s->p + start) && s->hit(shape->rule, 0, start + shape->width, 0, s->context) != 0)
            return false;
    }
    return true;
}

/* SHAPE_PLACES bytes at p can be read. */
static unsigned shapes_at(const struct secret_shapes *s, const uint8_t *p)
{
    unsigned may = 0xff;
    for (size_t k = 0; k < SHAPE_PLACES && may; k++)
        may &= (unsigned)(s->low[k][p[k] & 15] & s->high[k][p[k] >> 4]);
    return may;
}

static bool scan_plain(const struct search *s, size_t at)
{
    for (; at + SHAPE_PLACES <= s->len; at++) {
        unsigned may = shapes_at(s->shapes, s->p + at);
        if (may && !compare(s, at, may))
            return false;
    }
    return true;
}

bool secret_shapes_scan_plain(const struct secret_shapes *shapes, const uint8_t *p, size_t len, shape_hit *hit, void *context)
{
    struct search s = {shapes, p, len, hit, context};
    return scan_plain(&s, 0);
}

#if defined(__SSE2__)

#define AVX2 __attribute__((target("avx2")))

static inline __attribute__((always_inline)) AVX2 __m256i table_of(const uint8_t table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

struct tables {
    __m256i low[SHAPE_PLACES], high[SHAPE_PLACES];
};

static inline __attribute__((always_inline)) AVX2 __m256i place(const struct tables *t, const uint8_t *p, size_t k)
{
    const __m256i half = _mm256_set1_epi8(15);
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)(p + k));
    __m256i a = _mm256_shuffle_epi8(t->low[k], _mm256_and_si256(c, half));
    return _mm256_and_si256(a, _mm256_shuffle_epi8(t->high[k], _mm256_and_si256(_mm256_srli_epi16(c, 4), half)));
}

static AVX2 bool scan_avx2(const struct search *s)
{
    const __m256i zero = _mm256_setzero_si256();
    struct tables t;
    size_t at = 0;
    for (size_t k = 0; k < SHAPE_PLACES; k++) {
        t.low[k] = table_of(s->shapes->low[k]);
        t.high[k] = table_of(s->shapes->high[k]);
    }
    for (; at + BLOCK + SHAPE_PLACES <= s->len; at += BLOCK) {
        const uint8_t *p = s->p + at;
        __m256i front = _mm256_and_si256(place(&t, p, 0), place(&t, p, 1));
        __m256i may = _mm256_and_si256(front, _mm256_and_si256(place(&t, p, 2), place(&t, p, 3)));
        if (_mm256_testz_si256(may, may))
            continue;
        uint32_t places = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(may, zero));
        for (; places; places &= places - 1) {
            size_t i = at + (size_t)__builtin_ctz(places);
            if (!compare(s, i, shapes_at(s->shapes, s->p + i)))
                return false;
        }
    }
    return scan_plain(s, at);
}

#endif

bool secret_shapes_scan(const struct secret_shapes *shapes, const uint8_t *p, size_t len, shape_hit *hit, void *context)
{
#if defined(__SSE2__)
    struct search s = {shapes, p, len, hit, context};
    if (__builtin_cpu_supports("avx2"))
        return scan_avx2(&s);
#endif
    return secret_shapes_scan_plain(shapes, p, len, hit, context);
}
