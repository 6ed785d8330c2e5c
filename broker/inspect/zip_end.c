/* SPDX-License-Identifier: ISC
 * Where a zip ends: exactly one end record whose comment reaches the last byte (or NUL padding), ZIP64
 * records that agree with it, and a central directory that ends where they begin. Worker child. */
#include <inttypes.h>
#include <string.h>

#include "inspect/archive_zip.h"

#define SATURATED32 0xffffffffu
#define SATURATED16 0xffffu

bool zip_fault(struct zip *zip, enum finding_code code, uint64_t at, const char *text)
{
    archive_find(zip->in, code, at, "%s", text);
    return false;
}

/* Offset behind the last byte that is not NUL. */
static uint64_t tail_of(struct bytes *bytes)
{
    uint64_t at = bytes->size;
    while (at > 0) {
        size_t n = at < BYTES_WINDOW ? (size_t)at : BYTES_WINDOW;
        const uint8_t *p = bytes_at(bytes, at - n, n);
        while (p && n > 0 && p[n - 1] == 0) {
            n--;
            at--;
        }
        if (n > 0)
            break;
    }
    return at;
}

struct candidates {
    uint64_t at;
    unsigned n;     /* records that end at the end of the file */
    bool elsewhere; /* a signature whose record ends before it */
};

/* Every end-record signature in the space that a comment can reach. */
static void search(struct zip *zip, uint64_t tail, struct candidates *found)
{
    uint64_t size = zip->bytes->size;
    uint64_t reach = ZIP_END + ZIP_COMMENT_BYTES;
    uint64_t low = tail > reach ? tail - reach : 0,
             high = size - low < BYTES_WINDOW ? size : low + BYTES_WINDOW;
    const uint8_t *p = bytes_at(zip->bytes, low, (size_t)(high - low));
    *found = (struct candidates){0};
    for (uint64_t at = low; p && at + ZIP_END <= high && at < tail; at++) {
        const uint8_t *r = p + (at - low);
        if (r[0] != 'P' || memcmp(r, "PK\005\006", 4) != 0)
            continue;
        uint64_t end = at + ZIP_END + get_le16(r + 20);
        if (end <= size && end >= tail) {
            found->at = at;
            found->n++;
        } else
            found->elsewhere = true;
    }
}

bool zip_comment(struct zip *zip, const char *label, const uint8_t *p, size_t len, uint64_t at)
{
    for (size_t i = 0; i + 4 <= len; i++)
        if (p[i] == 'P' && p[i + 1] == 'K' && p[i + 2] >= 1 && p[i + 2] <= 8 && p[i + 3] == p[i + 2] + 1)
            return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at, "a comment holds a zip record");
    inspect_loose(zip->in, label, p, len);
    return true;
}

static bool comment_clean(struct zip *zip, uint64_t at, size_t len)
{
    const uint8_t *p = bytes_at(zip->bytes, at, len);
    return !p || len == 0 || zip_comment(zip, "!comment", p, len, at);
}

struct end_values {
    uint64_t disk, directory_disk, here, total, size, offset;
};

/* A value of the end record is that of the ZIP64 record or saturated. */
static bool agrees(uint64_t old, uint64_t big, uint64_t saturated)
{
    return old == big || old == saturated;
}

