/* SPDX-License-Identifier: ISC
 * The schema of an Arrow file as a list of what each field has in a batch. Runs in the confined child on hostile bytes:
 * tables may lie in each other, so fields are counted and depth is bounded. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/arrow.h"

enum { FIELD_KIND = 2, FIELD_TYPE = 3, FIELD_DICTIONARY = 4, FIELD_CHILDREN = 5 }; /* slots of Field */
enum { TYPE_UNION = 14, TYPE_FIXED_BYTES = 15, VERSION_FIVE = 4, BIG_ENDIAN_ORDER = 1 };

/* By the number of the type in Schema.fbs. */
static const struct {
    uint8_t kind, buffers;
} layouts[] = {
    [1] = {ARROW_PLAIN, 0},      [2] = {ARROW_PLAIN, 2},      [3] = {ARROW_PLAIN, 2},  [4] = {ARROW_TEXT, 3},
    [5] = {ARROW_TEXT, 3},       [6] = {ARROW_PLAIN, 2},      [7] = {ARROW_PLAIN, 2},  [8] = {ARROW_PLAIN, 2},
    [9] = {ARROW_PLAIN, 2},      [10] = {ARROW_PLAIN, 2},     [11] = {ARROW_PLAIN, 2}, [12] = {ARROW_PLAIN, 2},
    [13] = {ARROW_PLAIN, 1},     [14] = {ARROW_PLAIN, 1},     [15] = {ARROW_WIDE, 2},  [16] = {ARROW_PLAIN, 1},
    [17] = {ARROW_PLAIN, 2},     [18] = {ARROW_PLAIN, 2},     [19] = {ARROW_LONG_TEXT, 3}, [20] = {ARROW_LONG_TEXT, 3},
    [21] = {ARROW_PLAIN, 2},     [22] = {ARROW_PLAIN, 0},     [23] = {ARROW_VIEW, 2},  [24] = {ARROW_VIEW, 2},
    [25] = {ARROW_PLAIN, 3},     [26] = {ARROW_PLAIN, 3},
};


struct build {
    struct arrow *a;
    struct flat *f;
    struct arrow_schema *s;
    uint64_t version, at;
    struct flat_table *values; /* fields of dictionaries, which come behind the rows */
    size_t values_n;
};

static bool broken(struct build *b)
{
    return arrow_fail(b->a, FINDING_INSPECT_INCOMPLETE, b->at, "the schema could not be read");
}

static bool limit(struct build *b)
{
    return arrow_fail(b->a, FINDING_INSPECT_LIMIT, b->at, "the schema has more fields than are looked at");
}

static bool append(struct build *b, struct arrow_field field)
{
    struct arrow_schema *s = b->s;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        void *v = cap <= ARROW_FIELDS ? realloc(s->v, cap * sizeof(*s->v)) : NULL;
        if (!v)
            return limit(b);
        s->v = v;
        s->cap = cap;
    }
    s->v[s->n++] = field;
    return true;
}

/* A dictionary is read once, however many fields share it. */
static bool remember(struct build *b, uint64_t id, const struct flat_table *field)
{
    struct arrow_schema *s = b->s;
    for (size_t i = 0; i < s->dictionaries_n; i++)
        if (s->dictionaries[i].id == id)
            return true;
    if (s->dictionaries_n == s->dictionaries_cap) {
        size_t cap = s->dictionaries_cap ? 2 * s->dictionaries_cap : 16;
        void *v = cap <= ARROW_DICTIONARIES ? realloc(s->dictionaries, cap * sizeof(*s->dictionaries)) : NULL;
        if (!v)
            return limit(b);
        s->dictionaries = v;
        v = realloc(b->values, cap * sizeof(*b->values));
        if (!v)
            return limit(b);
        b->values = v;
        s->dictionaries_cap = cap;
    }
    b->values[s->dictionaries_n] = *field;
    s->dictionaries[s->dictionaries_n++] = (struct arrow_dictionary){.id = id};
    return true;
}

