/* SPDX-License-Identifier: ISC
 * Shapes: which triggers are some, that the database is left with none that slows all the others, and that each is found
 * wherever it stands, the same with vector instructions and without. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/secret_shape.h"
#include "secret_samples.h"

enum { TEXT = 300, ROUNDS = 3000, HITS = 4096 };

static size_t literal(const char *trigger)
{
    char text[100];
    snprintf(text, sizeof(text), "%s", trigger);
    struct rule rule = {.pattern = text};
    return secret_shape_literal(&rule);
}

Test(secret_shape, a_shape_has_a_fixed_width_and_classes_alone)
{
    cr_expect(literal("AC[0-9a-f]{32}") == 2);
    cr_expect(literal("[0-9]Q~[a-z]{8}") == 2);
    cr_expect(literal("[MNO][DTjz]_[a-z]{4}") == 3);
    cr_expect(literal("ghp_[a-z]{4}") == 4);
    cr_expect(literal("AC[0-9a-f]{3,9}x") == 0);
    cr_expect(literal("AC(?:x)[0-9]") == 0);
    cr_expect(literal("AC|BD[0-9]{4}") == 0);
    cr_expect(literal("AC[]a-f]{9}") == 0, "a bracket in front is a member");
    cr_expect(literal("AC[0-9a-f]{9}?") == 0);
    cr_expect(literal("\\bAC[0-9]{9}") == 0);
    cr_expect(literal("ACx") == 0, "too short to be looked for");
}

/* Measured: one trigger with less than three bytes in a row costs every byte of every text; so does one of three common
 * letters. */
Test(secret_shape, the_database_is_left_with_nothing_that_slows_it)
{
    struct rule_table table;
    struct secret_shapes shapes;
    cr_assert(rule_table_decode(&table, rules_table, rules_table_len));
    secret_shapes_choose(&table, &shapes);
    cr_assert(shapes.n == SHAPES_MOST);
    for (size_t i = 0; i < table.n; i++) {
        size_t n = secret_shape_literal(&table.v[i]);
        cr_expect(n == 0 || n >= 3 || secret_shapes_have(&shapes, i), "%s", table.v[i].id);
        cr_expect(n < 4 || !secret_shapes_have(&shapes, i), "%s", table.v[i].id);
    }
    const struct rule *common = rule_table_find(&table, "airtable-token");
    cr_assert(common && secret_shapes_have(&shapes, (size_t)(common - table.v)), "paths and patterns start with its letters");
    rule_table_free(&table);
}

struct hits {
    size_t n, most;
    struct {
        unsigned rule;
        unsigned long long to;
    } v[HITS];
};

static int on_hit(unsigned rule, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    struct hits *h = context;
    (void)from;
    (void)flags;
    if (h->n == h->most)
        return 1;
    h->v[h->n].rule = rule;
    h->v[h->n++].to = to;
    return 0;
}

/* One text that has the shape: the first member of each class, or another. */
static size_t example(const struct shape *shape, uint8_t *out, uint32_t *state)
{
    size_t n = 0;
    for (size_t i = 0; i < shape->steps; i++)
        for (uint32_t k = 0; k < shape->step[i].n; k++) {
            unsigned c = sample_random(state) >> 8 & 255;
            while (!(shape->step[i].class[c >> 3] >> (c & 7) & 1))
                c = (c + 1) & 255;
            out[n++] = (uint8_t)c;
        }
    return n;
}

static void compare(const struct secret_shapes *shapes, const uint8_t *p, size_t len, struct hits *fast, struct hits *plain)
{
    fast->n = plain->n = 0;
    fast->most = plain->most = HITS;
    cr_assert(secret_shapes_scan(shapes, p, len, on_hit, fast));
    cr_assert(secret_shapes_scan_plain(shapes, p, len, on_hit, plain));
    cr_assert(fast->n == plain->n, "%zu %zu", fast->n, plain->n);
    cr_assert(memcmp(fast->v, plain->v, fast->n * sizeof(fast->v[0])) == 0);
}

static bool has(const struct hits *h, unsigned rule, size_t to)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->v[i].rule == rule && h->v[i].to == to)
            return true;
    return false;
}

Test(secret_shape, every_one_is_found_everywhere_fast_and_plain_alike)
{
    struct rule_table table;
    struct secret_shapes shapes;
    struct hits *fast = calloc(1, sizeof(*fast)), *plain = calloc(1, sizeof(*plain));
    static const uint8_t near[] = "ACSKMNODTQ~0pat-usciodt.f9 ";
    uint32_t state = 7;
    cr_assert(rule_table_decode(&table, rules_table, rules_table_len));
    secret_shapes_choose(&table, &shapes);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct shape *shape = &shapes.v[round % shapes.n];
        size_t len = shape->width + sample_random(&state) % TEXT, at = sample_random(&state) % (len - shape->width + 1);
        uint8_t *p = malloc(len), one[64]; /* nothing behind it may be read */
        for (size_t i = 0; i < len; i++)
            p[i] = round % 3 == 0 ? (uint8_t)(sample_random(&state) >> 8) : near[sample_random(&state) % (sizeof(near) - 1)];
        cr_assert(example(shape, one, &state) == shape->width);
        memcpy(p + at, one, shape->width);
        compare(&shapes, p, len, fast, plain);
        cr_assert(has(fast, shape->rule, at + shape->width), "%s", table.v[shape->rule].id);
        free(p);
    }
    free(fast);
    free(plain);
    rule_table_free(&table);
}

Test(secret_shape, the_receiver_can_end_it)
{
    struct rule_table table;
    struct secret_shapes shapes;
    struct hits *hits = calloc(1, sizeof(*hits));
    uint8_t text[600];
    uint32_t state = 3;
    size_t n = 0;
    cr_assert(rule_table_decode(&table, rules_table, rules_table_len));
    secret_shapes_choose(&table, &shapes);
    while (n + 64 < sizeof(text))
        n += example(&shapes.v[0], text + n, &state);
    hits->most = 1;
    cr_assert(!secret_shapes_scan(&shapes, text, n, on_hit, hits));
    cr_assert(!secret_shapes_scan_plain(&shapes, text, n, on_hit, hits));
    cr_assert(secret_shapes_scan(&shapes, text, 3, on_hit, hits));
    cr_assert(secret_shapes_scan(&shapes, text, 0, on_hit, hits));
    free(hits);
    rule_table_free(&table);
}
