/* SPDX-License-Identifier: ISC
 * In a worker child: PDF. Strict: header at the first byte, only objects, cross-reference parts and comments up to the
 * last %%EOF, nothing behind it; what does not hold refuses, since readers repair broken files each in its own way.
 * Then harmful names, as names, wherever they are: in objects and in object streams. A bare OpenAction to a page passes. */
#include "inspect/active_scanners.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/pdf_object.h"
#include "inspect/pdf_stream.h"

enum { XREFS = 64, TAIL_BYTES = 2048, HEADER_BYTES = 8 };

struct walk {
    struct pdf_file file;
    struct pdf_tokens t;
    struct pdf_object object;
    uint64_t number, before;       /* the last two integers on the outer level */
    uint64_t number_at, before_at; /* and where they stand */
    uint64_t xrefs[XREFS];         /* where cross-reference parts stand, the latest ones */
    size_t xrefs_n;
    bool has_start;
    uint64_t start;                /* the last startxref */
};

bool active_pdf_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_PDF);
}

static bool fail(struct walk *w, const char *why)
{
    pdf_malformed(&w->file, w->t.at, why);
    return false;
}

static void add_xref(struct walk *w, uint64_t at)
{
    w->xrefs[w->xrefs_n++ % XREFS] = at;
}

/* --- objects ------------------------------------------------------------------------------------- */

static bool read_stream(struct walk *w, uint64_t object_at)
{
    if (!w->object.facts.is_dict)
        return fail(w, "a stream without a dictionary");
    if (!pdf_stream_read(&w->file, &w->t, &w->object.facts))
        return false;
    if (w->object.facts.xref)
        add_xref(w, object_at);
    return pdf_token_next(&w->t) == PDF_WORD && pdf_token_is(&w->t, "endobj") ? true : fail(w, "an object has no end");
}

/* Behind "N G obj". */
static bool read_object(struct walk *w)
{
    uint64_t number = w->before, at = w->before_at;
    pdf_object_start(&w->object, &w->file, at);
    for (;;) {
        enum pdf_kind kind = pdf_token_next(&w->t);
        bool outer = kind == PDF_WORD && w->object.depth == 0;
        if (outer && (pdf_token_is(&w->t, "endobj") || pdf_token_is(&w->t, "stream"))) {
            if (w->object.facts.acts)
                pdf_list_add(&w->file.actors, number);
            return pdf_token_is(&w->t, "endobj") || read_stream(w, at);
        }
        if (!pdf_object_token(&w->object, &w->t, kind))
            return fail(w, "an object is not what PDF syntax allows");
    }
}

static bool read_trailer(struct walk *w)
{
    if (pdf_token_next(&w->t) != PDF_DICT)
        return fail(w, "a trailer is not a dictionary");
    pdf_object_start(&w->object, &w->file, w->t.at);
    pdf_object_token(&w->object, &w->t, PDF_DICT);
    while (w->object.depth > 0)
        if (!pdf_object_token(&w->object, &w->t, pdf_token_next(&w->t)))
            return fail(w, "a trailer is not what PDF syntax allows");
    return true;
}

/* --- the outer level ----------------------------------------------------------------------------- */

static bool outer_word(struct walk *w)
{
    if (pdf_token_is(&w->t, "obj"))
        return w->before_at != UINT64_MAX && w->number_at != UINT64_MAX ? read_object(w)
                                                                        : fail(w, "an object without a number");
    if (pdf_token_is(&w->t, "xref")) {
        add_xref(w, w->t.at);
        return true;
    }
    if (pdf_token_is(&w->t, "trailer"))
        return read_trailer(w);
    if (pdf_token_is(&w->t, "startxref")) {
        if (pdf_token_next(&w->t) != PDF_NUMBER || !w->t.integer)
            return fail(w, "no offset behind startxref");
        w->has_start = true;
        w->start = w->t.value;
        return true;
    }
    return pdf_token_is(&w->t, "n") || pdf_token_is(&w->t, "f") ? true : fail(w, "text between the objects");
}

