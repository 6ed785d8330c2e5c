/* SPDX-License-Identifier: ISC
 * Tags of HTML, SVG and XML as a gate sees them: every '<' is a candidate, also inside comments, strings, styles and
 * attribute values, because readers differ in what they take for those. Over-approximates on purpose; builds no tree.
 * Sources: WHATWG HTML "Tokenization", XML 1.0 (fifth edition). */
#ifndef SALLYPORT_MARKUP_H
#define SALLYPORT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/scan.h"

enum { MARKUP_NAME = 63, MARKUP_VALUE = 64 * 1024 };

struct markup_tag {
    uint64_t at;                   /* of its '<' */
    bool closing;
    char name[MARKUP_NAME + 1];    /* local name, lower case, without prefix and NUL bytes; cut names match nothing */
    char prefix[MARKUP_NAME + 1];  /* "" where there is none */
};

struct markup_attribute {
    uint64_t at;
    char name[MARKUP_NAME + 1];    /* as above, also without what precedes its first letter */
    char full[MARKUP_NAME + 1];    /* with its prefix */
    bool has_value, cut;           /* cut: the value goes on; only its start is kept */
    bool bare;                     /* the value is not in quotes */
    bool plain;                    /* no '&' in it: nothing to decode */
    uint8_t *value;                /* character references decoded; in the reader's buffer until the next call */
    size_t value_len;
};

/* One pass over the tags of a file. */
struct markup {
    struct scan scan;
    bool xml;             /* names may start with any letter, '_' or ':' */
    bool exact;           /* XML, where readers agree: comments, CDATA sections and instructions are passed over */
    bool openings;        /* closing tags are of no interest: their names are not read */
    bool exhausted;       /* the bound on work was reached: say inspect/limit */
    uint64_t work, work_max;
    uint64_t stop;        /* end of the part that is looked at */
    uint64_t resume;      /* where the next candidate is looked for */
    uint64_t nested;      /* first '<' inside the tag under way; 0: none */
    bool in_tag;
    struct markup_tag tag;
    struct markup_attribute attribute;
    uint8_t value[MARKUP_VALUE];
};

/* NULL: no memory. Looks at [offset, stop). */
struct markup *markup_new(struct bytes *bytes, uint64_t offset, uint64_t stop, bool xml) MUST_CHECK;
void markup_free(struct markup **m);
/* The next tag, its name read and its attributes still to come; NULL at the end. What was left of the tag before is
 * looked at again as candidates only. */
const struct markup_tag *markup_next(struct markup *m);
/* The next attribute of the tag; NULL at the tag's end. */
const struct markup_attribute *markup_attribute(struct markup *m);
/* Offset behind what was read of the tag. */
uint64_t markup_offset(const struct markup *m);
/* Other calls may have moved the window. */
void markup_forget(struct markup *m);

/* Decodes character references in place (decimal, hexadecimal, with or without ';', and the named ones that stand for
 * ASCII); returns the new length. */
size_t charref_decode(uint8_t *text, size_t len);
/* One reference at p ("&...": left bytes): its length in bytes, or 0 where there is none; *code what it stands for. */
size_t charref_read(const uint8_t *p, size_t left, uint32_t *code);

#endif
