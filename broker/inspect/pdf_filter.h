/* SPDX-License-Identifier: ISC
 * Filters of PDF streams as a chain that is fed in pieces: Flate, LZW, ASCII85, ASCIIHex, RunLength, and predictors behind
 * the first two. Strict: data that readers repair each in its own way is bad. Source: ISO 32000-2, 7.4. */
#ifndef SALLYPORT_PDF_FILTER_H
#define SALLYPORT_PDF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PDF_CHAIN = 4 }; /* filters of one stream; writers use two */

enum pdf_filter_kind {
    PDF_FILTER_NONE = 0,
    PDF_FILTER_FLATE,
    PDF_FILTER_LZW,
    PDF_FILTER_HEX,
    PDF_FILTER_85,
    PDF_FILTER_RUNS,
    PDF_FILTER_PICTURE, /* DCT, JPX, CCITT, JBIG2: pixels, not decoded */
    PDF_FILTER_UNKNOWN
};

/* What a stream's dictionary says about one filter; 0: the standard's default. */
struct pdf_parms {
    uint64_t predictor, columns, colors, bits;
    bool late; /* LZW: /EarlyChange 0 */
};

struct pdf_filter;

/* A chain of n filters; NULL: no memory. `take` gets what comes out of the last one. */
struct pdf_filter *pdf_filter_new(const enum pdf_filter_kind *kinds, const struct pdf_parms *parms, size_t n,
                                  void (*take)(void *to, const uint8_t *p, size_t n), void *to);
void pdf_filter_push(struct pdf_filter *f, const uint8_t *p, size_t len);
/* At the end of the data: true where every filter came to its own end and found nothing wrong. */
bool pdf_filter_end(struct pdf_filter *f);
/* Stops the work of all filters: what comes is passed over. */
void pdf_filter_stop(struct pdf_filter *f);
void pdf_filter_free(struct pdf_filter **f);

/* Rows that were written as differences. */
struct pdf_predict;
/* NULL: no memory, or a row longer than the bound. png: else TIFF. */
struct pdf_predict *pdf_predict_new(const struct pdf_parms *parms);
void pdf_predict_free(struct pdf_predict **p);
/* Up to `len` bytes; false: not what the predictor allows. *row is set, of *n bytes, when a row is complete. Returns how
 * many were taken. */
size_t pdf_predict_take(struct pdf_predict *p, const uint8_t *data, size_t len, const uint8_t **row, size_t *n);
/* The bytes of an incomplete row, which readers show too. */
size_t pdf_predict_rest(struct pdf_predict *p, const uint8_t **row);
bool pdf_predict_bad(const struct pdf_predict *p);

#endif
