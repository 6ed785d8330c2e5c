/* SPDX-License-Identifier: ISC
 * What a byte is written as in another text: percent signs, backslashes, quoted-printable, character references; and colours
 * of a terminal, which are written into one and stand for nothing. */
#ifndef SALLYPORT_SECRET_ESCAPE_H
#define SALLYPORT_SECRET_ESCAPE_H

#include <stdint.h>

#include "inspect/secret.h"

/* Those up to ESCAPE_SIGNS start with a sign of their own: % \ = & ESC. */
enum escape {
    ESCAPE_PERCENT,
    ESCAPE_BACKSLASH,
    ESCAPE_QUOTED,
    ESCAPE_REFERENCE,
    ESCAPE_COLOUR,
    ESCAPE_SIGNS,
    ESCAPE_UTF16 = ESCAPE_SIGNS,
    ESCAPE_PAIRS
};

struct byte_step {
    unsigned used; /* bytes of the escape; 0: it is none */
    unsigned made; /* 0 or 1 */
    uint8_t byte;
};

/* Two hex digits at off, or -1. */
int secret_hex_pair(struct text *text, uint64_t off);
/* The escape of that kind whose sign is at off. */
struct byte_step secret_escape(enum escape kind, struct text *text, uint64_t off);

#endif