static bool end64(struct zip *zip, struct end_values *v)
{
    uint8_t loc[ZIP_LOCATOR64], big[ZIP_END64];
    uint64_t at = zip->end_at - ZIP_LOCATOR64;
    if (!bytes_copy(zip->bytes, at, loc, sizeof(loc)))
        return true;
    uint64_t record = get_le64(loc + 8);
    if (get_le32(loc + 4) != 0 || get_le32(loc + 16) != 1)
        return zip_fault(zip, FINDING_ARCHIVE_UNSUPPORTED, at, "a zip that is split over several files");
    if (record > at || at - record != ZIP_END64 || !bytes_copy(zip->bytes, record, big, sizeof(big)) ||
        memcmp(big, "PK\006\006", 4) != 0)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at,
                         "the ZIP64 end record is not where its locator says");
    if (get_le64(big + 4) != ZIP_END64 - 12)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, record, "the ZIP64 end record has data of its own");
    struct end_values w = {get_le32(big + 16), get_le32(big + 20), get_le64(big + 24),
                           get_le64(big + 32), get_le64(big + 40), get_le64(big + 48)};
    if (!agrees(v->here, w.here, SATURATED16) || !agrees(v->total, w.total, SATURATED16) ||
        !agrees(v->size, w.size, SATURATED32) || !agrees(v->offset, w.offset, SATURATED32) ||
        !agrees(v->disk, w.disk, SATURATED16) || !agrees(v->directory_disk, w.directory_disk, SATURATED16))
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, record, "the two end records contradict each other");
    *v = w;
    zip->directory_end = record;
    return true;
}

static bool directory_of(struct zip *zip, const struct end_values *v)
{
    if (v->disk != 0 || v->directory_disk != 0)
        return zip_fault(zip, FINDING_ARCHIVE_UNSUPPORTED, zip->end_at,
                         "a zip that is split over several files");
    if (v->here != v->total)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, zip->end_at,
                         "the end record gives two numbers of members");
    if (v->size > zip->directory_end || v->offset > zip->directory_end - v->size)
        return zip_fault(zip, FINDING_ARCHIVE_CORRUPT, zip->end_at,
                         "the central directory does not fit before the end record");
    if (v->offset + v->size != zip->directory_end)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, zip->end_at,
                         "the central directory does not end at the end record, so bytes stand before the "
                         "archive or in it");
    if (v->total > v->size / ZIP_CENTRAL)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, zip->end_at,
                         "the end record counts more members than its directory can hold");
    zip->count = v->total;
    zip->directory_at = v->offset;
    zip->directory_size = v->size;
    return true;
}

bool zip_end(struct zip *zip)
{
    uint8_t end[ZIP_END];
    uint64_t size = zip->bytes->size, tail = tail_of(zip->bytes);
    struct candidates found = {0};
    if (size >= ZIP_END)
        search(zip, tail, &found);
    if (found.n > 1)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, found.at,
                         "more than one end record reaches the end of the file");
    if (found.n == 0)
        return found.elsewhere
                   ? zip_fault(zip, FINDING_ARCHIVE_TRAILING_DATA, tail,
                               "the end record does not end at the end of the file")
                   : zip_fault(zip, FINDING_ARCHIVE_CORRUPT, tail, "no end record: the zip is cut short");
    zip->end_at = zip->directory_end = found.at;
    if (!bytes_copy(zip->bytes, found.at, end, sizeof(end)))
        return zip_fault(zip, FINDING_ARCHIVE_CORRUPT, found.at, "the end record is cut short");
    uint16_t comment = get_le16(end + 20);
    if (!comment_clean(zip, found.at + ZIP_END, comment))
        return false;
    if (found.at + ZIP_END + comment < size)
        inspect_find_at(zip->in, FINDING_ARCHIVE_TRAILING_DATA, LEVEL_NOTE, found.at + ZIP_END + comment, 0,
                        "NUL padding follows the end record");
    struct end_values v = {get_le16(end + 4),  get_le16(end + 6),  get_le16(end + 8),
                           get_le16(end + 10), get_le32(end + 12), get_le32(end + 16)};
    const uint8_t *loc = found.at >= ZIP_LOCATOR64 ? bytes_at(zip->bytes, found.at - ZIP_LOCATOR64, 4) : NULL;
    if (loc && memcmp(loc, "PK\006\007", 4) == 0) {
        if (!end64(zip, &v))
            return false;
    } else if (v.size == SATURATED32 || v.offset == SATURATED32)
        return zip_fault(zip, FINDING_ARCHIVE_CORRUPT, found.at,
                         "the end record refers to a ZIP64 record that is not there");
    return directory_of(zip, &v);
}
