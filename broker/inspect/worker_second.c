/* SPDX-License-Identifier: ISC
 * The second reader (sallyport-second): libarchive and libmagic, each asked only where a claim asks for it. This is its
 * table. */
#include <stdio.h>

#include "inspect/archive_second.h"
#include "inspect/inspector.h"
#include "inspect/type_second.h"
#include "inspect/worker.h"

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, type_second_inspect, type_second_setup},
    {"archive", INSPECTOR_ARCHIVE, archive_second_inspect, archive_second_setup},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};

static void libraries(char *out, size_t size)
{
    char archive[64], magic[64];
    archive_second_version(archive, sizeof(archive));
    type_second_version(magic, sizeof(magic));
    snprintf(out, size, "%s, %s", archive, magic);
}

const struct worker_program worker_program = {"sallyport-second", NULL, libraries, NULL};
