/* SPDX-License-Identifier: ISC
 * The tar stream source: spooled into a file of our own, read by a confined child that answers with extents, and then
 * walked like a directory. */
#ifndef SALLYPORT_LINE_STREAM_H
#define SALLYPORT_LINE_STREAM_H

#include "cmd/line.h"
#include "collect/collect_copy.h"

/* Decides the source: standard input, or the producer after "--". */
int line_stream_open(struct line *line);
/* Spools, reads and matches: fills line->walk. */
int line_stream_walk(struct line *line);
/* Copies one item's extent from the spool into a staged file, as collect_copy() does from a directory. */
int line_stream_copy(struct line *line, const struct copy_job *job, struct item *item, int staged);

#endif
