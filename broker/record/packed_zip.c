/* SPDX-License-Identifier: ISC
 * ZIP (APPNOTE 6.3.10) with stored members only, no extensions: a member is its bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fd.h"
#include "record/packed.h"

enum {
    LOCAL_BYTES = 30,
    END_BYTES = 22,
    UTF8_NAMES = 1 << 11,
    MADE_BY_UNIX = 3 << 8 | 20,
    NEEDS = 20,
    CENTRAL_MAX = 64 * 1024 * 1024
};

bool packed_zip_fits(uint64_t entries, uint64_t bytes)
{
    return entries < UINT16_MAX && bytes < UINT32_MAX;
}

uint32_t packed_crc32(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? 0xEDB88320u ^ table[i] >> 1 : table[i] >> 1;
    }
    crc = ~crc;
    for (size_t i = 0; i < len; i++)
        crc = table[(crc ^ p[i]) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/* MS-DOS time: two-second steps, from 1980 on. */
static uint32_t dos_time(int64_t seconds)
{
    struct tm tm;
    time_t t = (time_t)seconds;
    if (!gmtime_r(&t, &tm) || tm.tm_year < 80 || tm.tm_year > 207)
        return 1u << 21 | 1u << 16;
    return (uint32_t)(tm.tm_year - 80) << 25 | (uint32_t)(tm.tm_mon + 1) << 21 | (uint32_t)tm.tm_mday << 16 |
           (uint32_t)tm.tm_hour << 11 | (uint32_t)tm.tm_min << 5 | (uint32_t)tm.tm_sec / 2;
}

/* What the local and the central header share, from the version on. */
static void put_common(struct buf *out, const struct packed_head *head)
{
    buf_u16(out, NEEDS);
    buf_u16(out, UTF8_NAMES);
    buf_u16(out, 0);
    buf_u32(out, dos_time(head->time));
    buf_u32(out, head->crc);
    buf_u32(out, (uint32_t)head->size);
    buf_u32(out, (uint32_t)head->size);
    buf_u16(out, (uint16_t)strlen(head->name));
    buf_u16(out, 0);
}

void packed_zip_head(struct buf *out, const struct packed_head *head)
{
    buf_u32(out, 0x04034B50);
    put_common(out, head);
    buf_text(out, head->name);
}

void packed_zip_central(struct buf *out, const struct packed_head *head)
{
    bool directory = head->name[strlen(head->name) - 1] == '/';
    uint32_t mode = directory ? 040755 : head->executable ? 0100555 : 0100444;
    buf_u32(out, 0x02014B50);
    buf_u16(out, MADE_BY_UNIX);
    put_common(out, head);
    buf_u16(out, 0);
    buf_u16(out, 0);
    buf_u16(out, 0);
    buf_u32(out, mode << 16 | (directory ? 0x10 : 0));
    buf_u32(out, (uint32_t)head->offset);
    buf_text(out, head->name);
}

void packed_zip_end(struct buf *out, uint64_t entries, uint64_t central_size, uint64_t central_offset)
{
    buf_u32(out, 0x06054B50);
    buf_u32(out, 0);
    buf_u16(out, (uint16_t)entries);
    buf_u16(out, (uint16_t)entries);
    buf_u32(out, (uint32_t)central_size);
    buf_u32(out, (uint32_t)central_offset);
    buf_u16(out, 0);
}

/* --- reading ---------------------------------------------------------------------------- */

struct zip_reader {
    struct packed *packed;
    uint64_t at, size;
    struct buf central;  /* what the directory must be */
};

/* Local headers carry no mode: it is taken from the central directory, which is where readers take it from. */
static bool central_mode(struct reader *r, bool *executable)
{
    const uint8_t *p = reader_take(r, 46);
    if (!p)
        return false;
    uint32_t name = (uint32_t)p[28] | (uint32_t)p[29] << 8, mode = (uint32_t)p[40] | (uint32_t)p[41] << 8;
    *executable = mode == 0100555;
    return reader_take(r, name) != NULL;
}

