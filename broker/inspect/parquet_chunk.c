/* SPDX-License-Identifier: ISC
 * One column of one row group of a Parquet file: its pages one after another, which must be exactly the bytes that the
 * footer gives it, and the indexes and filter that belong to it. Runs in the confined child on hostile bytes. */
#define ZLIB_CONST
#include <string.h>
#include <zlib.h>

#include "base/limits.h"
#include "inspect/parquet.h"

enum { PAGE_DATA = 0, PAGE_INDEX, PAGE_DICTIONARY, PAGE_DATA_V2 };

/* The header of a page; -1: not there. */
struct header {
    int64_t kind, plain, packed, crc;
    int64_t values, encoding;
    int64_t defined, repeated; /* bytes of levels in front of a V2 page */
    int64_t repetition_encoding, definition_encoding;
    int64_t compressed;
    bool has_crc;
};

#define OF_HEADER(member) offsetof(struct header, member)
static const struct {
    uint64_t path;
    size_t member;
} numbers[] = {
    {THRIFT_PATH1(1), OF_HEADER(kind)},
    {THRIFT_PATH1(2), OF_HEADER(plain)},
    {THRIFT_PATH1(3), OF_HEADER(packed)},
    {THRIFT_PATH1(4), OF_HEADER(crc)},
    {THRIFT_PATH2(5, 1), OF_HEADER(values)},
    {THRIFT_PATH2(5, 2), OF_HEADER(encoding)},
    {THRIFT_PATH2(5, 3), OF_HEADER(definition_encoding)},
    {THRIFT_PATH2(5, 4), OF_HEADER(repetition_encoding)},
    {THRIFT_PATH2(7, 1), OF_HEADER(values)},
    {THRIFT_PATH2(7, 2), OF_HEADER(encoding)},
    {THRIFT_PATH2(8, 1), OF_HEADER(values)},
    {THRIFT_PATH2(8, 4), OF_HEADER(encoding)},
    {THRIFT_PATH2(8, 5), OF_HEADER(defined)},
    {THRIFT_PATH2(8, 6), OF_HEADER(repeated)},
    {THRIFT_PATH2(8, 7), OF_HEADER(compressed)},
};

static void take_number(struct header *h, const struct thrift *t)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i].path == t->path)
            memcpy((char *)h + numbers[i].member, &t->value, sizeof(t->value));
    h->has_crc = h->has_crc || t->path == THRIFT_PATH1(4);
}

static bool parse_header(struct parquet *p, const uint8_t *data, size_t len, struct header *h, size_t *size)
{
    struct thrift t;
    enum thrift_event e;
    *h = (struct header){.kind = -1, .plain = -1, .packed = -1, .values = -1, .encoding = -1,
                         .repetition_encoding = ENCODING_RLE, .definition_encoding = ENCODING_RLE, .compressed = 1};
    thrift_init(&t, data, len);
    while ((e = thrift_next(&t)) != THRIFT_END) {
        if (e == THRIFT_BAD)
            return false;
        if (e == THRIFT_NUMBER)
            take_number(h, &t);
        if (e == THRIFT_TEXT) {
            shown_bytes(&p->shown, t.text, t.len);
            shown_byte(&p->shown, '\n');
        }
    }
    *size = (size_t)(t.at - data);
    return true;
}

/* Statistics make some headers long: first as most are, then as far as can be looked at. What the first try shows is
 * shown again by the second, which harms nothing. */
static bool read_header(struct parquet *p, uint64_t at, uint64_t end, struct header *h, size_t *size)
{
    static const size_t tries[] = {512, BYTES_WINDOW};
    for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
        size_t n = end - at < tries[i] ? (size_t)(end - at) : tries[i];
        const uint8_t *data = bytes_at(&p->bytes, at, n);
        if (data && parse_header(p, data, n, h, size))
            return true;
    }
    return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, at, "the header of a page could not be read");
}

/* Are the sizes of a header possible? */
static bool sizes_hold(const struct header *h, uint64_t room)
{
    int64_t levels = h->kind == PAGE_DATA_V2 ? h->defined + h->repeated : 0;
    bool counted = h->values >= 0 && h->values <= INT32_MAX && h->encoding >= 0;
    return h->kind >= PAGE_DATA && h->kind <= PAGE_DATA_V2 && (counted || h->kind == PAGE_INDEX) && h->packed >= 0 &&
           (uint64_t)h->packed <= room && h->plain >= 0 && h->defined >= 0 && h->defined <= INT32_MAX && h->repeated >= 0 &&
           h->repeated <= INT32_MAX && levels <= h->packed && levels <= h->plain;
}

