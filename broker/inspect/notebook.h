/* SPDX-License-Identifier: ISC
 * Values of a notebook by what a reader shows them as. Sources: the notebook format (nbformat) 3 and 4. */
#ifndef SALLYPORT_NOTEBOOK_H
#define SALLYPORT_NOTEBOOK_H

#include "base/buf.h"
#include "inspect/tally.h"

enum show {
    SHOW_NOTHING = 0,
    SHOW_PAGE,
    SHOW_MARKDOWN,
    SHOW_SCRIPT,  /* by its presence */
    SHOW_WIDGET,  /* by its presence */
    SHOW_LATEX,
    SHOW_SOURCE,  /* of a cell: what it is, the cell's kind says */
    SHOW_KIND,    /* the cell's kind */
    SHOW_FILE     /* base64 of a file, which becomes a member */
};

/* By a key of the notebook; old: in the third version of the format, whose outputs have short keys. *extension: of the
 * file that a SHOW_FILE is. */
/* A bit for each letter that one of those keys begins with (its five low bits): most keys begin with another. */
uint32_t notebook_letters(void);
enum show notebook_show_of(const struct buf *key, bool old, const char **extension);
/* What a decoded value, its strings joined, says as that. `number` names a member. */
void notebook_examine(struct tally *tally, enum show show, struct buf *text, uint64_t at, unsigned number, const char *extension);
/* Script or a widget that is there at all. */
void notebook_presence(struct tally *tally, enum show show, uint64_t at);

/* Lists of strings are one text to the reader: what only shows when they are joined. */
struct notebook_join {
    struct inspection *in;
    struct buf text;
    unsigned strings;
    bool differs; /* a line is cut by the strings, or a key goes over lines */
};
void notebook_join_add(struct notebook_join *j, const struct buf *text);
void notebook_join_end(struct notebook_join *j);

#endif
