/* SPDX-License-Identifier: ISC
 * The footer of a Parquet file: the schema's columns, where each lies, and texts, all of which are shown. Runs in the
 * confined child on hostile bytes. A column is walked as soon as the footer has told it, so nothing is kept but the schema. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/parquet.h"

/* Paths from FileMetaData (2 schema, 4 row groups, 5 texts, 8 encryption). */
#define AT_ELEMENT THRIFT_PATH1(2)
#define AT_GROUP THRIFT_PATH1(4)
#define AT_COLUMN THRIFT_PATH2(4, 1)
#define AT_FILE THRIFT_PATH3(4, 1, 1)
#define AT_META THRIFT_PATH3(4, 1, 3)
#define AT_LOCK THRIFT_PATH3(4, 1, 8)
#define AT_LOCKED_META THRIFT_PATH3(4, 1, 9)
#define AT_ALGORITHM THRIFT_PATH1(8)
#define IN_META(field) THRIFT_PATH4(4, 1, 3, field)
#define OF_CHUNK(member) offsetof(struct parquet_chunk, member)

static const struct {
    uint64_t path;
    size_t member;
} numbers[] = {
    {THRIFT_PATH3(4, 1, 4), OF_CHUNK(offsets_at)}, {THRIFT_PATH3(4, 1, 5), OF_CHUNK(offsets_len)},
    {THRIFT_PATH3(4, 1, 6), OF_CHUNK(stats_at)},   {THRIFT_PATH3(4, 1, 7), OF_CHUNK(stats_len)},
    {IN_META(1), OF_CHUNK(type)},                  {IN_META(4), OF_CHUNK(codec)},
    {IN_META(5), OF_CHUNK(values)},                {IN_META(7), OF_CHUNK(packed)},
    {IN_META(9), OF_CHUNK(pages_at)},              {IN_META(10), OF_CHUNK(index_at)},
    {IN_META(11), OF_CHUNK(dictionary_at)},        {IN_META(14), OF_CHUNK(bloom_at)},
    {IN_META(15), OF_CHUNK(bloom_len)},
};

/* An element of the schema, which is a tree written in order: each says how many of the following are below it. */
struct element {
    int64_t type, width, repetition, children;
};

struct footer {
    struct parquet *p;
    struct element element;
    struct {
        int64_t left; /* elements still to come on this level */
        uint16_t defined, repeated;
    } level[PARQUET_DEPTH];
    unsigned depth;
    bool rooted;
    struct parquet_chunk chunk;
};

enum { REPETITION_REQUIRED = 0, REPETITION_REPEATED = 2 };

static bool conflict(struct footer *f, const char *why)
{
    return parquet_fail(f->p, FINDING_TYPE_CONFLICT, f->p->end, why);
}

static bool incomplete(struct footer *f, const char *why)
{
    return parquet_fail(f->p, FINDING_INSPECT_INCOMPLETE, f->p->end, why);
}

/* --- the schema ------------------------------------------------------------------------------------------------------------ */

static bool add_leaf(struct footer *f, uint16_t defined, uint16_t repeated)
{
    struct parquet *p = f->p;
    if (f->element.type < 0 || f->element.type >= PARQUET_TYPES || f->element.width > (int64_t)PARQUET_PAGE)
        return incomplete(f, "a column of the schema has a type that is not known");
    if (p->leaves_n == p->leaves_cap) {
        size_t cap = p->leaves_cap ? 2 * p->leaves_cap : 64;
        void *v = cap <= PARQUET_LEAVES ? realloc(p->leaves, cap * sizeof(*p->leaves)) : NULL;
        if (!v)
            return parquet_fail(p, FINDING_INSPECT_LIMIT, p->end, "the schema has more columns than are looked at");
        p->leaves = v;
        p->leaves_cap = cap;
    }
    p->leaves[p->leaves_n++] = (struct parquet_leaf){.type = (int32_t)f->element.type,
                                                     .width = f->element.width > 0 ? (uint32_t)f->element.width : 0,
                                                     .defined = defined,
                                                     .repeated = repeated};
    return true;
}

static bool add_level(struct footer *f, uint16_t defined, uint16_t repeated)
{
    if (f->depth == PARQUET_DEPTH)
        return parquet_fail(f->p, FINDING_INSPECT_LIMIT, f->p->end, "the schema is nested deeper than is looked at");
    f->level[f->depth].left = f->element.children;
    f->level[f->depth].defined = defined;
    f->level[f->depth++].repeated = repeated;
    return true;
}

static bool end_element(struct footer *f)
{
    uint16_t defined = 0, repeated = 0;
    bool good = false;
    if (!f->rooted) {
        f->rooted = true;
        good = add_level(f, 0, 0);
    } else if (f->depth == 0) {
        return incomplete(f, "the schema has elements that belong to nothing");
    } else {
        const int64_t kind = f->element.repetition;
        f->level[f->depth - 1].left--;
        defined = (uint16_t)(f->level[f->depth - 1].defined + (kind != REPETITION_REQUIRED));
        repeated = (uint16_t)(f->level[f->depth - 1].repeated + (kind == REPETITION_REPEATED));
        bool group = f->element.children > 0 || f->element.type < 0;
        good = group ? add_level(f, defined, repeated) : add_leaf(f, defined, repeated);
    }
    while (f->depth > 0 && f->level[f->depth - 1].left <= 0)
        f->depth--;
    return good;
}

static void take_element(struct footer *f, const struct thrift *t)
{
    struct element *e = &f->element;
    int64_t *members[] = {NULL, &e->type, &e->width, &e->repetition, NULL, &e->children};
    uint64_t field = t->path & 0xff;
    if (field < ARRAY_LEN(members) && members[field])
        *members[field] = t->value;
}

