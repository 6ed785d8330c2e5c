/* SPDX-License-Identifier: ISC
 * "Fetch, then cut": the approved first phase of a run. It has a box of its own, whose only way out is a relay that
 * writes down every destination; what it leaves is frozen and becomes a read-only input of the job. */
#ifndef SALLYPORT_FETCH_H
#define SALLYPORT_FETCH_H

#include "box/box.h"
#include "box/box_gate.h"
#include "cmd/line.h"

struct fetch {
    struct box_gate gate;
    struct box_result box;
    struct fetch_line facts;      /* for the record; its texts are of this struct or of the contract */
    char tree[SHA256_HEX];
    bool ran;
};

/* May this contract's fetch phase run now? EXIT_OK also where there is none. */
int fetch_allowed(const struct line *line) MUST_CHECK;
/* Runs it to its end and cuts the way out. EXIT_OK with fetch->box frozen, or an exit code after the reason was said. */
int fetch_run(struct line *line, const struct box_options *options, struct fetch *fetch) MUST_CHECK;
/* After the job: the fetched files are gone as well. 0 proven, 1 not. */
int fetch_end(struct fetch *fetch) MUST_CHECK;
void fetch_free(struct fetch *fetch);

#endif
