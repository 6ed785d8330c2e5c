/* SPDX-License-Identifier: ISC
 * See span_list.h. Pure but for its memory, which grows with what was added. */
#include "inspect/span_list.h"

#include <stdlib.h>

#include "base/limits.h"

enum { FIRST = 64 };

bool span_list_add(struct span_list *list, uint64_t from, uint64_t len)
{
    if (len == 0)
        return true;
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : FIRST;
        void *v = cap <= SPANS_MAX ? realloc(list->v, cap * sizeof(*list->v)) : NULL;
        if (!v)
            return false;
        list->v = v;
        list->cap = cap;
    }
    list->v[list->n++] = (struct span_range){from, from + len};
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct span_range *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

bool span_list_sort(struct span_list *list, uint64_t *at)
{
    if (list->n > 1)
        qsort(list->v, list->n, sizeof(*list->v), by_place);
    for (size_t i = 1; i < list->n; i++) {
        *at = list->v[i].from;
        if (list->v[i].from < list->v[i - 1].to)
            return false;
    }
    return true;
}

void span_list_free(struct span_list *list)
{
    free(list->v);
    *list = (struct span_list){.v = NULL};
}