/* --- columns ---------------------------------------------------------------------------------------------------------------- */

static bool end_column(struct footer *f)
{
    struct parquet *p = f->p;
    if (f->depth > 0 || !f->rooted)
        return incomplete(f, "the schema is not whole where the columns begin");
    if (p->column >= p->leaves_n)
        return conflict(f, "a row group has more columns than the schema");
    if (f->chunk.encrypted || (!f->chunk.told && !f->chunk.elsewhere))
        return incomplete(f, "a column is encrypted and cannot be looked into");
    if (f->chunk.elsewhere)
        return incomplete(f, "a column lies in another file");
    if (f->chunk.type != p->leaves[p->column].type)
        return conflict(f, "a column is not of the type that the schema says");
    bool good = parquet_chunk(p, &f->chunk, &p->leaves[p->column++]);
    shown_under(&p->shown, "!footer");
    return good;
}

static bool end_group(struct footer *f)
{
    if (f->p->column != f->p->leaves_n)
        return conflict(f, "a row group has fewer columns than the schema");
    f->p->column = 0;
    f->p->group++;
    return true;
}

static void take_number(struct footer *f, const struct thrift *t)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i].path == t->path)
            memcpy((char *)&f->chunk + numbers[i].member, &t->value, sizeof(t->value));
}

/* --- texts ------------------------------------------------------------------------------------------------------------------ */

static bool is_key(uint64_t path)
{
    return path == THRIFT_PATH2(5, 1) || path == THRIFT_PATH5(4, 1, 3, 8, 1);
}

static bool is_value(uint64_t path)
{
    return path == THRIFT_PATH2(5, 2) || path == THRIFT_PATH5(4, 1, 3, 8, 2);
}

/* An Arrow schema in base64, wherever its key stands, for readers take fields in any order: one that names the extension type whose parameters are a pickle makes readers run it. */
static void look_at_schema(struct footer *f, const struct thrift *t)
{
    uint32_t bits = 0, have = 0;
    size_t n = 0;
    uint8_t *out = parquet_room(f->p, &f->p->value, t->len);
    for (size_t i = 0; out && i < t->len; i++) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const char *digit = t->text[i] ? strchr(digits, t->text[i]) : NULL;
        if (!digit)
            continue;
        bits = bits << 6 | (uint32_t)(digit - digits);
        have += 6;
        if (have >= 8)
            out[n++] = (uint8_t)(bits >> (have -= 8));
    }
    if (out && memmem(out, n, "arrow.py_extension_type", 23))
        inspect_find_at(f->p->in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, f->p->end, 0,
                        "the schema has an extension type whose description is unpickled when it is read");
}

/* Each text on a line of its own; a value behind its key. */
static void take_text(struct footer *f, const struct thrift *t)
{
    bool key = is_key(t->path);
    if (t->path == AT_FILE)
        f->chunk.elsewhere = f->chunk.elsewhere || t->len > 0;
    if (t->path == AT_LOCKED_META)
        f->chunk.encrypted = true;
    if (is_value(t->path))
        look_at_schema(f, t);
    shown_bytes(&f->p->shown, t->text, t->len);
    shown_byte(&f->p->shown, key ? '=' : '\n');
}

/* --- the walk --------------------------------------------------------------------------------------------------------------- */

static bool take_open(struct footer *f, uint64_t path)
{
    if (path == AT_ELEMENT)
        f->element = (struct element){.type = -1};
    else if (path == AT_COLUMN)
        f->chunk = (struct parquet_chunk){.type = -1, .codec = -1, .values = -1, .packed = -1};
    else if (path == AT_META)
        f->chunk.told = true;
    else if (path == AT_LOCK)
        f->chunk.encrypted = true;
    else if (path == AT_ALGORITHM)
        return incomplete(f, "the file is encrypted and cannot be looked into");
    return true;
}

static bool take_close(struct footer *f, uint64_t path)
{
    if (path == AT_ELEMENT)
        return end_element(f);
    if (path == AT_COLUMN)
        return end_column(f);
    return path == AT_GROUP ? end_group(f) : true;
}

bool parquet_footer(struct parquet *p, const uint8_t *data, size_t len)
{
    struct footer f = {.p = p};
    struct thrift t;
    enum thrift_event e;
    thrift_init(&t, data, len);
    shown_under(&p->shown, "!footer");
    while (!p->stop && (e = thrift_next(&t)) != THRIFT_END) {
        if (e == THRIFT_BAD)
            return incomplete(&f, "the footer could not be read");
        if (e == THRIFT_OPEN)
            (void)take_open(&f, t.path);
        else if (e == THRIFT_CLOSE)
            (void)take_close(&f, t.path);
        else if (e == THRIFT_TEXT)
            take_text(&f, &t);
        else if (t.path >> 8 == AT_ELEMENT)
            take_element(&f, &t);
        else
            take_number(&f, &t);
    }
    shown_flush(&p->shown);
    if (!p->stop && t.at != t.end)
        return conflict(&f, "bytes stand between the footer and its length");
    return !p->stop;
}

bool parquet_texts(struct parquet *p, uint64_t at, uint64_t max, uint64_t *len)
{
    struct thrift t;
    enum thrift_event e;
    uint8_t *data = max <= PARQUET_FOOTER ? parquet_room(p, &p->plain, max) : NULL;
    if (!data || !bytes_copy(&p->bytes, at, data, (size_t)max))
        return false;
    thrift_init(&t, data, (size_t)max);
    while ((e = thrift_next(&t)) != THRIFT_END) {
        if (e == THRIFT_BAD)
            return false;
        if (e == THRIFT_TEXT) {
            shown_bytes(&p->shown, t.text, t.len);
            shown_byte(&p->shown, '\n');
        }
    }
    *len = (uint64_t)(t.at - data);
    return true;
}
