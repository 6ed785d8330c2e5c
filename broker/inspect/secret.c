/* SPDX-License-Identifier: ISC
 * The secret inspector: raw bytes of every file and member whatever its type, and every decoded view of them. Runs in a
 * worker child. What it says of a credential is rule, place, length and encoding; never a byte of it. */
#include "inspect/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the engine ------------------------------------------------------------------------------------ */

static bool make_room(struct secret_engine *e)
{
    for (unsigned i = 0; i <= SECRET_DEPTH; i++) {
        e->decoded[i] = malloc(SECRET_BLOCK + 64);
        e->compact[i] = malloc(SECRET_BLOCK + 64);
        e->next[i] = calloc(e->table.n, sizeof(*e->next[i]));
        e->used[i] = calloc(e->table.n, sizeof(*e->used[i]));
        if (!e->decoded[i] || !e->compact[i] || !e->next[i] || !e->used[i])
            return false;
    }
    e->hits = calloc(e->table.n * 2, sizeof(*e->hits));
    e->windows = calloc(e->table.n, sizeof(*e->windows));
    e->waiting = calloc(e->table.n, sizeof(*e->waiting));
    e->records = calloc(FINDINGS_MAX + 1, sizeof(*e->records));
    return e->hits && e->windows && e->waiting && e->records;
}

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size);
    if (copy)
        memcpy(copy, data, size);
    return copy;
}

/* Few rules have either. */
static bool make_gates(struct secret_engine *e)
{
    struct secret_gate gate;
    struct gate_step need;
    e->gates = calloc(e->table.n, sizeof(*e->gates));
    e->needs = calloc(e->table.n, sizeof(*e->needs));
    bool good = e->gates && e->needs;
    for (size_t i = 0; good && i < e->table.n; i++) {
        if (secret_trigger_gate(&e->table.v[i], &gate))
            good = (e->gates[i] = copy_of(&gate, sizeof(gate))) != NULL;
        if (good && secret_trigger_need(&e->table.v[i], &need))
            good = (e->needs[i] = copy_of(&need, sizeof(need))) != NULL;
    }
    return good;
}

/* Rules with one sign are a chain from the first of them. */
static bool make_shares(struct secret_engine *e)
{
    e->shares = calloc(e->table.n, sizeof(*e->shares));
    for (size_t i = 0; e->shares && i < e->table.n; i++) {
        size_t at = e->gates[i] ? secret_db_first(&e->table, i) : i;
        if (at == i)
            continue;
        while (e->shares[at])
            at = e->shares[at];
        e->shares[at] = (uint32_t)i;
    }
    return e->shares;
}

static bool make_db(struct secret_engine *e, const uint8_t *stored, size_t len, char *why, size_t why_size)
{
    if (stored)
        e->db = secret_db_load(stored, len, e->table.seal);
    if (!e->db)
        e->db = secret_db_compile(&e->table, why, why_size);
    return e->db;
}

struct secret_engine *secret_engine_new(struct rule_table *take, const uint8_t *stored_db, size_t stored_len,
                                        char *why, size_t why_size)
{
    struct secret_engine *e = calloc(1, sizeof(*e));
    snprintf(why, why_size, "out of memory");
    if (!e)
        return NULL;
    e->table = *take;
    *take = (struct rule_table){0};
    bool good = e->table.n > 0 && make_room(e) && make_gates(e) && make_shares(e);
    for (size_t i = 0; good && i < e->table.n; i++) {
        good = e->table.v[i].width > 0 && e->table.v[i].max > 0;
        if (e->table.v[i].width >= e->overlap)
            e->overlap = e->table.v[i].width + 1;
    }
    if (good)
        good = (e->rules = rule_set_new(&e->table, !stored_db, why, why_size)) &&
               make_db(e, stored_db, stored_len, why, why_size);
    if (!good)
        secret_engine_free(&e);
    return e;
}

void secret_engine_warm(struct secret_engine *engine)
{
    rule_set_warm(engine->rules);
}

