/* SPDX-License-Identifier: ISC
 * In a worker child: strings of hostile PDFs on their way to the secret inspector. */
#include "inspect/pdf_text.h"

#include <string.h>

#include "base/limits.h"

void pdf_text_init(struct pdf_text *t, struct inspection *in)
{
    *t = (struct pdf_text){.in = in};
    buf_init(&t->piece, PDF_PIECE);
    buf_init(&t->window, (size_t)PDF_WINDOW + PDF_PIECE + 1);
}

void pdf_text_free(struct pdf_text *t)
{
    buf_free(&t->piece);
    buf_free(&t->window);
}

void pdf_text_begin(struct pdf_text *t)
{
    t->start = t->piece.len;
    t->strings++;
}

void pdf_text_byte(struct pdf_text *t, int c, bool coded)
{
    t->differs = t->differs || coded;
    if (t->piece.len == PDF_PIECE) { /* longer than any credential: goes on as a new one */
        pdf_text_break(t);
        pdf_text_begin(t);
    }
    buf_u8(&t->piece, (uint8_t)c);
}

/* Text strings may be UTF-16 behind a mark; what is no ASCII belongs to no credential. */
static void narrow(struct pdf_text *t)
{
    uint8_t *p = t->piece.data + t->start;
    size_t len = t->piece.len - t->start, n = 0;
    bool big = len >= 2 && p[0] == 0xFE && p[1] == 0xFF, little = len >= 2 && p[0] == 0xFF && p[1] == 0xFE;
    if (!big && !little)
        return;
    for (size_t i = 2; i + 1 < len; i += 2) {
        uint8_t high = p[big ? i : i + 1], low = p[big ? i + 1 : i];
        p[n++] = high == 0 && low < 0x80 ? low : '?';
    }
    t->piece.len = t->start + n;
    t->differs = true;
}

void pdf_text_end(struct pdf_text *t)
{
    if (t->piece.len > t->start)
        narrow(t);
}

void pdf_text_gap(struct pdf_text *t)
{
    if (t->piece.len > 0 && t->piece.len < PDF_PIECE)
        buf_u8(&t->piece, ' ');
}

void pdf_text_break(struct pdf_text *t)
{
    if (t->piece.len > 0 && (t->differs || t->strings > 1)) {
        buf_bytes(&t->window, t->piece.data, t->piece.len);
        buf_u8(&t->window, '\n');
        if (t->window.len >= PDF_WINDOW)
            pdf_text_flush(t);
    }
    buf_reset(&t->piece);
    t->start = 0;
    t->strings = 0;
    t->differs = false;
}

void pdf_text_flush(struct pdf_text *t)
{
    if (t->window.len > 0)
        inspect_loose(t->in, "!text", t->window.data, t->window.len);
    buf_reset(&t->window);
}