static bool own_layout(struct build *b, const struct flat_table *field)
{
    struct flat_table type;
    uint64_t number = flat_number(b->f, field, FIELD_KIND, 1, 0);
    if (number == 0 || number >= ARRAY_LEN(layouts) || !flat_child(b->f, field, FIELD_TYPE, &type))
        return broken(b);
    struct arrow_field out = {.kind = layouts[number].kind, .buffers = layouts[number].buffers};
    if (number == TYPE_UNION) /* dense ones have offsets, older ones a map of what is there */
        out.buffers = (uint8_t)(out.buffers + (flat_number(b->f, &type, 0, 2, 0) == 1) + (b->version < VERSION_FIVE));
    if (number == TYPE_FIXED_BYTES)
        out.width = (uint32_t)flat_number(b->f, &type, 0, 4, 0);
    return append(b, out);
}

static bool add_field(struct build *b, const struct flat_table *field, bool value, unsigned depth)
{
    struct flat_table child;
    if (depth == ARROW_DEPTH)
        return limit(b);
    if (!value && flat_child(b->f, field, FIELD_DICTIONARY, &child))
        return append(b, (struct arrow_field){.kind = ARROW_PLAIN, .buffers = 2}) &&
               remember(b, flat_number(b->f, &child, 0, 8, 0), field);
    if (!own_layout(b, field))
        return false;
    struct flat_vector children = flat_list(b->f, field, FIELD_CHILDREN, 4);
    for (uint32_t i = 0; i < children.n; i++)
        if (!flat_element(b->f, &children, i, &child) || !add_field(b, &child, false, depth + 1))
            return broken(b);
    return true;
}

static bool add_all(struct build *b, const struct flat_table *schema)
{
    struct flat_table field;
    struct flat_vector fields = flat_list(b->f, schema, 1, 4);
    for (uint32_t i = 0; i < fields.n; i++)
        if (!flat_element(b->f, &fields, i, &field) || !add_field(b, &field, false, 0))
            return broken(b);
    b->s->rows = b->s->n;
    for (size_t i = 0; i < b->s->dictionaries_n; i++) { /* more may come while they are added */
        size_t from = b->s->n;
        field = b->values[i];
        if (!add_field(b, &field, true, 0))
            return broken(b);
        b->s->dictionaries[i].from = from;
        b->s->dictionaries[i].to = b->s->n;
    }
    return !b->f->bad || broken(b);
}

bool arrow_schema_read(struct arrow *a, struct flat *f, const struct flat_table *table, uint64_t version,
                       struct arrow_schema *schema, uint64_t at)
{
    struct build b = {.a = a, .f = f, .s = schema, .version = version, .at = at};
    if (flat_number(f, table, 0, 2, 0) == BIG_ENDIAN_ORDER)
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, at, "the columns are written in the order of bytes that is not looked at");
    if (memmem(f->data, f->len, "arrow.py_extension_type", 23))
        inspect_find_at(a->in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, at, 0,
                        "the schema has an extension type whose description is unpickled when it is read");
    bool good = add_all(&b, table);
    free(b.values);
    return good;
}

bool arrow_schema_equal(const struct arrow_schema *a, const struct arrow_schema *b)
{
    if (a->n != b->n || a->rows != b->rows || a->dictionaries_n != b->dictionaries_n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].kind != b->v[i].kind || a->v[i].buffers != b->v[i].buffers || a->v[i].width != b->v[i].width)
            return false;
    for (size_t i = 0; i < a->dictionaries_n; i++)
        if (a->dictionaries[i].id != b->dictionaries[i].id || a->dictionaries[i].from != b->dictionaries[i].from)
            return false;
    return true;
}

void arrow_schema_free(struct arrow_schema *schema)
{
    free(schema->v);
    free(schema->dictionaries);
    *schema = (struct arrow_schema){.v = NULL};
}
