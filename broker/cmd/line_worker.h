/* SPDX-License-Identifier: ISC
 * Facts about the workers of this run. */
#ifndef SALLYPORT_LINE_WORKER_H
#define SALLYPORT_LINE_WORKER_H

#include "inspect/inspect.h"
#include "record/record.h"

struct line;

enum { WORKER_CONTROLS = 3, WORKER_LIBRARIES = 16 };

/* libraries points into the structure: do not copy it. */
struct worker_facts {
    struct inspect_confinement confinement; /* its list of libraries is cut up */
    struct control_line controls[WORKER_CONTROLS];
    size_t controls_n;                      /* 0: no worker was started */
    struct text_pair pairs[WORKER_LIBRARIES];
    struct pair_list libraries;
};

void line_worker_facts(const struct line *line, struct worker_facts *facts);

#endif
