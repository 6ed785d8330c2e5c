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
#include "inspect/rule.h"
#include "inspect/secret_db.h"
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
    /* some add the day they were made: "1.0.8, 13-Jul-2019", "5.4.9 2022-12-17" */
    uint8_t rules[SHA256_SIZE];
    char hex[SHA256_HEX];
    sha256_bytes(rules_table, rules_table_len, rules);
    hex_encode(rules, SHA256_SIZE, hex);
    const char *bzip2 = BZ2_bzlibVersion(), *hs = secret_db_version(), *pcre2 = rule_engine_version();
    snprintf(out, size, "vectorscan %.*s, pcre2 %.*s, zlib %s, bzip2 %.*s, liblzma %s, libzstd %s, liblz4 %s, secret-rules %s",
             (int)strcspn(hs, " ,"), hs, (int)strcspn(pcre2, " ,"), pcre2, zlibVersion(), (int)strcspn(bzip2, " ,"), bzip2,
             lzma_version_string(), ZSTD_versionString(), LZ4_versionString(), hex);
}

const struct worker_program worker_program = {"sallyport-inspect", stream_tar, libraries, secret_warm};
