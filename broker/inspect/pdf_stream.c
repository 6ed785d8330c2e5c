/* SPDX-License-Identifier: ISC
 * In a worker child: hostile streams. Every Flate stream is inflated to its end within a bound, and what comes out is
 * looked through for credentials, pixels too. An object stream must be plain Flate: readers that decode it otherwise
 * would see other objects. */
#include "inspect/pdf_stream.h"

#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/limits.h"

enum { CHAIN = 2 }; /* Flate within Flate; no writer goes further */

struct flate {
    struct pdf_file *file;
    struct flate *next; /* the filter that takes the output; NULL: the last one */
    z_stream z;
    struct buf out;     /* kept where it is looked at; failed: too long to keep */
    struct buf window;  /* the part of the output that credentials are looked for in */
    bool keep, ended, bad, limit;
};

static bool fail(struct pdf_file *file, uint64_t at, const char *why)
{
    pdf_malformed(file, at, why);
    return false;
}

/* Readers go by the type, or by the keys that only object streams have. */
static bool is_objstm(const struct pdf_facts *facts)
{
    return facts->objstm || (facts->n && facts->first);
}

static bool skip_eol(struct scan *s)
{
    int c = scan_peek(s);
    if (c == '\r') {
        scan_next(s);
        c = scan_peek(s);
    }
    if (c != '\n')
        return false;
    scan_next(s);
    return true;
}

/* With a length that is an object elsewhere: the first "endstream" that "endobj" follows. */
static bool found_end(struct scan *s, uint64_t *end)
{
    uint64_t start = scan_offset(s);
    bool found = false;
    while (!found && scan_past(s, "endstream")) {
        *end = scan_offset(s) - 9;
        while (pdf_is_space(scan_peek(s)))
            scan_next(s);
        found = scan_starts(s, "endobj", false);
    }
    scan_seek(s, start);
    return found;
}

static void scan_window(struct flate *f)
{
    if (f->window.len > 0 && !f->file->encrypted)
        inspect_loose(f->file->in, "!stream", f->window.data, f->window.len);
}

/* Windows overlap, so that none cuts a credential in two. */
static void look_for_secrets(struct flate *f, const uint8_t *p, size_t n)
{
    buf_bytes(&f->window, p, n);
    if (f->window.failed || f->window.len < PDF_WINDOW)
        return;
    scan_window(f);
    memmove(f->window.data, f->window.data + f->window.len - PDF_OVERLAP, PDF_OVERLAP);
    f->window.len = PDF_OVERLAP;
}

static void inflate_some(struct flate *f, const uint8_t *p, size_t len);

static void take_output(struct flate *f, const uint8_t *p, size_t n)
{
    f->file->inflated += n;
    f->limit = f->file->inflated > PDF_INFLATED;
    look_for_secrets(f, p, n);
    if (f->next)
        inflate_some(f->next, p, n);
    else if (f->keep && !f->out.failed)
        buf_bytes(&f->out, p, n);
}

/* Calls itself through take_output() as deep as the chain of filters is long. */
static void inflate_some(struct flate *f, const uint8_t *p, size_t len)
{
    uint8_t out[8 * 1024];
    f->z.next_in = (uint8_t *)(uintptr_t)p;
    f->z.avail_in = (uInt)len;
    while (!f->ended && !f->bad && !f->limit) {
        f->z.next_out = out;
        f->z.avail_out = sizeof(out);
        int r = inflate(&f->z, Z_NO_FLUSH);
        take_output(f, out, sizeof(out) - f->z.avail_out);
        f->ended = r == Z_STREAM_END;
        f->bad = r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR;
        if (f->z.avail_in == 0 && f->z.avail_out > 0)
            return;
        if (r == Z_BUF_ERROR)
            return;
    }
}

