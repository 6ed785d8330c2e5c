/* SPDX-License-Identifier: ISC
 * The strings of a PDF as a reader shows them: escapes and hexadecimal digits decoded, UTF-16 narrowed, pieces of one line
 * joined. What reads the same in the file itself is left out: there it is looked through anyway. */
#ifndef SALLYPORT_PDF_TEXT_H
#define SALLYPORT_PDF_TEXT_H

#include "base/buf.h"
#include "inspect/inspector.h"

struct pdf_text {
    struct inspection *in;
    struct buf piece;  /* strings that belong together, joined */
    struct buf window; /* pieces that read differently from the file, to be looked through */
    size_t start;      /* of the string under way in `piece` */
    unsigned strings;  /* in `piece` */
    bool differs;
};

void pdf_text_init(struct pdf_text *t, struct inspection *in);
void pdf_text_free(struct pdf_text *t);
/* One string: begin, its bytes, end. coded: its bytes in the file are not those that it stands for. */
void pdf_text_begin(struct pdf_text *t);
void pdf_text_byte(struct pdf_text *t, int c, bool coded);
void pdf_text_end(struct pdf_text *t);
/* A gap as wide as a blank. */
void pdf_text_gap(struct pdf_text *t);
/* What follows does not belong to what came before. */
void pdf_text_break(struct pdf_text *t);
/* Looks through what was gathered. */
void pdf_text_flush(struct pdf_text *t);

#endif