void secret_engine_free(struct secret_engine **engine)
{
    struct secret_engine *e = *engine;
    *engine = NULL;
    if (!e)
        return;
    for (unsigned i = 0; i <= SECRET_DEPTH; i++) {
        free(e->decoded[i]);
        free(e->compact[i]);
        free(e->next[i]);
        free(e->used[i]);
    }
    for (size_t i = 0; e->gates && i < e->table.n; i++)
        free(e->gates[i]);
    for (size_t i = 0; e->needs && i < e->table.n; i++)
        free(e->needs[i]);
    free(e->gates);
    free(e->needs);
    free(e->shares);
    free(e->hits);
    free(e->windows);
    free(e->waiting);
    free(e->records);
    secret_db_free(&e->db);
    rule_set_free(&e->rules);
    rule_table_free(&e->table);
    free(e);
}

/* --- saying what was found ------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b)
{
    const struct secret_record *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->rule < y->rule ? -1 : x->rule > y->rule;
}

struct lines {
    struct bytes *bytes;
    uint64_t at;
    uint32_t line;
};

/* Line of an offset that is not before the last one asked for. */
static uint32_t line_of(struct lines *lines, uint64_t offset)
{
    while (lines->at < offset) {
        size_t len;
        const uint8_t *p = bytes_chunk(lines->bytes, lines->at, &len);
        if (len == 0)
            break;
        if (len > offset - lines->at)
            len = (size_t)(offset - lines->at);
        for (const uint8_t *q = p; (q = memchr(q, '\n', (size_t)(p + len - q))); q++)
            lines->line++;
        lines->at += len;
    }
    return lines->line;
}

static bool overlaps(const struct secret_record *a, const struct secret_record *b)
{
    return a->offset < b->offset + b->length && b->offset < a->offset + a->length;
}

/* "a password stands here" adds nothing where a rule knows whose credential it is. */
static bool is_shadowed(const struct scan *scan, const struct secret_record *r)
{
    const struct secret_record *v = scan->engine->records;
    if (scan->engine->table.v[r->rule].kind != KIND_VALUE)
        return false;
    for (size_t i = 0; i < scan->records_n; i++)
        if (scan->engine->table.v[v[i].rule].kind != KIND_VALUE && overlaps(&v[i], r))
            return true;
    return false;
}

static void say_all(struct scan *scan)
{
    struct inspection *in = scan->in;
    struct secret_record *v = scan->engine->records;
    struct lines lines = {.bytes = in->bytes, .line = 1};
    qsort(v, scan->records_n, sizeof(*v), by_offset);
    for (size_t i = 0; i < scan->records_n; i++) {
        const char *chain = v[i].chain[0] == ',' ? v[i].chain + 2 : v[i].chain;
        if (is_shadowed(scan, &v[i]))
            continue;
        inspect_secret(in, scan->engine->table.v[v[i].rule].id, v[i].level, v[i].offset,
                       in->text != TYPE_NONE ? line_of(&lines, v[i].offset) : 0, v[i].length, chain[0] ? chain : NULL);
    }
    if (scan->undecided)
        inspect_find(in, FINDING_INSPECT_LIMIT, "a secret rule could not be decided within its limits");
    if (scan->exhausted)
        inspect_find(in, FINDING_INSPECT_LIMIT, "more encoded text than is decoded in one file");
    if (scan->too_many)
        inspect_find(in, FINDING_INSPECT_LIMIT, "more credentials in one file than are kept");
}

/* A binary that nothing else claims: nobody but us looks for what is packed inside it. */
static bool is_unknown(const struct inspection *in)
{
    for (unsigned t = 1; t < TYPE_COUNT; t++)
        if (claims_by_content(&in->claims, (enum type)t))
            return false;
    return in->text == TYPE_NONE;
}

void secret_scan(struct secret_engine *engine, struct inspection *in)
{
    struct scan scan = {.engine = engine, .in = in, .inflates = is_unknown(in)};
    struct text text;
    scan.decoded_max = SECRET_DECODED_FLOOR + (in->bytes->size < UINT64_MAX / 64 ? in->bytes->size : UINT64_MAX / 64) *
                                                  SECRET_DECODED_FACTOR;
    engine->scans++;
    if (engine->hits_used)
        memset(engine->hits, 0, engine->table.n * 2 * sizeof(*engine->hits));
    engine->hits_used = false;
    secret_text_init(&text, in->bytes);
    secret_scan_text(&scan, &text);
    say_all(&scan);
}
