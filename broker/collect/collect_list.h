/* SPDX-License-Identifier: ISC
 * Objects that lie in no directory: members of a spooled stream, files that the broker itself captured. They
 * are judged exactly as those of a walk. */
#ifndef SALLYPORT_COLLECT_LIST_H
#define SALLYPORT_COLLECT_LIST_H

#include "collect/collect_walk.h"

/* Fills out as collect_walk() does, from a list in any order. Paths passed path_grammar(). */
int collect_list(const struct walk_options *options, const struct listed_object *objects, size_t n,
                 struct walk_result *out) MUST_CHECK;

#endif
