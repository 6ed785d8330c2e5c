/* SPDX-License-Identifier: ISC
 * In a worker child: predictors of PDF streams, row by row. Sources: ISO 32000-2, 7.4.4.4; PNG "Filtering"; TIFF 6.0, 14. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/pdf_filter.h"

struct pdf_predict {
    bool png, bad;
    size_t row, unit; /* bytes of a row, and from one sample to the same of the next pixel */
    size_t at;        /* how far the row under way is; PNG rows have their kind in front */
    uint8_t *now, *before;
};

struct pdf_predict *pdf_predict_new(const struct pdf_parms *parms)
{
    uint64_t colors = parms->colors ? parms->colors : 1, bits = parms->bits ? parms->bits : 8;
    uint64_t columns = parms->columns ? parms->columns : 1;
    if (colors > 64 || bits > 32 || columns > PDF_ROW)
        return NULL;
    struct pdf_predict *p = calloc(1, sizeof(*p));
    uint64_t row = (columns * colors * bits + 7) / 8;
    if (!p || row > PDF_ROW) {
        free(p);
        return NULL;
    }
    p->png = parms->predictor >= 10;
    p->row = (size_t)row;
    p->unit = (size_t)(colors * bits + 7) / 8;
    p->bad = !p->png && bits != 8; /* no writer of text does that, and samples of other sizes are not put together */
    p->now = calloc(2, p->row + 1);
    if (!p->now)
        pdf_predict_free(&p);
    else
        p->before = p->now + p->row + 1;
    return p;
}

void pdf_predict_free(struct pdf_predict **predict)
{
    struct pdf_predict *p = *predict;
    *predict = NULL;
    if (p)
        free(p->now < p->before || !p->before ? p->now : p->before);
    free(p);
}

static int paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void undo_png(struct pdf_predict *p, size_t n)
{
    uint8_t *row = p->now + 1;
    const uint8_t *up = p->before + 1;
    int kind = p->now[0];
    p->bad = p->bad || kind > 4;
    for (size_t i = 0; i < n; i++) {
        int a = i >= p->unit ? row[i - p->unit] : 0, b = up[i], c = i >= p->unit ? up[i - p->unit] : 0;
        int add = kind == 1 ? a : kind == 2 ? b : kind == 3 ? (a + b) / 2 : kind == 4 ? paeth(a, b, c) : 0;
        row[i] = (uint8_t)(row[i] + add);
    }
}

static void undo_tiff(struct pdf_predict *p, size_t n)
{
    for (size_t i = p->unit; i < n; i++)
        p->now[i] = (uint8_t)(p->now[i] + p->now[i - p->unit]);
}

/* The row under way as it is; returns its length. */
static size_t end_row(struct pdf_predict *p, const uint8_t **row)
{
    size_t n = p->at - (p->png && p->at > 0);
    uint8_t *was = p->now;
    if (p->png)
        undo_png(p, n);
    else
        undo_tiff(p, n);
    *row = was + p->png;
    p->now = p->before;
    p->before = was;
    p->at = 0;
    return n;
}

size_t pdf_predict_take(struct pdf_predict *p, const uint8_t *data, size_t len, const uint8_t **row, size_t *n)
{
    size_t whole = p->row + p->png, take = len < whole - p->at ? len : whole - p->at;
    memcpy(p->now + p->at, data, take);
    p->at += take;
    *row = NULL;
    *n = 0;
    if (p->at == whole)
        *n = end_row(p, row);
    return take;
}

size_t pdf_predict_rest(struct pdf_predict *p, const uint8_t **row)
{
    return end_row(p, row);
}

bool pdf_predict_bad(const struct pdf_predict *p)
{
    return p->bad;
}
