/* SPDX-License-Identifier: ISC
 * The tar stream source: spooled into a file of our own, read by a confined child that answers with extents, and then
 * walked like a directory. */
#ifndef SALLYPORT_LINE_STREAM_H
#define SALLYPORT_LINE_STREAM_H

#include "cmd/line.h"
#include "collect/collect_copy.h"
#include "collect/collect_list.h"

/* Decides the source: standard input, or the producer after "--". */
int line_stream_open(struct line *line);
/* Spools, reads and matches: fills line->walk. */
int line_stream_walk(struct line *line);
/* Matches what stands in line->extents, and what the broker captured itself. 0 or -1 with errno. */
int line_stream_judge(struct line *line);
/* Copies one item's extent from the spool into a staged file, as collect_copy() does from a directory. */
int line_stream_copy(struct line *line, const struct copy_job *job, struct item *item, int staged);
/* line_walk.c: the captured files as objects whose places come behind `before` others; how many. */
size_t line_captured(const struct line *line, size_t before, struct listed_object *out);

#endif
