/* SPDX-License-Identifier: ISC
 * Characters that change how text reads without being seen: bidirectional controls and invisible ones. Emoji joiners,
 * flags, the joiners of Arabic and Indic scripts and the variants of Han are what these characters are for and pass.
 * Sources: UAX 9, UTS 39, UTS 51; Trojan Source (CVE-2021-42574). */
#ifndef SALLYPORT_TEXTCHARS_H
#define SALLYPORT_TEXTCHARS_H

#include "inspect/terminal.h"

enum { TEXTCHARS_EDGE = 4 };

struct textchars {
    struct terminal terminal;
    bool strict;            /* source or configuration: read by machines and reviewers */
    bool program;           /* source: what hides in an identifier changes what it does */
    uint32_t before;        /* code point in front of the one looked at; 0: none */
    size_t edge_n;          /* last bytes of the stretch before */
    uint8_t edge[TEXTCHARS_EDGE];
    unsigned embeds, isolates; /* open in this line */
    uint64_t opened_at;
    bool open;              /* the line must be seen to its end */
};

void textchars_init(struct textchars *t, struct tally *tally);
/* Remembers the end of a stretch of bytes for what follows it. */
void textchars_edge(struct textchars *t, const uint8_t *from, const uint8_t *end);
/* Finds the code point that ends right before p, in [from, p) and what was remembered. */
void textchars_before(struct textchars *t, const uint8_t *from, const uint8_t *p);
/* One character from U+00A0 on, already read; s stands behind it. */
void textchars_code(struct textchars *t, struct scan *s, uint32_t code, uint64_t at);
/* The end of a line. */
void textchars_line(struct textchars *t);

#endif
