/* SPDX-License-Identifier: ISC */
#include "base/item.h"

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"

struct item *item_list_add(struct item_list *list, char *take_path)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct item *grown = realloc(list->v, cap * sizeof(*grown));
        if (!grown) {
            free(take_path);
            return NULL;
        }
        list->v = grown;
        list->cap = cap;
    }
    struct item *item = &list->v[list->n++];
    *item = (struct item){.path = take_path, .staged = -1, .fd = -1};
    return item;
}

static int by_path(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return strcmp(x->path, y->path);
}

void item_list_sort(struct item_list *list)
{
    if (list->n > 1)
        qsort(list->v, list->n, sizeof(*list->v), by_path);
}

void item_clear(struct item *item)
{
    free(item->path);
    free(item->shown);
    for (size_t i = 0; i < item->source.xattrs_n; i++)
        free(item->source.xattrs[i]);
    free(item->source.xattrs);
    fd_close(&item->staged);
    fd_close(&item->fd);
    finding_list_free(&item->findings);
    *item = (struct item){.staged = -1, .fd = -1};
}

void item_list_free(struct item_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        item_clear(&list->v[i]);
    free(list->v);
    *list = (struct item_list){0};
}

bool item_refused(const struct item *item)
{
    for (size_t i = 0; i < item->findings.n; i++)
        if (item->findings.v[i].level == LEVEL_REFUSE && !item->findings.v[i].accepted)
            return true;
    return false;
}

const char *item_shown(const struct item *item)
{
    return item->shown ? item->shown : item->path;
}

bool item_has_secret(const struct item *item)
{
    for (size_t i = 0; i < item->findings.n; i++)
        if (item->findings.v[i].code == FINDING_SECRET && item->findings.v[i].level == LEVEL_REFUSE)
            return true;
    return false;
}

const char *item_verdict_name(const struct item *item)
{
    if (item->unmet)
        return "missing";
    if (item->verdict.outcome == OUTCOME_PROMOTE)
        return "promote";
    if ((!item->output || item->skipped) && !item_refused(item))
        return "unlisted";
    return "refuse";
}
