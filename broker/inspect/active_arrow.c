/* SPDX-License-Identifier: ISC
 * Arrow, as a file (with marks, and a list of its batches at the end) and as a stream: messages one after another, the first
 * of them the schema, and no byte that belongs to none. Runs in the confined child on hostile bytes. Invariant: what cannot
 * be unpacked or told apart refuses; nothing is passed unseen. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/arrow.h"
#include "inspect/octets.h"
#include "inspect/type_table.h"

enum { MESSAGE_SCHEMA = 1, MESSAGE_DICTIONARY, MESSAGE_BATCH };
enum { HEAD = 8, MARK = 6, TAIL = 10, BLOCK = 24, CONTINUATION = 4 };

bool arrow_fail(struct arrow *a, enum finding_code code, uint64_t at, const char *why)
{
    if (!a->stop)
        inspect_find_at(a->in, code, finding_default_level(code), at < a->in->bytes->size ? at : a->in->bytes->size, 0, why);
    a->stop = true;
    return false;
}

/* One message: a length, its description, its body. */
struct message {
    uint64_t at, body, body_len;
    uint32_t head, len; /* before the description; of it */
    uint64_t kind, version;
    struct flat flat;
    struct flat_table table; /* what `kind` says */
};

static bool load(struct arrow *a, uint64_t at, uint32_t len, struct flat *f)
{
    if (len > ARROW_METADATA)
        return arrow_fail(a, FINDING_INSPECT_LIMIT, at, "the description of a message is longer than is looked at");
    if (len > a->metadata_cap) {
        free(a->metadata);
        a->metadata = malloc(len);
        a->metadata_cap = a->metadata ? len : 0;
    }
    if (!a->metadata || !bytes_copy(&a->bytes, at, a->metadata, len))
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, at, "a message is cut off");
    *f = (struct flat){.data = a->metadata, .len = len};
    return true;
}

static bool describe(struct arrow *a, struct message *m, uint64_t end)
{
    struct flat_table root;
    uint64_t start = m->at + m->head;
    if (m->len > end - start)
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, m->at, "a message is cut off");
    if (!load(a, start, m->len, &m->flat))
        return false;
    bool good = flat_root(&m->flat, &root);
    m->version = good ? flat_number(&m->flat, &root, 0, 2, 0) : 0;
    m->kind = good ? flat_number(&m->flat, &root, 1, 1, 0) : 0;
    m->body_len = good ? flat_number(&m->flat, &root, 3, 8, 0) : 0;
    m->body = start + m->len;
    if (!good || !flat_child(&m->flat, &root, 2, &m->table) || m->flat.bad)
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, m->at, "the description of a message could not be read");
    return m->body_len <= end - m->body || arrow_fail(a, FINDING_INSPECT_INCOMPLETE, m->at, "a message is cut off");
}

static bool note_batch(struct arrow *a, struct span_list *list, const struct message *m)
{
    uint64_t len = m->head + (uint64_t)m->len + m->body_len;
    return span_list_add(list, m->at, len) ||
           arrow_fail(a, FINDING_INSPECT_LIMIT, m->at, "the file has more batches than are looked at");
}

static bool dictionary(struct arrow *a, struct message *m)
{
    struct flat_table rows;
    uint64_t id = flat_number(&m->flat, &m->table, 0, 8, 0);
    const struct arrow_schema *s = &a->schema;
    for (size_t i = 0; i < s->dictionaries_n; i++)
        if (s->dictionaries[i].id == id && flat_child(&m->flat, &m->table, 1, &rows))
            return arrow_batch(a, &m->flat, &rows, s->v + s->dictionaries[i].from,
                               s->dictionaries[i].to - s->dictionaries[i].from, m->body, m->body_len) &&
                   note_batch(a, &a->dictionary_batches, m);
    return arrow_fail(a, FINDING_TYPE_CONFLICT, m->at, "a dictionary belongs to no column");
}

/* Is this schema the one that batches are read by? */
static bool same_schema(struct arrow *a, struct flat *f, const struct flat_table *table, uint64_t version, uint64_t at)
{
    struct arrow_schema again = {.v = NULL};
    bool good = arrow_schema_read(a, f, table, version, &again, at);
    if (good && !arrow_schema_equal(&a->schema, &again))
        good = arrow_fail(a, FINDING_TYPE_CONFLICT, at, "the file has two schemas that differ");
    arrow_schema_free(&again);
    return good;
}

/* A file has it in its footer, too, and some writers only there, or twice. */
static bool schema(struct arrow *a, struct message *m)
{
    if (m->body_len > 0)
        return arrow_fail(a, FINDING_TYPE_CONFLICT, m->at, "the schema has a body");
    if (a->known)
        return same_schema(a, &m->flat, &m->table, m->version, m->at);
    a->known = true;
    return arrow_schema_read(a, &m->flat, &m->table, m->version, &a->schema, m->at);
}

static bool take(struct arrow *a, struct message *m)
{
    if (m->kind == MESSAGE_SCHEMA)
        return schema(a, m);
    if (!a->known)
        return arrow_fail(a, FINDING_TYPE_CONFLICT, m->at, "the first message is no schema");
    if (m->kind == MESSAGE_DICTIONARY)
        return dictionary(a, m);
    if (m->kind == MESSAGE_BATCH)
        return arrow_batch(a, &m->flat, &m->table, a->schema.v, a->schema.rows, m->body, m->body_len) &&
               note_batch(a, &a->batches, m);
    return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, m->at, "a message is of a kind that is not looked into");
}