/* Data that holds no objects: only actions, as "/S /Kind", are looked for. */
static void look_for_actions(struct pdf_file *file, struct bytes *data, uint64_t at)
{
    struct pdf_tokens t;
    struct pdf_object o;
    enum pdf_kind kind;
    pdf_tokens_init(&t, data, 0, true);
    pdf_object_start(&o, file, at);
    o.pairs_only = true;
    while ((kind = pdf_token_next(&t)) != PDF_EOF)
        if (!pdf_object_token(&o, &t, kind)) {
            o.depth = 0; /* data, not objects: start again */
            o.levels[0] = (struct pdf_level){.dict = false};
        }
}

/* The table in front of an object stream: numbers and offsets, in ascending order of offset where it can be searched. */
struct inner_table {
    struct buf pairs;
    uint64_t left, last; /* integers still to come; the last offset */
    bool ascending;
};

static void table_take(struct inner_table *table, uint64_t value)
{
    bool offset = table->left % 2 == 1;
    if (offset) {
        table->ascending = table->ascending && (table->pairs.len == 8 || value > table->last);
        table->last = value;
    }
    buf_u64(&table->pairs, value);
    table->left--;
}

static uint64_t table_at(const struct inner_table *table, size_t index)
{
    struct reader r;
    reader_init(&r, table->pairs.data + index * 8, 8);
    return reader_u64(&r);
}

/* The number of the object whose first token stands here: the last entry at or before it, since offsets may point to
 * the white space in front. False where the table does not tell. */
static bool table_find(const struct inner_table *table, uint64_t offset, uint64_t *number)
{
    size_t low = 0, high = table->pairs.len / 16;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (table_at(table, mid * 2 + 1) <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0 || !table->ascending)
        return false;
    *number = table_at(table, (low - 1) * 2);
    return true;
}

/* An object of an object stream is complete. */
static void end_inner(struct pdf_object *o, const struct inner_table *table, uint64_t offset)
{
    uint64_t number;
    if (o->facts.acts) {
        if (table_find(table, offset, &number))
            pdf_list_add(&o->file->actors, number);
        else
            o->file->actors.full = true; /* any that is opened may be it */
    }
    pdf_object_start(o, o->file, o->at);
}

/* Objects one after another behind the table. */
static bool read_inner(struct pdf_file *file, struct pdf_tokens *t, const struct pdf_facts *facts, uint64_t at,
                       struct inner_table *table)
{
    struct pdf_object o;
    enum pdf_kind kind;
    uint64_t start = 0;
    table->left = facts->n_value < PDF_OBJECTS ? facts->n_value * 2 : 0;
    table->ascending = true;
    pdf_object_start(&o, file, at);
    while ((kind = pdf_token_next(t)) != PDF_EOF) {
        if (table->left > 0 && kind == PDF_NUMBER) {
            table_take(table, t->value);
            continue;
        }
        table->left = 0;
        if (o.depth == 0)
            start = t->at;
        if (!pdf_object_token(&o, t, kind))
            return fail(file, at, "an object stream does not hold objects");
        if (o.depth == 0)
            end_inner(&o, table, start - facts->first_value);
    }
    return o.depth == 0 ? true : fail(file, at, "an object stream ends inside an object");
}

static bool look_inside(struct pdf_file *file, struct buf *data, const struct pdf_facts *facts, uint64_t at)
{
    struct bytes bytes;
    struct pdf_tokens t;
    struct inner_table table = {.left = 0};
    bytes_init_memory(&bytes, data->data, data->len);
    if (!is_objstm(facts)) {
        look_for_actions(file, &bytes, at);
        return true;
    }
    buf_init(&table.pairs, PDF_OBJECTS * 16);
    pdf_tokens_init(&t, &bytes, 0, false);
    bool fine = read_inner(file, &t, facts, at, &table);
    buf_free(&table.pairs);
    return fine;
}

