/* SPDX-License-Identifier: ISC
 * In a worker child: hostile streams. Every stream is unpacked to its end within a bound, and what comes out is looked
 * through for credentials, pixels too. An object stream must be plain Flate: readers that decode it otherwise
 * would see other objects. */
#include "inspect/pdf_stream.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"

/* Where the data of a stream ends up. */
struct drain {
    struct pdf_file *file;
    struct pdf_filter *chain;
    struct buf out;    /* kept where it is looked at; failed: too long to keep */
    struct buf window; /* the part that credentials are looked for in */
    bool keep, packed, limit;
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

static void scan_window(struct drain *d)
{
    if (d->window.len > 0 && !d->file->encrypted)
        inspect_loose(d->file->in, "!stream", d->window.data, d->window.len);
}

/* Windows overlap, so that none cuts a credential in two. */
static void look_for_secrets(struct drain *d, const uint8_t *p, size_t n)
{
    buf_bytes(&d->window, p, n);
    if (d->window.failed || d->window.len < PDF_WINDOW)
        return;
    scan_window(d);
    memmove(d->window.data, d->window.data + d->window.len - PDF_OVERLAP, PDF_OVERLAP);
    d->window.len = PDF_OVERLAP;
}

/* What is not packed lies in the file as it is, where it is looked through anyway. */
static void take_output(void *to, const uint8_t *p, size_t n)
{
    struct drain *d = to;
    d->file->inflated += d->packed ? n : 0;
    d->limit = d->file->inflated > PDF_INFLATED;
    if (d->limit)
        pdf_filter_stop(d->chain);
    if (d->packed)
        look_for_secrets(d, p, n);
    if (d->keep && !d->out.failed)
        buf_bytes(&d->out, p, n);
}

/* Data that holds no objects: only actions, as "/S /Kind", are looked for. */
static void look_for_actions(struct pdf_file *file, struct bytes *data, uint64_t at)
{
    struct pdf_tokens t;
    struct pdf_object o;
    enum pdf_kind kind;
    pdf_tokens_init(&t, data, 0, true);
    t.strings = &file->text;
    pdf_object_start(&o, file, at);
    o.pairs_only = true;
    while ((kind = pdf_token_next(&t)) != PDF_EOF)
        if (!pdf_object_token(&o, &t, kind)) {
            o.depth = 0; /* data, not objects: start again */
            o.levels[0] = (struct pdf_level){.dict = false};
        }
    pdf_text_break(&file->text);
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
    t.strings = &file->text;
    bool fine = read_inner(file, &t, facts, at, &table);
    buf_free(&table.pairs);
    return fine;
}

static bool finish(struct drain *d, const struct pdf_facts *facts, uint64_t at)
{
    bool ended = pdf_filter_end(d->chain);
    scan_window(d);
    if (d->file->encrypted)
        return true;
    if (d->limit || d->window.failed || (is_objstm(facts) && d->out.failed)) {
        inspect_find(d->file->in, FINDING_INSPECT_LIMIT, "the PDF unpacks to more than is looked at");
        return false;
    }
    if (!ended)
        return fail(d->file, at, "a compressed stream is damaged or cut off");
    return !d->keep || d->out.failed || look_inside(d->file, &d->out, facts, at);
}

/* The raw data in [t, end): watched for hidden objects and unpacked. */
static void read_data(struct pdf_tokens *t, uint64_t end, struct pdf_filter *chain, struct pdf_watch *watch)
{
    while (scan_offset(&t->scan) < end && scan_peek(&t->scan) >= 0) {
        uint64_t left = end - scan_offset(&t->scan);
        size_t n = (size_t)(t->scan.end - t->scan.p);
        n = n < left ? n : (size_t)left;
        pdf_watch_bytes(watch, t->scan.p, n);
        pdf_filter_push(chain, t->scan.p, n);
        t->scan.p += n;
    }
}

/* Pictures and cross-references are looked through as their filters deliver them: rows of differences show nothing else. */
static bool is_pixels(const struct pdf_facts *facts)
{
    return facts->image || facts->sides >= 2;
}

static bool read_filtered(struct pdf_file *file, struct pdf_tokens *t, const struct pdf_facts *facts, uint64_t end,
                          struct pdf_watch *watch)
{
    static const struct pdf_parms none[PDF_CHAIN];
    bool plain = is_pixels(facts) || facts->xref, fine = false;
    uint64_t start = scan_offset(&t->scan);
    struct drain d = {.file = file, .keep = !plain, .packed = facts->filters > 0};
    d.chain = pdf_filter_new(facts->filter, plain ? none : facts->parms, facts->filters ? facts->filters : 1, take_output, &d);
    buf_init(&d.out, (size_t)PDF_STREAM_KEPT);
    buf_init(&d.window, 2 * PDF_WINDOW);
    if (d.chain) {
        read_data(t, end, d.chain, watch);
        fine = finish(&d, facts, start);
    } else {
        inspect_find(file->in, FINDING_INSPECT_LIMIT, "a decoder takes more memory than there is for it");
    }
    pdf_filter_free(&d.chain);
    buf_free(&d.out);
    buf_free(&d.window);
    return fine;
}

/* Can what the dictionary asks for be undone here? */
static bool check_filters(struct pdf_file *file, const struct pdf_facts *facts, uint64_t at)
{
    if (facts->external)
        return fail(file, at, "a stream's data lies in another file");
    if (is_objstm(facts) && !(facts->filters == 1 && facts->filter[0] == PDF_FILTER_FLATE && !facts->predictor))
        return fail(file, at, "an object stream is not plain Flate");
    if (facts->filters > PDF_CHAIN)
        return fail(file, at, "a stream is packed over and over");
    if (facts->elsewhere)
        return fail(file, at, "how a stream is packed is said in another object");
    for (size_t i = 0; i < facts->filters; i++) {
        bool picture = facts->filter[i] == PDF_FILTER_PICTURE;
        if (picture && (i + 1 < facts->filters || !is_pixels(facts)))
            return fail(file, at, "a stream that is no picture is packed as one");
        if (facts->filter[i] != PDF_FILTER_UNKNOWN)
            continue;
        if (!file->encrypted)
            inspect_find_at(file->in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, at, 0,
                            "a stream of the PDF is packed in a way that is not known");
    }
    return true;
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
    if (!check_filters(file, facts, at) || !read_filtered(file, t, facts, end, &watch))
        return false;
    if (watch.hides)
        return fail(file, at, "an object is hidden inside a stream");
    /* At most an end of line may stand between the data and its end. */
    bool ended = pdf_token_next(t) == PDF_WORD && pdf_token_is(t, "endstream") && t->at <= end + 2;
    return ended ? true : fail(file, at, "a stream does not end where its length says");
}
