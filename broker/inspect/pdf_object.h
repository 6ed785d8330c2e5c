/* SPDX-License-Identifier: ISC
 * One PDF object, or the objects of an object stream: which harmful names it holds, what it opens by itself, and what
 * its stream dictionary says. Source: ISO 32000-2, 7.3, 7.5.7, 12.6. */
#ifndef SALLYPORT_PDF_OBJECT_H
#define SALLYPORT_PDF_OBJECT_H

#include "inspect/pdf_filter.h"
#include "inspect/pdf_text.h"
#include "inspect/pdf_token.h"
#include "inspect/tally.h"

enum { PDF_DEPTH = 100, PDF_REFS = 16384 };

/* Names that mean something here; the others are PDF_NAME_OTHER. */
enum pdf_name {
    PDF_NAME_OTHER = 0,
    PDF_NAME_HARM,  /* the finding is in the table */
    PDF_NAME_EF,
    PDF_NAME_ENCRYPT,
    PDF_NAME_OPENS, /* OpenAction, AA */
    PDF_NAME_S,
    PDF_NAME_GOTO,  /* GoTo, Named, SetOCGState, ...: kinds of action that stay in the document */
    PDF_NAME_LEAVES, /* kinds of action that leave it */
    PDF_NAME_LENGTH,
    PDF_NAME_FILTER,
    PDF_NAME_TYPE,
    PDF_NAME_SUBTYPE,
    PDF_NAME_N,
    PDF_NAME_FIRST,
    PDF_NAME_PREDICTOR,
    PDF_NAME_F,
    PDF_NAME_OBJSTM,
    PDF_NAME_XREF,
    PDF_NAME_IMAGE,
    PDF_NAME_PARMS,
    PDF_NAME_COLUMNS,
    PDF_NAME_COLORS,
    PDF_NAME_BITS,
    PDF_NAME_EARLY,
    PDF_NAME_SIDE,  /* Width, Height */
    PDF_NAME_FLATE, /* filters: in the order of enum pdf_filter_kind */
    PDF_NAME_LZW,
    PDF_NAME_HEX,
    PDF_NAME_85,
    PDF_NAME_RUNS,
    PDF_NAME_PICTURE
};

struct pdf_level {
    bool dict, action; /* action: inside what is opened by itself */
    bool has_key, has_value;
    enum pdf_name key;
};

/* What the dictionary of the object itself says. */
struct pdf_facts {
    bool is_dict, has_length, indirect_length, objstm, xref, image, n, first, predictor, external;
    bool acts;         /* an action of a kind that leaves the document */
    bool elsewhere;    /* filters or their parameters are objects of their own */
    unsigned sides, filters, parms_n;
    enum pdf_filter_kind filter[PDF_CHAIN];
    struct pdf_parms parms[PDF_CHAIN];
    uint64_t length, n_value, first_value;
};

struct pdf_list {
    uint64_t v[PDF_REFS];
    size_t n;
    bool full;
};

/* What is gathered over the whole file. */
struct pdf_file {
    struct inspection *in;
    struct tally tally;
    bool encrypted;
    const char *malformed; /* the first reason */
    uint64_t malformed_at;
    struct pdf_text text;
    struct pdf_list opened; /* objects that something opens by itself */
    struct pdf_list actors; /* objects that are actions leaving the document */
    uint64_t inflated;
};

struct pdf_object {
    struct pdf_file *file;
    uint64_t at;        /* where findings are said; of the stream for objects in it */
    bool pairs_only;    /* content data: only "/S /Harmful" counts */
    unsigned depth;
    struct pdf_level levels[PDF_DEPTH + 1];
    uint64_t number;    /* last integer, for references */
    uint64_t before;    /* the one in front of it */
    bool after_s;       /* the token before was the name S */
    struct pdf_facts facts;
};

void pdf_malformed(struct pdf_file *file, uint64_t at, const char *why);
void pdf_list_add(struct pdf_list *list, uint64_t number);
/* Takes one token of the object; false where it does not fit (said as malformed). */
bool pdf_object_token(struct pdf_object *o, const struct pdf_tokens *t, enum pdf_kind kind);
void pdf_object_start(struct pdf_object *o, struct pdf_file *file, uint64_t at);

#endif
