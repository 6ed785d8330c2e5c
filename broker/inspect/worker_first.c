/* SPDX-License-Identifier: ISC
 * The first reader (sallyport-inspect): own walkers and scanners over every file. This is its table; an inspector that
 * is not built yet refuses whatever it is shown. */
#include <stdio.h>

#include "inspect/archive.h"
#include "inspect/inspector.h"
#include "inspect/worker.h"

static void not_built(struct inspection *in)
{
    inspect_find(in, FINDING_INSPECT_INCOMPLETE, "this version cannot look into the content");
}

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, type_inspect, NULL},
    {"archive", INSPECTOR_ARCHIVE, archive_inspect, NULL},
    {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
    {"secret", INSPECTOR_SECRET, not_built, NULL},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};

static void libraries(char *out, size_t size)
{
    snprintf(out, size, "%s", "");
}

const struct worker_program worker_program = {"sallyport-inspect", stream_tar, libraries};