static uint8_t *load_packed(struct parquet *p, const struct header *h, uint64_t at)
{
    uint8_t *data = parquet_room(p, &p->packed, (uint64_t)h->packed);
    if (!data)
        return NULL;
    if (!bytes_copy(&p->bytes, at, data, (size_t)h->packed)) {
        (void)parquet_fail(p, FINDING_INSPECT_INCOMPLETE, at, "a page could not be read");
        return NULL;
    }
    uLong crc = h->has_crc ? crc32(0, data, (uInt)h->packed) : 0;
    if (h->has_crc && (uint32_t)crc != (uint32_t)h->crc) {
        (void)parquet_fail(p, FINDING_ARCHIVE_CORRUPT, at, "the checksum of a page does not hold");
        return NULL;
    }
    return data;
}

/* How the values of a page are written. Dictionaries themselves are plain, and older writers name them otherwise. */
static int64_t encoding_of(const struct header *h)
{
    if (h->kind == PAGE_INDEX)
        return ENCODING_RLE;
    if (h->kind != PAGE_DICTIONARY)
        return h->encoding;
    bool plain = h->encoding == ENCODING_PLAIN || h->encoding == ENCODING_PLAIN_DICTIONARY;
    return plain ? ENCODING_PLAIN : PARQUET_ENCODINGS;
}

/* Shows what lies packed in [data, data + len) of a page whose levels, if it is of the second version, are not packed. */
static bool show_page(struct parquet *p, const struct parquet_chunk *chunk, const struct parquet_leaf *leaf,
                      const struct header *h, uint64_t at)
{
    bool second = h->kind == PAGE_DATA_V2, packed = chunk->codec != 0 && (!second || h->compressed);
    size_t levels = second ? (size_t)(h->defined + h->repeated) : 0, len = (size_t)h->packed - levels;
    size_t out_len = (size_t)h->plain - levels;
    const uint8_t *data = load_packed(p, h, at);
    if (!data)
        return false;
    shown_bytes(&p->shown, data, levels);
    const uint8_t *plain = data + levels;
    if (!packed && len != out_len)
        return parquet_fail(p, FINDING_ARCHIVE_CORRUPT, at, "a page is longer or shorter than its header says");
    if (packed && (len > 0 || out_len > 0)) {
        p->stop = !archive_spend(p->in, &p->meter, out_len);
        uint8_t *out = p->stop ? NULL : parquet_room(p, &p->plain, out_len);
        if (!out || !parquet_unpack(p, chunk->codec, plain, len, out, out_len))
            return false;
        plain = out;
    }
    struct parquet_leaf flat = *leaf; /* levels that were shown already */
    if (second || h->kind != PAGE_DATA)
        flat.defined = flat.repeated = 0;
    struct parquet_page page = {.data = plain,
                                .len = out_len,
                                .encoding = encoding_of(h),
                                .values = (uint64_t)h->values,
                                .plain = !packed,
                                .at = at};
    /* Many writers name this encoding for levels that are not there. */
    if ((flat.defined && h->definition_encoding == ENCODING_BIT_PACKED) ||
        (flat.repeated && h->repetition_encoding == ENCODING_BIT_PACKED))
        return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, at, "the levels of a page are written in a way given up long ago");
    return parquet_values(p, &flat, &page);
}

/* Pages follow each other without a gap; those of data hold as many values as the footer says, so that no reader looks
 * for more behind them. */
static bool walk_pages(struct parquet *p, const struct parquet_chunk *chunk, const struct parquet_leaf *leaf, uint64_t at,
                       uint64_t end)
{
    uint64_t values = 0;
    size_t size = 0;
    struct header h;
    for (p->page = 0; at < end; p->page++) {
        shown_under(&p->shown, "!row group %u, column %u, page %u", p->group, p->column, p->page);
        if (!read_header(p, at, end, &h, &size))
            return false;
        uint64_t head = at;
        at += size;
        if (!sizes_hold(&h, end - at))
            return parquet_fail(p, FINDING_TYPE_CONFLICT, head, "a page reaches over the end of its column, or is none");
        if (!show_page(p, chunk, leaf, &h, at))
            return false;
        values += h.kind == PAGE_DATA || h.kind == PAGE_DATA_V2 ? (uint64_t)h.values : 0;
        at += (uint64_t)h.packed;
    }
    if (values != (uint64_t)chunk->values)
        return parquet_fail(p, FINDING_TYPE_CONFLICT, end, "a column has more or fewer values than the footer says");
    return true;
}

