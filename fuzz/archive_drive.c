/* SPDX-License-Identifier: ISC
 * The archive inspector as the harnesses run it. The other inspectors are stood in for by a claim of text. */
#include "archive_drive.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/archive.h"
#include "inspect/sink.h"

enum { DRIVE_ENTRIES = 200, DRIVE_UNPACKED = 4 << 20, DRIVE_NESTING = 4 };

static void text(struct inspection *in)
{
    inspect_claim(in, TYPE_TEXT, EVIDENCE_TEXT);
}

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, text, NULL},
                                       {"archive", INSPECTOR_ARCHIVE, archive_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool passed(const struct sink_list *list)
{
    bool archive = false;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        archive = archive || (list->claims.of[t] & (1u << EVIDENCE_STRUCTURE));
    for (size_t i = 0; i < list->findings.n; i++)
        if (list->findings.v[i].level == LEVEL_REFUSE)
            return false;
    return archive;
}

bool archive_drive(const char *path, const uint8_t *data, size_t size)
{
    struct sink_list list;
    struct task task;
    sink_task(&task, path, NULL);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        type_set_add(&task.inside.types, (enum type)t);
    task.admitted = task.inside.types;
    task.inside.entries = DRIVE_ENTRIES;
    task.inside.unpacked = task.inside.member = DRIVE_UNPACKED;
    task.inside.nesting = DRIVE_NESTING;
    sink_list_init(&list);
    sink_run(&list, inspectors, &task, data, size);
    require(list.budget.held == 0);
    require(list.budget.entries <= DRIVE_ENTRIES);
    require(list.budget.unpacked <= DRIVE_UNPACKED);
    bool pass = passed(&list);
    sink_list_free(&list);
    return pass;
}

/* zstd and lz4 may carry no checksum and ar has neither checksum nor end: there any byte completes what lacks
 * its last one. */
static bool unchecked(const uint8_t *data, size_t size)
{
    if (size == 0)
        return false;
    bool skippable = size > 1 && (data[0] & 0xf0) == 0x50 && data[1] == 0x2a;
    return data[0] == '!' || data[0] == 0x28 || data[0] == 0x04 || skippable;
}

void archive_drive_appended(const char *path, const uint8_t *data, size_t size)
{
    if (unchecked(data, size))
        return;
    uint8_t *longer = malloc(size + 1);
    require(longer != NULL);
    if (size > 0)
        memcpy(longer, data, size);
    longer[size] = 'A';
    bool first = archive_drive(path, longer, size + 1);
    longer[size] = 'B';
    require(!(first && archive_drive(path, longer, size + 1)));
    free(longer);
}
