/* SPDX-License-Identifier: ISC
 * Tokens of PDF syntax, strictly: names normalised (#xx), strings and comments passed over and watched for objects that
 * they hide, since a reader finds objects by offset and not by syntax. Source: ISO 32000-2, 7.2 and 7.3. */
#ifndef SALLYPORT_PDF_TOKEN_H
#define SALLYPORT_PDF_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/scan.h"

enum pdf_kind {
    PDF_BAD = 0, /* not PDF syntax */
    PDF_EOF,
    PDF_NUMBER,
    PDF_NAME,
    PDF_STRING,  /* literal or hexadecimal */
    PDF_DICT,
    PDF_DICT_END,
    PDF_ARRAY,
    PDF_ARRAY_END,
    PDF_WORD
};

enum { PDF_TEXT = 127, PDF_HISTORY = 256 };

/* The last bytes of a string, comment or stream, to see whether "N G obj" stands there. */
struct pdf_watch {
    uint8_t last[PDF_HISTORY];
    uint8_t at;
    bool hides; /* an object, or the end of one, is hidden here */
};

struct pdf_text;

struct pdf_tokens {
    struct scan scan;
    bool loose;       /* binary data may stand between tokens: nothing is watched */
    uint64_t at;      /* start of the token */
    bool integer;     /* of a number: not negative, no fraction; its value */
    uint64_t value;
    size_t len;
    char text[PDF_TEXT + 1]; /* of a name, word or string; cut names are longer than any keyword */
    struct pdf_watch watch;
    struct pdf_text *strings; /* where strings go decoded; NULL: nowhere */
    unsigned lists;           /* open lists: their strings belong together */
};

void pdf_tokens_init(struct pdf_tokens *t, struct bytes *bytes, uint64_t offset, bool loose);
enum pdf_kind pdf_token_next(struct pdf_tokens *t);
/* Text of the token equals word? */
bool pdf_token_is(const struct pdf_tokens *t, const char *word);
bool pdf_is_space(int c);

void pdf_watch_byte(struct pdf_watch *w, int c);
/* A longer stretch, for streams. */
void pdf_watch_bytes(struct pdf_watch *w, const uint8_t *p, size_t len);

#endif
