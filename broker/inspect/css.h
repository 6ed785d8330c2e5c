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

struct css {
    struct scan scan;
    uint64_t stop;
    bool refs;           /* resolve character references too */
    uint64_t work;       /* bytes of addresses, which are read once more as style */
    bool import, space;  /* behind @import, @namespace, until the statement ends */
    unsigned strings;    /* so many strings more are addresses */
    size_t ident_len;    /* CSS_IDENT + 1: too long to be of interest */
    char ident[CSS_IDENT + 1];
};

/* Looks at [offset, stop) of bytes. */
void css_init(struct css *c, struct bytes *bytes, uint64_t offset, uint64_t stop, bool refs);
/* The next address and where it stands; false at the end. */
bool css_next(struct css *c, enum weburl *kind, uint64_t *at);

#endif
