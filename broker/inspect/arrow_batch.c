/* SPDX-License-Identifier: ISC
 * One batch of an Arrow file: its buffers follow each other in the body, and the schema says whose they are. What is packed
 * is unpacked and shown; texts, which follow each other without a mark, are shown one on a line. Runs in the confined child
 * on hostile bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/arrow.h"
#include "inspect/octets.h"

enum { NODE = 16, BUFFER = 16, VIEW = 16, VIEW_INLINE = 12, WIDTH_TEXT = 8 };

struct batch {
    struct arrow *a;
    struct flat *f;
    struct flat_vector nodes, buffers, views;
    uint32_t node, buffer, view; /* the next of each */
    uint64_t at, len, used;      /* the body, and how much of it belongs to buffers seen so far */
    enum arrow_codec codec;
};

static bool conflict(struct batch *b, const char *why)
{
    return arrow_fail(b->a, FINDING_TYPE_CONFLICT, b->at, why);
}

static uint64_t number_in(const struct batch *b, const struct flat_vector *v, uint32_t index, size_t size, size_t offset)
{
    return get_le64(b->f->data + v->at + (size_t)index * size + offset);
}

/* The next buffer, opened. Between buffers stand zeros that align. NULL: said. */
static struct arrow_buffer *next_buffer(struct batch *b)
{
    if (b->buffer == b->buffers.n) {
        (void)conflict(b, "a batch has fewer buffers than its columns");
        return NULL;
    }
    uint64_t at = number_in(b, &b->buffers, b->buffer, BUFFER, 0), len = number_in(b, &b->buffers, b->buffer, BUFFER, 8);
    b->buffer++;
    if (len == 0)
        return arrow_buffer_open(b->a, b->at, 0, ARROW_STORED);
    if (at < b->used || at > b->len || len > b->len - at) {
        (void)conflict(b, "two buffers lie in one place, or one lies outside its batch");
        return NULL;
    }
    if (!archive_zeros(&b->a->bytes, b->at + b->used, at - b->used)) {
        (void)conflict(b, "bytes between buffers belong to nothing");
        return NULL;
    }
    b->used = at + len;
    return arrow_buffer_open(b->a, b->at + at, len, b->codec);
}

/* What lies in the file as it is, is looked through there. */
static bool show_plain(struct arrow_buffer *data)
{
    return !arrow_buffer_packed(data) || arrow_buffer_show(data, arrow_buffer_left(data));
}

static bool show_wide(struct batch *b, struct arrow_buffer *data, uint32_t width)
{
    if (width < WIDTH_TEXT)
        return show_plain(data);
    while (arrow_buffer_left(data) >= width) {
        if (!arrow_buffer_show(data, width))
            return false;
        shown_byte(&b->a->shown, '\n');
    }
    return arrow_buffer_show(data, arrow_buffer_left(data));
}

/* Offsets ascend; between two of them is one text. */
static bool show_texts(struct batch *b, struct arrow_buffer *offsets, struct arrow_buffer *data, size_t size, uint64_t rows)
{
    uint8_t raw[8] = {0};
    uint64_t last = 0, end = arrow_buffer_left(data);
    uint64_t n = rows > 0 || arrow_buffer_left(offsets) >= size ? rows + 1 : 0;
    if (n > arrow_buffer_left(offsets) / size)
        return conflict(b, "a column has fewer offsets than rows");
    for (uint64_t i = 0; i < n; i++) {
        if (!arrow_buffer_read(offsets, raw, size))
            return false;
        uint64_t offset = get_le64(raw);
        if (offset < last || offset > end)
            return conflict(b, "the texts of a column overlap, or lie outside it");
        if (!arrow_buffer_show(data, offset - last))
            return false;
        shown_byte(&b->a->shown, '\n');
        last = offset;
    }
    return arrow_buffer_show(data, arrow_buffer_left(data)) && show_plain(offsets);
}

static bool text_column(struct batch *b, const struct arrow_field *field, uint64_t rows)
{
    struct arrow_buffer *offsets = next_buffer(b);
    struct arrow_buffer *data = offsets ? next_buffer(b) : NULL;
    bool good = data && show_texts(b, offsets, data, field->kind == ARROW_TEXT ? 4 : 8, rows);
    arrow_buffer_close(&offsets);
    arrow_buffer_close(&data);
    return good;
}

/* --- views: each row says in which of several buffers its text lies, or holds a short one itself --------------------- */

struct pool {
    struct archive_hold hold; /* all buffers of the column, one behind the other */
    uint64_t *ends;           /* of each; owned */
    uint64_t n;
};

static bool fill_pool(struct batch *b, struct pool *pool, struct arrow_buffer *data)
{
    uint8_t piece[4096];
    uint64_t left;
    while ((left = arrow_buffer_left(data)) > 0) {
        size_t n = left < sizeof(piece) ? (size_t)left : sizeof(piece);
        if (!archive_hold_room(&pool->hold, n)) {
            archive_hold_full(b->a->in, b->at);
            b->a->stop = true;
            return false;
        }
        if (!arrow_buffer_read(data, pool->hold.data + pool->hold.len, n))
            return false;
        if (arrow_buffer_packed(data))
            shown_bytes(&b->a->shown, pool->hold.data + pool->hold.len, n);
        pool->hold.len += n;
    }
    return true;
}

