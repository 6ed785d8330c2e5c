/* SPDX-License-Identifier: ISC
 * The second reader (sallyport-second): libarchive and libmagic, asked where a claim asks for it. This is its table; an inspector that
 * is not built yet refuses whatever it is shown. */
#include <stdio.h>

#include "inspect/archive_second.h"
#include "inspect/inspector.h"
#include "inspect/worker.h"

static void not_built(struct inspection *in)
{
    inspect_find(in, FINDING_INSPECT_INCOMPLETE, "this version cannot look into the content");
}

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, not_built, NULL},
    {"archive", INSPECTOR_ARCHIVE, archive_second_inspect, archive_second_setup},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};

static void libraries(char *out, size_t size)
{
    snprintf(out, size, "%s", "");
}

const struct worker_program worker_program = {"sallyport-second", NULL, libraries};
