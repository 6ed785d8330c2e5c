/* SPDX-License-Identifier: ISC
 * Which bytes of a file belong to something, so that what belongs to nothing or to two things is found. */
#ifndef SALLYPORT_SPAN_LIST_H
#define SALLYPORT_SPAN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct span_list {
    struct span_range {
        uint64_t from, to;
    } *v; /* owned */
    size_t n, cap;
};

/* Adds [from, from + len); nothing where len is 0. False: no memory, or more than SPANS_MAX. */
bool span_list_add(struct span_list *list, uint64_t from, uint64_t len) MUST_CHECK;
/* Sorts. False: two of them overlap, *at where. */
bool span_list_sort(struct span_list *list, uint64_t *at) MUST_CHECK;
void span_list_free(struct span_list *list);

#endif
