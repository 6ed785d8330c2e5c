/* SPDX-License-Identifier: ISC
 * In a worker child: decoders of hostile streams. Each calls the next one, as deep as the chain is long. */
#include "inspect/pdf_filter.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/pdf_token.h"

enum { OUT_STEP = 8 * 1024, LZW_CODES = 4096, LZW_CLEAR = 256, LZW_END = 257 };

struct lzw {
    uint32_t bits;
    unsigned held, width, next; /* bits held; bits of a code; the next free code */
    int last;                   /* code before; -1: none */
    bool late;
    uint16_t prefix[LZW_CODES];
    uint8_t suffix[LZW_CODES];
};

struct pdf_filter {
    enum pdf_filter_kind kind;
    struct pdf_filter *next;
    void (*take)(void *to, const uint8_t *p, size_t n);
    void *to;
    bool ended, bad, stopped, open;
    z_stream z;
    struct lzw *lzw;
    struct pdf_predict *predict;
    uint32_t word;   /* of ASCII85 and hexadecimal digits */
    unsigned digits; /* in `word`; runs: bytes still to come of this run */
    bool repeat, tilde;
    uint8_t out[OUT_STEP];
    size_t out_n;
};

/* --- what comes out ------------------------------------------------------------------------------ */

static void deliver(struct pdf_filter *f, const uint8_t *p, size_t n)
{
    if (n == 0)
        return;
    if (f->next)
        pdf_filter_push(f->next, p, n);
    else
        f->take(f->to, p, n);
}

static void predicted(struct pdf_filter *f, const uint8_t *p, size_t n)
{
    const uint8_t *row;
    size_t len;
    while (n > 0 && !f->stopped) {
        size_t used = pdf_predict_take(f->predict, p, n, &row, &len);
        p += used;
        n -= used;
        deliver(f, row, len);
    }
}

static void flush(struct pdf_filter *f)
{
    size_t n = f->out_n;
    f->out_n = 0;
    if (f->predict)
        predicted(f, f->out, n);
    else
        deliver(f, f->out, n);
}

static void put(struct pdf_filter *f, int c)
{
    f->out[f->out_n++] = (uint8_t)c;
    if (f->out_n == OUT_STEP)
        flush(f);
}

/* --- Flate --------------------------------------------------------------------------------------- */

static void push_flate(struct pdf_filter *f, const uint8_t *p, size_t len)
{
    f->z.next_in = (uint8_t *)(uintptr_t)p;
    f->z.avail_in = (uInt)len;
    while (!f->ended && !f->bad && !f->stopped) {
        f->z.next_out = f->out;
        f->z.avail_out = OUT_STEP;
        int r = inflate(&f->z, Z_NO_FLUSH);
        f->out_n = OUT_STEP - f->z.avail_out;
        bool full = f->z.avail_out == 0;
        flush(f);
        f->ended = r == Z_STREAM_END;
        f->bad = r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR;
        if ((f->z.avail_in == 0 && !full) || r == Z_BUF_ERROR)
            return;
    }
}

/* --- LZW ----------------------------------------------------------------------------------------- */

static void lzw_clear(struct lzw *l)
{
    l->next = LZW_END + 1;
    l->width = 9;
    l->last = -1;
}

/* The bytes of a code, last one first in the table; returns the first byte. */
static int lzw_write(struct pdf_filter *f, int code, int extra)
{
    uint8_t text[LZW_CODES + 1];
    size_t n = 0;
    struct lzw *l = f->lzw;
    while (code > LZW_END && n < LZW_CODES) {
        text[n++] = l->suffix[code];
        code = l->prefix[code];
    }
    text[n++] = (uint8_t)code;
    int first = text[n - 1];
    while (n > 0)
        put(f, text[--n]);
    if (extra)
        put(f, first);
    return first;
}