/* Something of the column that lies elsewhere in the file; -1 for a length: it says its own. */
static bool side(struct parquet *p, int64_t at, int64_t len, bool texts)
{
    uint64_t room = at > 0 && (uint64_t)at < p->end ? p->end - (uint64_t)at : 0, size = 0;
    if (at <= 0 || len == 0)
        return true;
    if (room == 0 || len < 0 || (uint64_t)len > room)
        return parquet_fail(p, FINDING_TYPE_CONFLICT, p->end, "an index of a column lies outside the file");
    shown_under(&p->shown, "!row group %u, column %u, index", p->group, p->column);
    if (texts && (!parquet_texts(p, (uint64_t)at, (uint64_t)len, &size) || size != (uint64_t)len))
        return p->stop ? false : parquet_fail(p, FINDING_INSPECT_INCOMPLETE, (uint64_t)at, "an index of a column could not be read");
    if (!span_list_add(&p->spans, (uint64_t)at, (uint64_t)len))
        return parquet_fail(p, FINDING_INSPECT_LIMIT, (uint64_t)at, "the file has more parts than are looked at");
    return true;
}

/* Older writers do not say how long the filter is: a header does, whose first field is the number of bytes behind it. */
static bool bloom_length(struct parquet *p, struct parquet_chunk *chunk)
{
    struct thrift t;
    enum thrift_event e;
    int64_t bytes = -1;
    if (chunk->bloom_at <= 0 || chunk->bloom_len > 0)
        return true;
    uint64_t at = (uint64_t)chunk->bloom_at, room = at < p->end ? p->end - at : 0;
    size_t n = room < 64 ? (size_t)room : 64;
    const uint8_t *data = bytes_at(&p->bytes, at, n);
    thrift_init(&t, data, data ? n : 0);
    while ((e = thrift_next(&t)) != THRIFT_END && e != THRIFT_BAD)
        if (e == THRIFT_NUMBER && t.path == THRIFT_PATH1(1))
            bytes = t.value;
    if (e == THRIFT_BAD || bytes < 0 || (uint64_t)bytes > room)
        return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, at < p->end ? at : p->end, "the filter of a column could not be read");
    chunk->bloom_len = bytes + (t.at - data);
    return true;
}

bool parquet_chunk(struct parquet *p, const struct parquet_chunk *told, const struct parquet_leaf *leaf)
{
    struct parquet_chunk chunk = *told;
    bool dictionary = chunk.dictionary_at > 0 && chunk.dictionary_at < chunk.pages_at;
    int64_t at = dictionary ? chunk.dictionary_at : chunk.pages_at;
    at = chunk.index_at > 0 && chunk.index_at < at ? chunk.index_at : at;
    if (chunk.packed < 0 || chunk.values < 0 ||
        (chunk.packed > 0 && (at < PARQUET_MAGIC || (uint64_t)at > p->end || (uint64_t)chunk.packed > p->end - (uint64_t)at)))
        return parquet_fail(p, FINDING_TYPE_CONFLICT, p->end, "a column lies outside the file");
    if (!span_list_add(&p->spans, (uint64_t)at, (uint64_t)chunk.packed))
        return parquet_fail(p, FINDING_INSPECT_LIMIT, (uint64_t)at, "the file has more parts than are looked at");
    p->column--; /* numbered from 0 in what is said of it */
    bool good = walk_pages(p, &chunk, leaf, (uint64_t)at, (uint64_t)at + (uint64_t)chunk.packed) && bloom_length(p, &chunk) &&
                side(p, chunk.offsets_at, chunk.offsets_len, true) && side(p, chunk.stats_at, chunk.stats_len, true) &&
                side(p, chunk.bloom_at, chunk.bloom_len, false);
    p->column++;
    return good;
}