static void walk(struct walk *w)
{
    enum pdf_kind kind;
    w->number_at = w->before_at = UINT64_MAX;
    while ((kind = pdf_token_next(&w->t)) != PDF_EOF) {
        if (kind == PDF_NUMBER && w->t.integer) {
            w->before = w->number;
            w->before_at = w->number_at;
            w->number = w->t.value;
            w->number_at = w->t.at;
            continue;
        }
        if (kind != PDF_WORD) {
            fail(w, w->t.watch.hides ? "an object is hidden in a comment" : "bytes between the objects");
            return;
        }
        if (!outer_word(w))
            return;
        w->number_at = w->before_at = UINT64_MAX;
    }
}

/* --- the frame ----------------------------------------------------------------------------------- */

static void check_header(struct walk *w, struct bytes *bytes)
{
    const uint8_t *p = bytes_at(bytes, 0, HEADER_BYTES);
    if (!p || (memcmp(p, "%PDF-1.", 7) != 0 && memcmp(p, "%PDF-2.", 7) != 0) || !ascii_digit(p[7]))
        pdf_malformed(&w->file, 0, "no PDF header at the first byte");
}

static void check_tail(struct walk *w, struct bytes *bytes)
{
    uint8_t tail[TAIL_BYTES];
    size_t n = bytes->size < sizeof(tail) ? (size_t)bytes->size : sizeof(tail), at = n;
    if (!bytes_copy(bytes, bytes->size - n, tail, n))
        return;
    while (at > 0 && pdf_is_space(tail[at - 1]))
        at--;
    if (at < 5 || memcmp(tail + at - 5, "%%EOF", 5) != 0)
        pdf_malformed(&w->file, bytes->size - n + at, "the file does not end with %%EOF");
}

static void check_start(struct walk *w)
{
    for (size_t i = 0; i < w->xrefs_n && i < XREFS; i++)
        if (w->has_start && w->xrefs[i] == w->start)
            return;
    pdf_malformed(&w->file, w->file.in->bytes->size, "startxref does not point to a cross-reference");
}

/* What is opened by itself and is, as an object of its own, an action that leaves the document. */
static void match_actions(struct walk *w)
{
    const struct pdf_list *opened = &w->file.opened, *actors = &w->file.actors;
    bool hit = opened->full || (actors->full && opened->n > 0);
    for (size_t i = 0; i < opened->n && !hit; i++)
        for (size_t k = 0; k < actors->n && !hit; k++)
            hit = opened->v[i] == actors->v[k];
    if (hit)
        tally_refuse(&w->file.tally, FINDING_ACTIVE_PDF_ACTION, 0, "an action is run when the document is opened");
}

static void conclude(struct walk *w)
{
    match_actions(w);
    pdf_text_break(&w->file.text);
    if (!w->file.encrypted)
        pdf_text_flush(&w->file.text);
    if (w->file.encrypted)
        tally_refuse(&w->file.tally, FINDING_ACTIVE_PDF_ENCRYPTED, 0, NULL);
    else if (w->file.malformed)
        tally_refuse(&w->file.tally, FINDING_ACTIVE_PDF_MALFORMED, w->file.malformed_at, w->file.malformed);
    tally_say(&w->file.tally);
}

void active_pdf_scan(struct inspection *in)
{
    struct walk *w = calloc(1, sizeof(*w));
    if (!w) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    w->file.in = in;
    tally_init(&w->file.tally, in);
    pdf_text_init(&w->file.text, in);
    check_header(w, in->bytes);
    check_tail(w, in->bytes);
    pdf_tokens_init(&w->t, in->bytes, 0, false);
    w->t.strings = &w->file.text;
    walk(w);
    check_start(w);
    conclude(w);
    pdf_text_free(&w->file.text);
    free(w);
}
