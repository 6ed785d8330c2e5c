/* SPDX-License-Identifier: ISC
 * Names are shown and recorded, so none may be a credential: the paths of the walk, and the members that findings name. */
#ifndef SALLYPORT_LINE_NAMES_H
#define SALLYPORT_LINE_NAMES_H

#include "base/compiler.h"
#include "cmd/line.h"

/* Every path of the walk: one that holds a credential gets the finding, and is shown masked. An exit code. */
int line_names(struct line *line) MUST_CHECK;
/* Every member in a finding, once nothing more is decided by its name: masked where it holds one. An exit code. */
int line_member_names(struct line *line) MUST_CHECK;

#endif
