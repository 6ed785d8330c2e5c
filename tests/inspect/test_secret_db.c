/* SPDX-License-Identifier: ISC
 * A stored database is loaded only when it is exactly ours; and the triggers never miss what PCRE2 alone finds: more than
 * 50,000 texts made from the samples, at random alignment in random surroundings. */
#include <criterion/criterion.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "secret_samples.h"

static void table_seal(uint8_t out[32])
{
    memcpy(out, rules_table + rules_table_len - 32, 32);
}

Test(secret_db, loads_what_was_stored_and_nothing_else)
{
    uint8_t seal[32];
    table_seal(seal);
    struct secret_db *db = secret_db_load(rules_database, rules_database_len, seal);
    cr_assert(db);
    secret_db_free(&db);
    size_t room = (rules_database_len + 2 * SECRET_DB_ALIGN) / SECRET_DB_ALIGN * SECRET_DB_ALIGN;
    uint8_t *copy = aligned_alloc(SECRET_DB_ALIGN, room);
    memcpy(copy, rules_database, rules_database_len);
    db = secret_db_load(copy, rules_database_len, seal);
    cr_assert(db, "an image is good wherever it is aligned");
    secret_db_free(&db);
    for (size_t i = 0; i < rules_database_len; i += i < 256 ? 1 : 997) {
        copy[i] ^= 1;
        db = secret_db_load(copy, rules_database_len, seal);
        cr_assert(!db, "byte %zu", i);
        copy[i] ^= 1;
    }
    cr_assert(!secret_db_load(copy, rules_database_len - 1, seal));
    cr_assert(!secret_db_load(copy, rules_database_len + 1, seal));
    cr_assert(!secret_db_load(copy, 10, seal));
    cr_assert(!secret_db_load(copy, 0, seal));
    seal[3] ^= 1;
    cr_assert(!secret_db_load(copy, rules_database_len, seal));
    seal[3] ^= 1;
    memmove(copy + 16, copy, rules_database_len);
    cr_assert(!secret_db_load(copy + 16, rules_database_len, seal), "not aligned");
    free(copy);
}

/* --- the triggers against PCRE2 ------------------------------------------------------------------------ */

enum { VARIANTS = 220, CONTEXT_BYTES = 400 };

struct cover {
    size_t rule; /* the one that hits of it are told for */
    unsigned long long from, to; /* an end in here covers the match */
    const struct secret_gate *gate; /* NULL: none */
    const uint8_t *text;
    size_t len;
    bool found;
};

static int on_hit(unsigned rule, unsigned long long unused, unsigned long long to, unsigned flags, void *context)
{
    struct cover *c = context;
    (void)unused;
    (void)flags;
    bool here = rule == c->rule && to > c->from && to <= c->to;
    c->found = c->found || (here && (!c->gate || secret_gate_open(c->gate, c->text + to, c->len - to)));
    return 0;
}

/* Other characters of the same kind in a few places. */
static void vary(uint8_t *text, size_t len, uint32_t *state)
{
    for (unsigned n = 1 + sample_random(state) % 4; n > 0; n--) {
        uint8_t *c = &text[sample_random(state) % len];
        uint32_t r = sample_random(state) >> 8;
        if (isdigit(*c))
            *c = (uint8_t)('0' + r % 10);
        else if (*c >= 'a' && *c <= 'f')
            *c = (uint8_t)('a' + r % 6);
        else if (islower(*c) || isupper(*c))
            *c = (uint8_t)((isupper(*c) ? 'A' : 'a') + r % 26);
    }
}

/* Noise in front and behind; returns where the text stands, *len is the whole. */
static size_t surround(const uint8_t *varied, size_t n, uint8_t *out, size_t *len, uint32_t *state)
{
    static const char noise[] = "abcdefghij klmnop\nqrstuvwxyz0123456789ABCDEF=\"':;,./-_+{}[]()";
    size_t front = sample_random(state) % CONTEXT_BYTES, back = sample_random(state) % CONTEXT_BYTES;
    *len = front + n + back + 2;
    for (size_t i = 0; i < *len; i++)
        out[i] = (uint8_t)noise[sample_random(state) % (sizeof(noise) - 1)];
    out[front] = '\n';
    memcpy(out + front + 1, varied, n);
    out[front + 1 + n] = '\n';
    return front + 1;
}

struct differ {
    const struct rule_table *table;
    const struct rule_set *set;
    const struct secret_db *db;
    uint8_t *best, *varied, *text;
    uint32_t state;
};

/* How many variants of the sample PCRE2 found; every one must be covered by an end of the trigger
 * with an open gate. */
static size_t differ(struct differ *d, const struct sample *s, const struct rule *rule, size_t id)
{
    struct secret_gate gate;
    bool gated = secret_trigger_gate(rule, &gate);
    size_t got = 0;
    memcpy(d->best, s->text, s->len);
    for (size_t tries = 0; got < VARIANTS && tries < VARIANTS * 20; tries++) {
        struct match m;
        size_t len;
        memcpy(d->varied, d->best, s->len);
        if (tries > 0)
            vary(d->varied, s->len, &d->state);
        if (rule_match(d->set, id, d->varied, s->len, 0, s->len - 1, &m) != MATCH_YES)
            continue;
        memcpy(d->best, d->varied, s->len);
        size_t at = surround(d->varied, s->len, d->text, &len, &d->state) + m.start;
        struct cover c = {.rule = secret_db_first(d->table, id), .from = at, .to = at + rule->width + rule->lead,
                          .gate = gated ? &gate : NULL, .text = d->text, .len = len};
        cr_assert(secret_db_scan(d->db, d->text, len, on_hit, &c) == 0);
        cr_assert(c.found, "%s", rule->id);
        got++;
    }
    return got;
}

Test(secret_db, no_trigger_misses_what_the_pattern_finds)
{
    struct samples samples;
    struct rule_table table;
    char why[256];
    uint8_t seal[32];
    size_t positives = 0;
    samples_load(&samples, &table);
    table_seal(seal);
    struct rule_set *set = rule_set_new(&table, true, why, sizeof(why));
    struct secret_db *db = secret_db_load(rules_database, rules_database_len, seal);
    cr_assert(set && db);
    struct differ d = {&table, set, db, malloc(65536), malloc(65536), malloc(65536 + 4 * CONTEXT_BYTES), 20261129};
    for (size_t i = 0; i < samples.n; i++)
        positives += differ(&d, &samples.v[i], &table.v[i], i);
    cr_log_info("%zu positives", positives);
    cr_assert(positives >= 50000, "%zu", positives);
    rule_set_free(&set);
    secret_db_free(&db);
    free(d.best);
    free(d.varied);
    free(d.text);
    samples_free(&samples);
    rule_table_free(&table);
}
