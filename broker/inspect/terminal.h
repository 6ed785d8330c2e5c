/* SPDX-License-Identifier: ISC
 * Control sequences by what a terminal does with them: colour it, move the cursor, or act (title, clipboard, links,
 * reports, modes). Sources: ECMA-48, xterm ctlseqs. */
#ifndef SALLYPORT_TERMINAL_H
#define SALLYPORT_TERMINAL_H

#include "inspect/scan.h"
#include "inspect/tally.h"

struct terminal {
    struct tally *tally;
    bool log; /* `log` is listed: colours pass, progress bars are a note */
    bool part; /* of a package that may hold programs: an escape gives it nothing that they do not have; warned of */
    bool off; /* well-formed XML in a package: programs read it, terminals do not; escapes count, for XML has none */
};

/* A C0 control or DEL under the scan's next byte; reads the sequence. */
void terminal_control(struct terminal *t, struct scan *s);
/* A C1 control, U+0080 to U+009F. */
void terminal_c1(struct terminal *t, uint32_t code, uint64_t at);

#endif
