/* SPDX-License-Identifier: ISC */
#include "archive_make.h"

#include <bzlib.h>
#include <criterion/criterion.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "inspect/archive.h"

enum { PART_MAX = 64, PACK_MAX = 9 << 20 };

static struct {
    unsigned n;
    char last[MEMBER_BYTES + 1];
} visits;

/* Stands for the inspectors beside the archive inspector: claims text, so that members are admitted. */
static void visit(struct inspection *in)
{
    inspect_claim(in, TYPE_TEXT, EVIDENCE_TEXT);
    if (!in->member)
        return;
    visits.n++;
    snprintf(visits.last, sizeof(visits.last), "%s", in->member);
}

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, visit, NULL},
                                       {"archive", INSPECTOR_ARCHIVE, archive_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

unsigned archive_visits(void)
{
    return visits.n;
}

const char *archive_last(void)
{
    return visits.last;
}

void archive_look_task(struct sink_list *list, const struct task *task, const struct buf *bytes)
{
    visits.n = 0;
    visits.last[0] = 0;
    sink_list_init(list);
    sink_run(list, inspectors, task, bytes->data, bytes->len);
}

void archive_look(struct sink_list *list, const char *path, const struct buf *bytes)
{
    struct task task;
    sink_task(&task, path, NULL);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) /* types are not what is tested here */
        type_set_add(&task.inside.types, (enum type)t);
    archive_look_task(list, &task, bytes);
}

bool archive_refused(const struct sink_list *list)
{
    for (size_t i = 0; i < list->findings.n; i++)
        if (list->findings.v[i].level == LEVEL_REFUSE)
            return true;
    return false;
}

static size_t deflated(const char *data, size_t len, uint8_t *out)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = PACK_MAX;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n = z.total_out;
    deflateEnd(&z);
    return n;
}

static void zip_fixed(struct buf *out, const struct make_zip_part *p, uint32_t crc, size_t packed,
                      size_t size, bool local)
{
    bool later = local && p->descriptor;
    buf_u16(out, 20);
    buf_u16(out, (uint16_t)(p->flags | (p->descriptor ? 8 : 0)));
    buf_u16(out, p->method);
    buf_u16(out, 0x6000);
    buf_u16(out, 0x5821);
    buf_u32(out, later ? 0 : crc);
    buf_u32(out, later ? 0 : (uint32_t)packed);
    buf_u32(out, later ? 0 : (uint32_t)size);
}

static void zip_local(struct buf *out, const struct make_zip_part *p, uint32_t crc, const void *data,
                      size_t packed, size_t size)
{
    const char *name = p->local_name ? p->local_name : p->name;
    buf_bytes(out, "PK\003\004", 4);
    zip_fixed(out, p, crc, packed, size, true);
    buf_u16(out, (uint16_t)strlen(name));
    buf_u16(out, 0);
    buf_text(out, name);
    buf_bytes(out, data, packed);
    if (!p->descriptor)
        return;
    buf_bytes(out, "PK\007\010", 4);
    buf_u32(out, crc);
    buf_u32(out, (uint32_t)packed);
    buf_u32(out, (uint32_t)size);
}

static void zip_central(struct buf *out, const struct make_zip_part *p, uint32_t crc, size_t packed,
                        size_t size, size_t offset)
{
    bool slash = p->name[0] && p->name[strlen(p->name) - 1] == '/';
    uint32_t mode = p->mode ? p->mode : slash ? 0040755 : 0100644;
    buf_bytes(out, "PK\001\002", 4);
    buf_u16(out, 3 << 8 | 20);
    zip_fixed(out, p, crc, packed, size, false);
    buf_u16(out, (uint16_t)strlen(p->name));
    buf_u16(out, 0);
    buf_u16(out, 0);
    buf_u16(out, 0);
    buf_u16(out, 0);
    buf_u32(out, mode << 16);
    buf_u32(out, (uint32_t)offset);
    buf_text(out, p->name);
}