/* Messages in [at, end); a length of 0 is the last. *at then stands behind it. */
static bool messages(struct arrow *a, uint64_t *at, uint64_t end)
{
    for (; *at < end; a->message++) {
        struct message m = {.at = *at, .head = CONTINUATION};
        const uint8_t *p = end - *at >= CONTINUATION ? bytes_at(&a->bytes, *at, CONTINUATION) : NULL;
        m.len = p ? get_le32(p) : 0;
        if (p && m.len == UINT32_MAX) { /* since version 0.15 */
            p = end - *at >= HEAD ? bytes_at(&a->bytes, *at + CONTINUATION, CONTINUATION) : NULL;
            m.len = p ? get_le32(p) : 0;
            m.head = HEAD;
        }
        if (!p)
            return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, *at, "a message is cut off");
        *at += m.head;
        if (m.len == 0)
            return true;
        if (!describe(a, &m, end) || !take(a, &m))
            return false;
        *at = m.body + m.body_len;
    }
    return true;
}

/* The footer names the very batches that were met, in their order, so that readers who go by it see what was seen. */
static bool same_blocks(struct flat *f, const struct flat_table *footer, unsigned slot, const struct span_list *met)
{
    struct flat_vector blocks = flat_list(f, footer, slot, BLOCK);
    for (uint32_t i = 0; i < blocks.n && i < met->n; i++) {
        const uint8_t *p = f->data + blocks.at + (size_t)i * BLOCK;
        uint64_t at = get_le64(p), len = (uint64_t)get_le32(p + 8) + get_le64(p + 16);
        if (at != met->v[i].from || len != met->v[i].to - at)
            return false;
    }
    return blocks.n == met->n;
}

/* The footer is read twice: for the schema before the messages, and for the batches behind them. */
static bool footer(struct arrow *a, uint64_t at, uint32_t len)
{
    struct flat f;
    struct flat_table root, table;
    if (!load(a, at, len, &f))
        return false;
    if (!flat_root(&f, &root) || !flat_child(&f, &root, 1, &table))
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, at, "the footer could not be read");
    if (!a->known) {
        a->known = true;
        return arrow_schema_read(a, &f, &table, flat_number(&f, &root, 0, 2, 0), &a->schema, at);
    }
    bool same = same_blocks(&f, &root, 2, &a->dictionary_batches) && same_blocks(&f, &root, 3, &a->batches);
    return (same && !f.bad) || arrow_fail(a, FINDING_TYPE_CONFLICT, at, "the footer names other batches than there are");
}

static bool walk_file(struct arrow *a)
{
    uint64_t size = a->bytes.size, at = HEAD;
    const uint8_t *p = size >= HEAD + TAIL ? bytes_at(&a->bytes, size - TAIL, TAIL) : NULL;
    uint32_t len = p ? get_le32(p) : 0;
    if (!p || memcmp(p + 4, "ARROW1", MARK) != 0 || len == 0 || len > size - HEAD - TAIL)
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, size, "the file does not end with its footer");
    uint64_t end = size - TAIL - len;
    if (!footer(a, end, len) || !messages(a, &at, end))
        return false;
    if (!archive_zeros(&a->bytes, at, end - at))
        return arrow_fail(a, FINDING_TYPE_CONFLICT, at, "bytes in front of the footer belong to no message");
    return footer(a, end, len);
}

static bool walk_stream(struct arrow *a)
{
    uint64_t at = 0;
    if (!messages(a, &at, a->bytes.size))
        return false;
    return at == a->bytes.size || arrow_fail(a, FINDING_TYPE_CONFLICT, at, "bytes follow the end of the stream");
}

/* The stream form has no mark: a continuation, a length, and a description that can be read and is a schema's. */
bool type_check_arrow_stream(struct bytes *b)
{
    const uint8_t *p = b->size >= 2 * HEAD ? bytes_at(b, 0, HEAD) : NULL;
    uint32_t len = p ? get_le32(p + CONTINUATION) : 0;
    size_t n = len < BYTES_WINDOW - HEAD ? len : BYTES_WINDOW - HEAD;
    struct flat_table root, schema;
    if (len < HEAD || len % 8 != 0 || len > b->size - HEAD || !(p = bytes_at(b, HEAD, n)))
        return false;
    if (len > n) /* too long to be looked at here; the walk will tell */
        return get_le32(p) < n && get_le32(p) % 2 == 0;
    struct flat f = {.data = p, .len = n};
    return flat_root(&f, &root) && flat_number(&f, &root, 1, 1, 0) == MESSAGE_SCHEMA && flat_child(&f, &root, 2, &schema);
}

bool active_arrow_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_ARROW);
}

void active_arrow_scan(struct inspection *in)
{
    struct arrow a = {.in = in, .meter = {.packed = in->bytes->size}};
    const uint8_t *p = bytes_at(in->bytes, 0, HEAD);
    bool file = p && memcmp(p, "ARROW1\0\0", HEAD) == 0;
    bool good = bytes_init_slice(&a.bytes, in->bytes, 0, in->bytes->size) && shown_init(&a.shown, in);
    if (!good)
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory to look into the file");
    else if (file || type_check_arrow_stream(&a.bytes))
        (void)(file ? walk_file(&a) : walk_stream(&a));
    else
        (void)arrow_fail(&a, FINDING_INSPECT_INCOMPLETE, 0, "named like Arrow and not readable as it");
    if (good)
        shown_flush(&a.shown);
    bytes_free(&a.bytes);
    shown_free(&a.shown);
    arrow_schema_free(&a.schema);
    span_list_free(&a.batches);
    span_list_free(&a.dictionary_batches);
    free(a.metadata);
}