static void lzw_code(struct pdf_filter *f, int code)
{
    struct lzw *l = f->lzw;
    if (code == LZW_END || code == LZW_CLEAR) {
        f->ended = code == LZW_END;
        lzw_clear(l);
        return;
    }
    bool fresh = (unsigned)code == l->next && l->last >= 0;
    if ((unsigned)code > l->next || (code > LZW_END && !fresh && (unsigned)code >= l->next) || (l->last < 0 && code > LZW_CLEAR)) {
        f->bad = true;
        return;
    }
    int first = fresh ? lzw_write(f, l->last, 1) : lzw_write(f, code, 0);
    if (l->last >= 0 && l->next < LZW_CODES) {
        l->prefix[l->next] = (uint16_t)l->last;
        l->suffix[l->next++] = (uint8_t)first;
    }
    l->last = code;
    unsigned full = l->next + !l->late;
    l->width = full >= 2048 ? 12 : full >= 1024 ? 11 : full >= 512 ? 10 : 9;
}

static void push_lzw(struct pdf_filter *f, const uint8_t *p, size_t len)
{
    struct lzw *l = f->lzw;
    for (size_t i = 0; i < len && !f->ended && !f->bad && !f->stopped; i++) {
        l->bits = l->bits << 8 | p[i];
        l->held += 8;
        while (l->held >= l->width && !f->ended && !f->bad) {
            l->held -= l->width;
            lzw_code(f, (int)(l->bits >> l->held & ((1u << l->width) - 1)));
        }
    }
    flush(f);
}

/* --- text forms ---------------------------------------------------------------------------------- */

static void hex_byte(struct pdf_filter *f, int c)
{
    int value = hex_value(c);
    if (c == '>') {
        if (f->digits == 1)
            put(f, (int)(f->word << 4));
        f->ended = true;
    } else if (value >= 0) {
        f->word = f->word << 4 | (uint32_t)value;
        if (++f->digits == 2)
            put(f, (int)f->word);
        if (f->digits == 2)
            f->word = f->digits = 0;
    } else
        f->bad = !pdf_is_space(c);
}

/* The last group is short: n digits stand for n - 1 bytes. */
static void end_85(struct pdf_filter *f)
{
    f->bad = f->digits == 1;
    unsigned n = f->digits;
    uint64_t word = f->word;
    for (unsigned i = n; n > 0 && i < 5; i++)
        word = word * 85 + 84;
    f->bad = f->bad || word > UINT32_MAX;
    for (unsigned i = 0; i + 1 < n; i++)
        put(f, (int)(word >> (24 - 8 * i) & 0xFF));
    f->ended = true;
}

static void byte_85(struct pdf_filter *f, int c)
{
    if (f->tilde) {
        f->bad = c != '>' && !pdf_is_space(c);
        if (c == '>')
            end_85(f);
    } else if (c == '~') {
        f->tilde = true;
    } else if (c == 'z' && f->digits == 0) {
        for (int i = 0; i < 4; i++)
            put(f, 0);
    } else if (c >= '!' && c <= 'u') {
        uint64_t word = (uint64_t)f->word * 85 + (uint64_t)(c - '!');
        f->bad = word > UINT32_MAX;
        f->word = (uint32_t)word;
        if (++f->digits < 5)
            return;
        for (int i = 3; i >= 0; i--)
            put(f, (int)(f->word >> (8 * i) & 0xFF));
        f->word = f->digits = 0;
    } else
        f->bad = !pdf_is_space(c);
}

static void run_byte(struct pdf_filter *f, int c)
{
    if (f->digits == 0) {
        f->ended = c == 128;
        f->repeat = c > 128;
        f->digits = f->ended ? 0 : f->repeat ? (unsigned)(257 - c) : (unsigned)c + 1;
    } else if (f->repeat) {
        for (; f->digits > 0; f->digits--)
            put(f, c);
    } else {
        put(f, c);
        f->digits--;
    }
}

