/* SPDX-License-Identifier: ISC
 * Facts of this run in the record's form. */
#ifndef SALLYPORT_LINE_FACTS_H
#define SALLYPORT_LINE_FACTS_H

#include "probe/probe.h"
#include "record/record.h"

struct line;
struct worker_facts;

enum { LINE_LIBRARIES = 24 };

/* libraries points into the structure: do not copy it. */
struct line_facts {
    struct text_pair pairs[LINE_LIBRARIES];
    char names[LINE_LIBRARIES + 1][32], versions[LINE_LIBRARIES + 1][72];
    struct pair_list libraries;
    char rules_sha256[SHA256_HEX]; /* of the built-in secret rules; "" no worker said */
};

void line_facts_libraries(struct line_facts *facts, const struct worker_facts *workers);
/* end NULL: there was no job. */
void line_facts_job(const struct line *line, struct job_line *job);
size_t line_facts_probes(const struct line *line, struct probe_line probes[PROBE_ROWS]);

#endif
