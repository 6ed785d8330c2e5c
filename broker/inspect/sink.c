/* SPDX-License-Identifier: ISC */
#include "inspect/sink.h"

#include <stdlib.h>
#include <string.h>

static void list_claim(struct sink *sink, enum type type, enum evidence evidence)
{
    claims_add(&((struct sink_list *)sink)->claims, type, evidence);
}

static void list_finding(struct sink *sink, const struct finding *finding)
{
    struct finding copy = *finding;
    copy.member = finding->member ? strdup(finding->member) : NULL;
    copy.message = finding->message ? strdup(finding->message) : NULL;
    if (finding_list_add(&((struct sink_list *)sink)->findings, &copy) != 0)
        abort();
}

static void list_listing(struct sink *sink, const uint8_t sha256[32], uint64_t count)
{
    struct sink_list *list = (struct sink_list *)sink;
    list->listings++;
    memcpy(list->listing, sha256, sizeof(list->listing));
    list->listing_count = count;
}

static void list_extent(struct sink *sink, const struct stream_member *member)
{
    struct sink_list *list = (struct sink_list *)sink;
    list->extents++;
    list->last = *member;
    list->last.path = NULL;
}

void sink_list_init(struct sink_list *list)
{
    *list = (struct sink_list){
        .sink = {.claim = list_claim, .finding = list_finding, .listing = list_listing, .nested = NULL, .extent = list_extent}};
}

void sink_list_free(struct sink_list *list)
{
    finding_list_free(&list->findings);
}

size_t sink_list_count(const struct sink_list *list, enum finding_code code)
{
    size_t n = 0;
    for (size_t i = 0; i < list->findings.n; i++)
        n += list->findings.v[i].code == code;
    return n;
}

const struct finding *sink_list_find(const struct sink_list *list, enum finding_code code)
{
    for (size_t i = 0; i < list->findings.n; i++)
        if (list->findings.v[i].code == code)
            return &list->findings.v[i];
    return NULL;
}

void sink_task(struct task *task, const char *path, const char *const *types)
{
    *task = (struct task){.id = 1};
    strncpy(task->path, path, sizeof(task->path) - 1);
    task->inside = (struct inside){.entries = DEFAULT_INSIDE_ENTRIES,
                                   .member = DEFAULT_INSIDE_MEMBER,
                                   .unpacked = DEFAULT_INSIDE_UNPACKED,
                                   .ratio = DEFAULT_INSIDE_RATIO,
                                   .nesting = DEFAULT_INSIDE_NESTING};
    type_group_add(&task->inside.types, "passive", 7);
    for (; types && *types; types++)
        if (!type_group_add(&task->admitted, *types, strlen(*types)))
            type_set_add(&task->admitted, type_from_name(*types, strlen(*types)));
}

void sink_run(struct sink_list *list, const struct inspector *table, const struct task *task, const void *data,
              size_t len)
{
    struct bytes bytes;
    struct inspection in;
    bytes_init_memory(&bytes, data, len);
    inspection_init(&in, &bytes, task, &list->budget, &list->sink);
    for (; table->name; table++)
        table->run(&in);
    bytes_free(&bytes);
}
