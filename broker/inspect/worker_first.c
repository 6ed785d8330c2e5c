/* SPDX-License-Identifier: ISC
 * The first reader (sallyport-inspect): own walkers and scanners over every file. This is its table. */
#include <bzlib.h>
#include <lz4.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "inspect/archive.h"
#include "inspect/inspector.h"
#include "inspect/secret_first.h"
#include "inspect/worker.h"

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, type_inspect, NULL},
    {"archive", INSPECTOR_ARCHIVE, archive_inspect, NULL},
    {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
    {"secret", INSPECTOR_SECRET, secret_inspect, secret_setup},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};

static void libraries(char *out, size_t size)
{
    /* bzip2 says "1.0.8, 13-Jul-2019" */
    snprintf(out, size, "zlib %s, bzip2 %.*s, liblzma %s, libzstd %s, liblz4 %s", zlibVersion(),
             (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion(), lzma_version_string(), ZSTD_versionString(),
             LZ4_versionString());
}

const struct worker_program worker_program = {"sallyport-inspect", stream_tar, libraries};