static bool collect(struct batch *b, struct pool *pool)
{
    uint64_t total = 0;
    pool->n = b->view < b->views.n ? number_in(b, &b->views, b->view++, 8, 0) : UINT64_MAX;
    if (pool->n > b->buffers.n - b->buffer)
        return conflict(b, "a batch does not say which buffers its views have");
    pool->ends = calloc((size_t)pool->n + 1, sizeof(*pool->ends));
    for (uint64_t i = 0; pool->ends && i < pool->n; i++) {
        struct arrow_buffer *data = next_buffer(b);
        total += data ? arrow_buffer_left(data) : 0;
        bool good = data && fill_pool(b, pool, data);
        arrow_buffer_close(&data);
        if (!good)
            return false;
        pool->ends[i] = total;
    }
    return pool->ends || arrow_fail(b->a, FINDING_INSPECT_LIMIT, b->at, "no memory for the buffers of a column");
}

/* A row that is absent may say anything, so what lies outside is passed over: every byte is shown as it lies, too. */
static bool show_view(struct batch *b, const struct pool *pool, struct bytes *texts, const uint8_t view[VIEW])
{
    uint32_t len = get_le32(view), index = get_le32(view + 8), offset = get_le32(view + 12);
    if (len <= VIEW_INLINE || index >= pool->n)
        return true;
    uint64_t start = index > 0 ? pool->ends[index - 1] : 0, end = pool->ends[index];
    if (offset > end - start || len > end - start - offset)
        return true;
    if (!archive_spend(b->a->in, &b->a->meter, len)) {
        b->a->stop = true;
        return false;
    }
    for (uint64_t at = start + offset, left = len; left > 0;) {
        size_t n = left < BYTES_WINDOW ? (size_t)left : BYTES_WINDOW;
        const uint8_t *p = bytes_at(texts, at, n);
        if (!p)
            return conflict(b, "a text of a column could not be read");
        shown_bytes(&b->a->shown, p, n);
        at += n;
        left -= n;
    }
    shown_byte(&b->a->shown, '\n');
    return true;
}

static bool show_views(struct batch *b, const struct pool *pool, struct arrow_buffer *views, struct bytes *texts, uint64_t rows)
{
    uint8_t view[VIEW];
    if (rows > arrow_buffer_left(views) / VIEW)
        return conflict(b, "a column has fewer views than rows");
    for (uint64_t i = 0; i < rows; i++) {
        if (!arrow_buffer_read(views, view, VIEW))
            return false;
        if (arrow_buffer_packed(views))
            shown_bytes(&b->a->shown, view, VIEW);
        if (!show_view(b, pool, texts, view))
            return false;
    }
    return show_plain(views);
}

static bool view_column(struct batch *b, uint64_t rows)
{
    struct pool pool = {.hold = {.budget = b->a->in->budget}};
    struct bytes texts;
    bool good = false;
    struct arrow_buffer *views = next_buffer(b);
    if (views && collect(b, &pool)) {
        if (archive_hold_bytes(&pool.hold, &texts)) {
            good = show_views(b, &pool, views, &texts, rows);
            bytes_free(&texts);
        } else {
            archive_hold_full(b->a->in, b->at);
            b->a->stop = true;
        }
    }
    arrow_buffer_close(&views);
    archive_hold_free(&pool.hold);
    free(pool.ends);
    return good;
}

/* --- the batch ------------------------------------------------------------------------------------------------------------- */

static bool plain_buffer(struct batch *b, uint32_t width)
{
    struct arrow_buffer *data = next_buffer(b);
    bool good = data && show_wide(b, data, width);
    arrow_buffer_close(&data);
    return good;
}

/* The first buffer says which rows are there. */
static bool column(struct batch *b, const struct arrow_field *field)
{
    uint64_t rows = number_in(b, &b->nodes, b->node++, NODE, 0);
    if (rows > INT64_MAX - 1)
        return conflict(b, "a column has no possible number of rows");
    shown_under(&b->a->shown, "!message %u, column %u", b->a->message, b->a->column++);
    if (field->buffers > 0 && !plain_buffer(b, 0))
        return false;
    if (field->kind == ARROW_TEXT || field->kind == ARROW_LONG_TEXT)
        return text_column(b, field, rows);
    if (field->kind == ARROW_VIEW)
        return view_column(b, rows);
    for (unsigned i = 1; i < field->buffers; i++)
        if (!plain_buffer(b, field->kind == ARROW_WIDE ? field->width : 0))
            return false;
    return true;
}

static bool compression(struct batch *b, const struct flat_table *table)
{
    struct flat_table how;
    if (!flat_child(b->f, table, 3, &how))
        return true;
    uint64_t codec = flat_number(b->f, &how, 0, 1, 0), method = flat_number(b->f, &how, 1, 1, 0);
    b->codec = codec == 0 ? ARROW_LZ4 : ARROW_ZSTD;
    return (codec <= 1 && method == 0) ||
           arrow_fail(b->a, FINDING_INSPECT_INCOMPLETE, b->at, "a batch is packed in a way that is not known");
}

bool arrow_batch(struct arrow *a, struct flat *f, const struct flat_table *table, const struct arrow_field *fields, size_t n,
                 uint64_t at, uint64_t len)
{
    struct batch b = {.a = a, .f = f, .at = at, .len = len};
    b.nodes = flat_list(f, table, 1, NODE);
    b.buffers = flat_list(f, table, 2, BUFFER);
    b.views = flat_list(f, table, 4, 8);
    if (!compression(&b, table))
        return false;
    if (f->bad)
        return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, at, "a batch's description could not be read");
    if (b.nodes.n != n)
        return conflict(&b, "a batch has more or fewer columns than the schema");
    a->column = 0;
    for (size_t i = 0; i < n; i++)
        if (!column(&b, &fields[i]))
            return false;
    shown_flush(&a->shown);
    if (b.buffer != b.buffers.n || b.view != b.views.n)
        return conflict(&b, "a batch has more buffers than its columns");
    return archive_zeros(&a->bytes, at + b.used, len - b.used) || conflict(&b, "bytes behind a batch's buffers belong to nothing");
}
