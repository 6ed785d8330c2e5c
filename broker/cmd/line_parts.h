/* SPDX-License-Identifier: ISC
 * Promotions made of bags, and promotions that take a share of the paths: many machines do one promotion together. */
#ifndef SALLYPORT_LINE_PARTS_H
#define SALLYPORT_LINE_PARTS_H

#include "cmd/line.h"
#include "collect/collect_copy.h"

/* Verifies every bag: of the command line and opens its data/. */
int line_parts_open(struct line *line);
int line_parts_walk(struct line *line);
/* As collect_copy(); what is copied must be what was verified. */
int line_parts_copy(struct line *line, struct copy_job *job, struct item *item, int staged);
void line_parts_free(struct line *line);

/* --shard K/N: reads it, and keeps of what the walk found the paths of this share alone. */
int line_shard_parse(struct line *line);
void line_shard_keep(struct line *line);

#endif
