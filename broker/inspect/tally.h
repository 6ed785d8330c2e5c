/* SPDX-License-Identifier: ISC
 * What a scanner saw in one file: each code at each level once, with its first place and how often. A page with ten
 * thousand handlers is one finding, not ten thousand. */
#ifndef SALLYPORT_TALLY_H
#define SALLYPORT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "inspect/inspector.h"

enum { TALLY_ROWS = 32 };

struct tally_row {
    enum finding_code code;
    enum finding_level level;
    uint64_t offset;
    uint64_t count;
    const char *message; /* fixed text of the first place; NULL: the code's sentence */
};

struct tally {
    struct inspection *in;
    bool has_origin;  /* offsets are of decoded text: everything is said at `origin` */
    uint64_t origin;
    struct tally_row rows[TALLY_ROWS];
    size_t n;
};

void tally_init(struct tally *t, struct inspection *in);
void tally_add(struct tally *t, enum finding_code code, enum finding_level level, uint64_t offset, const char *message);
/* At the code's default level. */
void tally_refuse(struct tally *t, enum finding_code code, uint64_t offset, const char *message);
/* Says everything, with lines, and empties the tally. */
void tally_say(struct tally *t);

#endif