/* Unix seconds in the stamp's form; the seconds themselves are not in a zip. */
static int64_t stamp_time(uint32_t stamp)
{
    struct tm tm = {.tm_year = (int)(stamp >> 25) + 80, .tm_mon = (int)(stamp >> 21 & 15) - 1, .tm_mday = (int)(stamp >> 16 & 31),
                    .tm_hour = (int)(stamp >> 11 & 31), .tm_min = (int)(stamp >> 5 & 63), .tm_sec = (int)(stamp & 31) * 2};
    return (int64_t)timegm(&tm);
}

static int read_local(struct zip_reader *z, struct reader *modes)
{
    uint8_t fixed[LOCAL_BYTES], again[LOCAL_BYTES + PACKED_NAME];
    char name[PACKED_NAME] = "";
    struct reader r;
    struct buf out;
    if (z->size - z->at < LOCAL_BYTES)
        return 1;
    if (fd_pread_full(z->packed->fd, fixed, sizeof(fixed), z->at) != 0)
        return -1;
    reader_init(&r, fixed + 10, sizeof(fixed) - 10);
    uint32_t stamp = reader_u32(&r), crc = reader_u32(&r);
    uint64_t size = reader_u32(&r), start = z->at;
    (void)reader_u32(&r);
    size_t len = reader_u16(&r);
    if (len >= sizeof(name) || z->size - z->at - LOCAL_BYTES < len)
        return 1;
    if (fd_pread_full(z->packed->fd, again, LOCAL_BYTES + len, z->at) != 0)
        return -1;
    memcpy(name, again + LOCAL_BYTES, len);
    struct packed_head head = {.name = name, .size = size, .crc = crc, .time = stamp_time(stamp), .offset = start};
    if (len == 0 || strlen(name) != len || !central_mode(modes, &head.executable))
        return 1;
    buf_init(&out, sizeof(again));
    packed_zip_head(&out, &head);
    bool same = !out.failed && out.len == LOCAL_BYTES + len && memcmp(out.data, again, out.len) == 0;
    buf_free(&out);
    z->at += LOCAL_BYTES + len;
    if (!same || z->size - z->at < size)
        return 1;
    int rc = packed_add(z->packed, &head, z->at);
    z->at += size;
    packed_zip_central(&z->central, &head);
    return rc;
}

static int read_all(struct zip_reader *z, uint64_t entries, uint64_t central_at, const uint8_t *central, size_t central_len)
{
    struct reader modes;
    reader_init(&modes, central, central_len);
    z->size = central_at;
    for (uint64_t i = 0; i < entries; i++) {
        int rc = read_local(z, &modes);
        if (rc != 0)
            return rc;
    }
    return z->at != central_at || z->central.failed || z->central.len != central_len ||
           memcmp(z->central.data, central, central_len) != 0;
}

int packed_read_zip(struct packed *packed, uint64_t size)
{
    struct zip_reader z = {.packed = packed};
    uint8_t end[END_BYTES];
    struct reader r;
    struct buf again;
    if (size < END_BYTES)
        return 1;
    if (fd_pread_full(packed->fd, end, sizeof(end), size - END_BYTES) != 0)
        return -1;
    reader_init(&r, end + 10, sizeof(end) - 10);
    uint64_t entries = reader_u16(&r), central_len = reader_u32(&r), central_at = reader_u32(&r);
    buf_init(&again, END_BYTES);
    packed_zip_end(&again, entries, central_len, central_at);
    bool same = !again.failed && memcmp(again.data, end, END_BYTES) == 0;
    buf_free(&again);
    if (!same || central_len == 0 || central_len > CENTRAL_MAX || central_at + central_len + END_BYTES != size)
        return 1;
    AUTO_FREE uint8_t *central = malloc((size_t)central_len);
    if (!central || fd_pread_full(packed->fd, central, (size_t)central_len, central_at) != 0)
        return -1;
    buf_init(&z.central, (size_t)central_len);
    int rc = read_all(&z, entries, central_at, central, (size_t)central_len);
    buf_free(&z.central);
    return rc;
}
