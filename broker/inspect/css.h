/* SPDX-License-Identifier: ISC
 * Addresses that a style makes a reader load: url(), src(), @import, image-set() and their kin, with CSS escapes (and
 * character references, for styles inside markup) resolved. Comments and strings are looked at as code, because what
 * cannot hide needs no parser. Source: CSS Syntax 3, CSS Images 4. */
#ifndef SALLYPORT_CSS_H
#define SALLYPORT_CSS_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/scan.h"
#include "inspect/weburl.h"

enum { CSS_IDENT = 31 };

/* Where a statement under way may be, as a set: readers differ in what is a comment or a string, and each of these
 * readings ends the statement at another place. */
enum css_state {
    CSS_CODE = 1u << 0,
    CSS_SLASH = 1u << 1, /* behind '/' */
    CSS_COMMENT = 1u << 2,
    CSS_STAR = 1u << 3, /* behind '*' in a comment */
    CSS_SINGLE = 1u << 4,
    CSS_DOUBLE = 1u << 5,
    CSS_PAREN = 1u << 6 /* behind '(', where an address without quotes may stand */
};

struct css {
    struct scan scan;
    uint64_t stop;
    bool refs;           /* resolve character references too */
    uint64_t work;       /* bytes of addresses, which are read once more as style */
    unsigned strings;    /* strings are addresses while any state of enum css_state is in this set */
    bool import;         /* since @import: a style in a data: address is one that nobody looked into */
    bool space;          /* right behind "@namespace name" */
    bool escaped;        /* the last character was: it delimits nothing but comments */
    bool decoded;        /* it was a reference, which raw text has none of */
    size_t ident_len;    /* CSS_IDENT + 1: too long to be of interest */
    char ident[CSS_IDENT + 1];
};

/* Looks at [offset, stop) of bytes. */
void css_init(struct css *c, struct bytes *bytes, uint64_t offset, uint64_t stop, bool refs);
/* The next address and where it stands; false at the end. */
bool css_next(struct css *c, enum weburl *kind, uint64_t *at);

#endif
