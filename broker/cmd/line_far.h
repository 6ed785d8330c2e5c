/* SPDX-License-Identifier: ISC
 * A job on another host as a source: see line_far.c. */
#ifndef SALLYPORT_LINE_FAR_H
#define SALLYPORT_LINE_FAR_H

#include "cmd/cmd.h"
#include "cmd/line.h"
#include "engine/engine.h"

/* Before the job: where its bytes will go. 0 or -1 with errno; end in either case. */
int line_far_begin(struct line *line, struct engine_take *take) MUST_CHECK;
/* After it: the source is what came. An exit code. */
int line_far_adopt(struct line *line, struct engine_take *take);
int line_far_walk(struct line *line);
void line_far_end(struct engine_take *take);

#endif
