/* SPDX-License-Identifier: ISC
 * Extra fields of zip records: an exact list of (id, length, body), with the fields that change what a reader
 * sees. Pure. */
#include <string.h>
#include <zlib.h>

#include "inspect/archive_zip.h"

enum { EXTRA_ZIP64 = 0x0001, EXTRA_STRONG = 0x0017, EXTRA_UNICODE_PATH = 0x7075, EXTRA_AES = 0x9901 };
enum { EXTRA_PKWARE_UNIX = 0x000d, EXTRA_ASI_UNIX = 0x756e, PKWARE_UNIX_FIXED = 12, ASI_FIXED = 14 };
/* Times and owners: NTFS, Info-ZIP's two Unix fields and its time field, longer than which none of them is. */
enum { EXTRA_NTFS = 0x000a, EXTRA_UNIX_OLD = 0x5855, EXTRA_TIME = 0x5455, EXTRA_UNIX = 0x7875, TIMES_MAX = 40 };
#define LOOSE_LEAST 12u /* shorter text is no credential */
#define SATURATED 0xffffffffu

/* zipalign fills with NUL, which is no field. */
static bool all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return false;
    return true;
}

/* Could the field carry text? */
static bool is_loose(unsigned id, size_t len)
{
    bool numbers = id == EXTRA_ZIP64 || id == EXTRA_NTFS || id == EXTRA_UNIX_OLD || id == EXTRA_TIME || id == EXTRA_UNIX;
    return len >= LOOSE_LEAST && (!numbers || len > TIMES_MAX);
}

/* Old Unix fields that readers take the kind of the member from: a link's target, a device's number. */
static enum object_kind unix_kind(unsigned id, const uint8_t *body, size_t len)
{
    if (id == EXTRA_PKWARE_UNIX)
        return len > PKWARE_UNIX_FIXED ? OBJECT_SYMLINK : OBJECT_UNKNOWN;
    if (len < ASI_FIXED)
        return OBJECT_UNKNOWN;
    unsigned type = get_le16(body + 4) & 0170000u;
    if (type == 0120000 || get_le32(body + 6) > 0)
        return OBJECT_SYMLINK;
    return type == 0 || type == 0100000 || type == 0040000 ? OBJECT_UNKNOWN : OBJECT_OTHER;
}

static const char *field(struct zip_extra *extra, unsigned id, const uint8_t *body, size_t len)
{
    extra->loose = extra->loose || is_loose(id, len);
    switch (id) {
    case EXTRA_ZIP64:
        if (extra->has64)
            return "two ZIP64 fields for one member";
        extra->has64 = true;
        extra->sizes = body;
        extra->sizes_len = len;
        break;
    case EXTRA_UNICODE_PATH:
        if (extra->unicode)
            return "two unicode-path fields for one member";
        extra->unicode = body;
        extra->unicode_len = len;
        break;
    case EXTRA_STRONG:
    case EXTRA_AES:
        extra->encrypted = true;
        break;
    case EXTRA_PKWARE_UNIX:
    case EXTRA_ASI_UNIX:
        if (extra->unix_kind == OBJECT_UNKNOWN)
            extra->unix_kind = unix_kind(id, body, len);
        break;
    default:
        break;
    }
    return NULL;
}

const char *zip_extra_parse(const uint8_t *data, size_t len, struct zip_extra *extra)
{
    *extra = (struct zip_extra){.unix_kind = OBJECT_UNKNOWN};
    for (size_t at = 0; at < len;) {
        size_t left = len - at, n = left >= 4 ? get_le16(data + at + 2) : 0;
        if (left < 4 || n > left - 4)
            return all_zero(data + at, left) ? NULL : "extra fields do not fill their space exactly";
        const char *bad = field(extra, get_le16(data + at), data + at + 4, n);
        if (bad)
            return bad;
        at += 4 + n;
    }
    return NULL;
}

/* Takes one 64-bit value where the 32-bit one is saturated. */
static bool take(const struct zip_extra *extra, size_t *at, uint64_t *value)
{
    if (!value || *value != SATURATED)
        return true;
    if (!extra->has64 || extra->sizes_len - *at < 8)
        return false;
    *value = get_le64(extra->sizes + *at);
    *at += 8;
    return true;
}

const char *zip_extra_sizes(const struct zip_extra *extra, uint64_t *size, uint64_t *packed, uint64_t *offset,
                            uint32_t *disk)
{
    uint64_t was_size = *size, was_packed = *packed;
    size_t at = 0;
    if (!take(extra, &at, size) || !take(extra, &at, packed) || !take(extra, &at, offset))
        return "a ZIP64 field lacks a value that the record refers to";
    if (disk && *disk == 0xffff) {
        if (!extra->has64 || extra->sizes_len - at < 4)
            return "a ZIP64 field lacks a value that the record refers to";
        *disk = get_le32(extra->sizes + at);
        at += 4;
    }
    if (at == extra->sizes_len)
        return NULL;
    /* some writers repeat values that fit: then they must be the same */
    bool repeats = at == 0 && extra->sizes_len >= 16 && extra->sizes_len <= 28 &&
                   get_le64(extra->sizes) == was_size && get_le64(extra->sizes + 8) == was_packed;
    return repeats ? NULL : "a ZIP64 field holds values that nothing refers to";
}

bool zip_extra_name_agrees(const struct zip_extra *extra, const uint8_t *name, size_t len)
{
    const uint8_t *u = extra->unicode;
    if (!u)
        return true;
    return extra->unicode_len == len + 5 && u[0] == 1 &&
           get_le32(u + 1) == (uint32_t)crc32(0, name, (uInt)len) && memcmp(u + 5, name, len) == 0;
}