static bool finish(struct flate *f, const struct pdf_facts *facts, uint64_t at)
{
    scan_window(f);
    if (f->file->encrypted)
        return true;
    if (f->limit || f->window.failed || (is_objstm(facts) && f->out.failed)) {
        inspect_find(f->file->in, FINDING_INSPECT_LIMIT, "the PDF unpacks to more than is looked at");
        return false;
    }
    if (f->bad || !f->ended)
        return fail(f->file, at, "a compressed stream is damaged or cut off");
    return f->next || !f->keep || f->out.failed || look_inside(f->file, &f->out, facts, at);
}

/* The raw data in [t, end): watched for hidden objects and, where f is given, inflated. */
static void read_data(struct pdf_tokens *t, uint64_t end, struct flate *f, struct pdf_watch *watch)
{
    while (scan_offset(&t->scan) < end && scan_peek(&t->scan) >= 0) {
        uint64_t left = end - scan_offset(&t->scan);
        size_t n = (size_t)(t->scan.end - t->scan.p);
        n = n < left ? n : (size_t)left;
        pdf_watch_bytes(watch, t->scan.p, n);
        if (f)
            inflate_some(f, t->scan.p, n);
        t->scan.p += n;
    }
}

static bool read_flate(struct pdf_file *file, struct pdf_tokens *t, const struct pdf_facts *facts, uint64_t start,
                       uint64_t end, struct pdf_watch *watch)
{
    struct flate f[CHAIN];
    size_t n = facts->flates, ready = 0;
    bool fine = true;
    for (size_t i = 0; i < n; i++) {
        f[i] = (struct flate){.file = file, .keep = !facts->image && !facts->xref};
        f[i].next = i + 1 < n ? &f[i + 1] : NULL;
        buf_init(&f[i].out, (size_t)PDF_STREAM_KEPT);
        buf_init(&f[i].window, 2 * PDF_WINDOW);
    }
    while (ready < n && inflateInit(&f[ready].z) == Z_OK)
        ready++;
    if (ready == n) {
        read_data(t, end, &f[0], watch);
    } else {
        inspect_find(file->in, FINDING_INSPECT_LIMIT, "no memory for a decoder");
        fine = false;
    }
    for (size_t i = 0; i < n; i++) {
        fine = fine && finish(&f[i], facts, start);
        if (i < ready)
            inflateEnd(&f[i].z);
        buf_free(&f[i].out);
        buf_free(&f[i].window);
    }
    return fine;
}

bool pdf_stream_read(struct pdf_file *file, struct pdf_tokens *t, const struct pdf_facts *facts)
{
    struct pdf_watch watch = {.hides = false};
    uint64_t end = 0, at = t->at;
    if (!skip_eol(&t->scan))
        return fail(file, at, "no end of line behind \"stream\"");
    uint64_t start = scan_offset(&t->scan);
    bool direct = facts->has_length && !facts->indirect_length && facts->length <= t->scan.bytes->size - start;
    if (direct)
        end = start + facts->length;
    else if (!facts->indirect_length || !found_end(&t->scan, &end))
        return fail(file, at, "a stream does not end where its length says");
    if (facts->external)
        return fail(file, at, "a stream's data lies in another file");
    if (is_objstm(facts) && !(facts->filters == 1 && facts->flates == 1 && !facts->predictor))
        return fail(file, at, "an object stream is not plain Flate");
    bool flates = facts->filters > 0 && facts->flates == facts->filters;
    if (flates && facts->flates > CHAIN)
        return fail(file, at, "a stream is compressed over and over");
    if (flates) {
        if (!read_flate(file, t, facts, start, end, &watch))
            return false;
    } else {
        read_data(t, end, NULL, &watch);
    }
    if (watch.hides)
        return fail(file, at, "an object is hidden inside a stream");
    /* At most an end of line may stand between the data and its end. */
    bool ended = pdf_token_next(t) == PDF_WORD && pdf_token_is(t, "endstream") && t->at <= end + 2;
    return ended ? true : fail(file, at, "a stream does not end where its length says");
}