void make_zip(struct buf *out, const struct make_zip_part *parts, size_t n, const char *comment)
{
    static uint8_t packed[PACK_MAX];
    struct buf central;
    buf_init(&central, PACK_MAX);
    cr_assert_leq(n, PART_MAX);
    for (size_t i = 0; i < n; i++) {
        const char *data = parts[i].data ? parts[i].data : "";
        size_t size = strlen(data), at = out->len, len = size;
        uint32_t crc = (uint32_t)crc32(0, (const Bytef *)data, (uInt)size) ^ parts[i].crc_flip;
        if (parts[i].method == 8)
            len = deflated(data, size, packed);
        else
            memcpy(packed, data, size);
        zip_local(out, &parts[i], crc, packed, len, size);
        zip_central(&central, &parts[i], crc, len, size, at);
    }
    size_t at = out->len;
    buf_bytes(out, central.data, central.len);
    buf_bytes(out, "PK\005\006\0\0\0\0", 8);
    buf_u16(out, (uint16_t)n);
    buf_u16(out, (uint16_t)n);
    buf_u32(out, (uint32_t)central.len);
    buf_u32(out, (uint32_t)at);
    buf_u16(out, (uint16_t)(comment ? strlen(comment) : 0));
    buf_text(out, comment ? comment : "");
    cr_assert(!out->failed && !central.failed);
    buf_free(&central);
}

void make_tar(struct buf *out, const char *name, char type, const void *data, size_t len, const char *link)
{
    char h[512] = {0};
    static const char nul[512];
    unsigned sum = 0;
    snprintf(h, 100, "%s", name);
    snprintf(h + 100, 8, "%07o", 0644u);
    snprintf(h + 108, 8, "%07o", 0u);
    snprintf(h + 116, 8, "%07o", 0u);
    snprintf(h + 124, 12, "%011o", (unsigned)len);
    snprintf(h + 136, 12, "%011o", 0u);
    h[156] = type;
    snprintf(h + 157, 100, "%s", link ? link : "");
    memcpy(h + 257, "ustar\00000", 8);
    memset(h + 148, ' ', 8);
    for (size_t i = 0; i < sizeof(h); i++)
        sum += (uint8_t)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    buf_bytes(out, h, sizeof(h));
    buf_bytes(out, data, len);
    buf_bytes(out, nul, -len & 511);
}

void make_tar_end(struct buf *out)
{
    static const char nul[1024];
    buf_bytes(out, nul, sizeof(nul));
}

void make_gzip(struct buf *out, const void *data, size_t len)
{
    static uint8_t packed[PACK_MAX];
    size_t n = deflated(data, len, packed);
    buf_bytes(out, "\037\213\010\0\0\0\0\0\0\003", 10);
    buf_bytes(out, packed, n);
    buf_u32(out, (uint32_t)crc32(0, data, (uInt)len));
    buf_u32(out, (uint32_t)len);
}

void make_bzip2(struct buf *out, const void *data, size_t len)
{
    static char packed[PACK_MAX];
    unsigned n = sizeof(packed);
    cr_assert_eq(BZ2_bzBuffToBuffCompress(packed, &n, (char *)(uintptr_t)data, (unsigned)len, 9, 0, 0),
                 BZ_OK);
    buf_bytes(out, packed, n);
}

void make_xz(struct buf *out, const void *data, size_t len)
{
    static uint8_t packed[PACK_MAX];
    size_t n = 0;
    cr_assert_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, data, len, packed, &n, sizeof(packed)),
                 LZMA_OK);
    buf_bytes(out, packed, n);
}

void make_lzma(struct buf *out, const void *data, size_t len)
{
    static uint8_t packed[PACK_MAX];
    lzma_stream lz = LZMA_STREAM_INIT;
    lzma_options_lzma options;
    cr_assert(!lzma_lzma_preset(&options, 6));
    cr_assert_eq(lzma_alone_encoder(&lz, &options), LZMA_OK);
    lz.next_in = data;
    lz.avail_in = len;
    lz.next_out = packed;
    lz.avail_out = sizeof(packed);
    cr_assert_eq(lzma_code(&lz, LZMA_FINISH), LZMA_STREAM_END);
    buf_bytes(out, packed, sizeof(packed) - lz.avail_out);
    lzma_end(&lz);
}

void make_zstd(struct buf *out, const void *data, size_t len)
{
    static uint8_t packed[PACK_MAX];
    size_t n = ZSTD_compress(packed, sizeof(packed), data, len, 3);
    cr_assert(!ZSTD_isError(n));
    buf_bytes(out, packed, n);
}

void make_lz4(struct buf *out, const void *data, size_t len)
{
    static uint8_t packed[PACK_MAX];
    LZ4F_preferences_t prefs = {.frameInfo = {.contentChecksumFlag = LZ4F_contentChecksumEnabled}};
    size_t n = LZ4F_compressFrame(packed, sizeof(packed), data, len, &prefs);
    cr_assert(!LZ4F_isError(n));
    buf_bytes(out, packed, n);
}