static void push_bytes(struct pdf_filter *f, const uint8_t *p, size_t len, void (*one)(struct pdf_filter *f, int c))
{
    for (size_t i = 0; i < len && !f->bad && !f->stopped; i++) {
        if (!f->ended)
            one(f, p[i]);
        else if (!pdf_is_space(p[i])) /* readers stop at the end mark; what follows would be hidden */
            f->bad = true;
    }
    flush(f);
}

/* --- the chain ----------------------------------------------------------------------------------- */

void pdf_filter_push(struct pdf_filter *f, const uint8_t *p, size_t len)
{
    switch (f->kind) {
    case PDF_FILTER_FLATE:
        push_flate(f, p, len);
        break;
    case PDF_FILTER_LZW:
        push_lzw(f, p, len);
        break;
    case PDF_FILTER_HEX:
        push_bytes(f, p, len, hex_byte);
        break;
    case PDF_FILTER_85:
        push_bytes(f, p, len, byte_85);
        break;
    case PDF_FILTER_RUNS:
        push_bytes(f, p, len, run_byte);
        break;
    case PDF_FILTER_NONE:
    case PDF_FILTER_PICTURE:
    case PDF_FILTER_UNKNOWN:
        deliver(f, p, len);
        break;
    }
}

static bool one_end(struct pdf_filter *f)
{
    const uint8_t *row;
    bool decodes = f->kind >= PDF_FILTER_FLATE && f->kind <= PDF_FILTER_RUNS;
    /* the end of the data ends runs and digits too: writers leave their marks out */
    bool open = f->kind == PDF_FILTER_RUNS ? f->digits > 0 : f->kind == PDF_FILTER_LZW ? false : f->kind != PDF_FILTER_HEX;
    if (f->kind == PDF_FILTER_HEX && !f->ended && f->digits == 1)
        put(f, (int)(f->word << 4));
    flush(f);
    if (f->predict) {
        size_t n = pdf_predict_rest(f->predict, &row);
        deliver(f, row, n);
    }
    bool bad = f->predict && pdf_predict_bad(f->predict);
    return !decodes || (!f->bad && !bad && (f->ended || !open));
}

bool pdf_filter_end(struct pdf_filter *f)
{
    bool fine = true;
    for (; f; f = f->next)
        fine = one_end(f) && fine;
    return fine;
}

void pdf_filter_stop(struct pdf_filter *f)
{
    for (; f; f = f->next)
        f->stopped = true;
}

void pdf_filter_free(struct pdf_filter **first)
{
    struct pdf_filter *f = *first;
    *first = NULL;
    while (f) {
        struct pdf_filter *next = f->next;
        if (f->open)
            inflateEnd(&f->z);
        pdf_predict_free(&f->predict);
        free(f->lzw);
        free(f);
        f = next;
    }
}

static bool set_up(struct pdf_filter *f, const struct pdf_parms *parms)
{
    bool packs = f->kind == PDF_FILTER_FLATE || f->kind == PDF_FILTER_LZW;
    if (f->kind == PDF_FILTER_FLATE && !(f->open = inflateInit(&f->z) == Z_OK))
        return false;
    if (f->kind == PDF_FILTER_LZW) {
        if (!(f->lzw = calloc(1, sizeof(*f->lzw))))
            return false;
        lzw_clear(f->lzw);
        f->lzw->late = parms->late;
    }
    if (packs && parms->predictor > 1 && !(f->predict = pdf_predict_new(parms)))
        return false;
    return true;
}

struct pdf_filter *pdf_filter_new(const enum pdf_filter_kind *kinds, const struct pdf_parms *parms, size_t n,
                                  void (*take)(void *to, const uint8_t *p, size_t n), void *to)
{
    struct pdf_filter *first = NULL, **link = &first;
    for (size_t i = 0; i < n; i++) {
        struct pdf_filter *f = *link = calloc(1, sizeof(*f));
        if (f)
            *f = (struct pdf_filter){.kind = kinds[i], .take = take, .to = to};
        if (!f || !set_up(f, &parms[i])) {
            pdf_filter_free(&first);
            return NULL;
        }
        link = &f->next;
    }
    return first;
}
