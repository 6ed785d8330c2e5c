/* SPDX-License-Identifier: ISC
 * Local records: in order of their offsets they fill [0, central directory) without gap and without overlap,
 * and each says what the central directory says. Worker child. */
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_zip.h"

static const uint8_t apk_magic[16] = "APK Sig Block 42";
/* Flags in which the two records may differ: compression level, descriptor, UTF-8 mark. */
#define FLAGS_FREE (ZIP_F_LEVEL | ZIP_F_DESCRIPTOR | ZIP_F_UTF8)

struct local {
    uint64_t at, packed, size;
    uint16_t flags, method;
    uint32_t crc;
    size_t name_len, extra_len;
};

static int by_offset(const void *a, const void *b)
{
    const struct zip_entry *const *x = a, *const *y = b;
    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static bool ambiguous(struct zip *zip, uint64_t at, const char *text)
{
    return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at, text);
}

static bool same_name(struct zip *zip, const struct zip_entry *e, const uint8_t *local_name)
{
    const uint8_t *p = bytes_at(&zip->directory, e->name_at, e->name_len);
    return p && memcmp(p, local_name, e->name_len) == 0;
}

/* Reads the record at e->offset; its sizes become those of the ZIP64 field. */
static bool read_local(struct zip *zip, struct zip_entry *e, struct local *l)
{
    const uint8_t *p = bytes_at(zip->bytes, e->offset, ZIP_LOCAL);
    struct zip_extra extra;
    if (zip->directory_at - e->offset < ZIP_LOCAL || !p || memcmp(p, "PK\003\004", 4) != 0)
        return ambiguous(zip, e->offset, "no local record where the central directory says");
    *l = (struct local){.at = e->offset,
                        .flags = get_le16(p + 6),
                        .method = get_le16(p + 8),
                        .crc = get_le32(p + 14),
                        .packed = get_le32(p + 18),
                        .size = get_le32(p + 22),
                        .name_len = get_le16(p + 26),
                        .extra_len = get_le16(p + 28)};
    size_t len = ZIP_LOCAL + l->name_len + l->extra_len;
    if (zip->directory_at - e->offset < len || !(p = bytes_at(zip->bytes, e->offset, len)))
        return ambiguous(zip, e->offset, "a local record reaches into the central directory");
    e->data_at = e->offset + len;
    const char *bad = zip_extra_parse(p + ZIP_LOCAL + l->name_len, l->extra_len, &extra);
    if (!bad && !zip_extra_name_agrees(&extra, p + ZIP_LOCAL, l->name_len))
        bad = "a member has two different names (unicode path)";
    if (!bad)
        bad = zip_extra_sizes(&extra, &l->size, &l->packed, NULL, NULL);
    if (!bad && extra.encrypted)
        return zip_fault(zip, FINDING_ARCHIVE_ENCRYPTED, e->offset, "a member is encrypted");
    if (!bad && extra.unix_kind != OBJECT_UNKNOWN)
        return zip_unix_kind(zip, e->offset, extra.unix_kind);
    if (!bad && extra.loose)
        inspect_loose(zip->in, "!extra", p + ZIP_LOCAL + l->name_len, l->extra_len);
    if (!bad && (l->name_len != e->name_len || !same_name(zip, e, p + ZIP_LOCAL)))
        bad = "a member has one name in the central directory and another before its data";
    return bad ? ambiguous(zip, e->offset, bad) : true;
}

static bool agree(struct zip *zip, const struct zip_entry *e, const struct local *l)
{
    if (l->method != e->method)
        return ambiguous(zip, l->at, "a member has two different compression methods");
    if ((l->flags ^ e->flags) & ~(unsigned)FLAGS_FREE)
        return ambiguous(zip, l->at, "a member's flags differ between its two records");
    bool later = l->flags & ZIP_F_DESCRIPTOR; /* zero here, said behind the data */
    bool crc = l->crc == e->crc || (later && l->crc == 0);
    bool packed = l->packed == e->packed || (later && l->packed == 0);
    bool size = l->size == e->size || (later && l->size == 0);
    if (!crc || !packed || !size)
        return ambiguous(zip, l->at, "a member's size or checksum differs between its two records");
    return true;
}

/* Length of the descriptor at `at` that says what the directory says and fills `space` exactly (or, before a
 * signing block, fits); 0: none does. */
static size_t descriptor(struct zip *zip, const struct zip_entry *e, uint64_t at, uint64_t space, bool exact)
{
    static const size_t lengths[] = {24, 20, 16, 12};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        size_t len = lengths[i];
        bool wide = len >= 20;
        const uint8_t *p = len <= space && (!exact || len == space) ? bytes_at(zip->bytes, at, len) : NULL;
        if (!p)
            continue;
        if (len == 24 || len == 16) {
            if (memcmp(p, "PK\007\010", 4) != 0)
                continue;
            p += 4;
        }
        uint64_t packed = wide ? get_le64(p + 4) : get_le32(p + 4),
                 size = wide ? get_le64(p + 12) : get_le32(p + 8);
        if (get_le32(p) == e->crc && packed == e->packed && size == e->size)
            return len;
    }
    return 0;
}

/* The APK signing block (v2) between the last member and the directory, by its exact framing: size, pairs,
 * size, magic. */
static bool signing_block(struct zip *zip, uint64_t at)
{
    uint64_t end = zip->directory_at;
    uint8_t foot[24];
    const uint8_t *head;
    if (end - at < 32 || !bytes_copy(zip->bytes, end - sizeof(foot), foot, sizeof(foot)) ||
        memcmp(foot + 8, apk_magic, sizeof(apk_magic)) != 0)
        return false;
    uint64_t size = get_le64(foot), pairs_end = end - sizeof(foot), pair = at + 8;
    if (size != end - at - 8 || !(head = bytes_at(zip->bytes, at, 8)) || get_le64(head) != size)
        return false;
    while (pair < pairs_end) {
        const uint8_t *p = pairs_end - pair >= 12 ? bytes_at(zip->bytes, pair, 8) : NULL;
        uint64_t len = p ? get_le64(p) : 0;
        if (len < 4 || len > pairs_end - pair - 8)
            return false;
        pair += 8 + len;
    }
    return true;
}

static bool one_local(struct zip *zip, struct zip_entry *e, uint64_t next, bool last, uint64_t *end)
{
    struct local l;
    if (e->offset != *end)
        return ambiguous(zip, e->offset,
                         e->offset < *end ? "two members share bytes (overlapping records)"
                         : *end == 0      ? "bytes stand before the first member"
                                          : "bytes between two members belong to neither");
    if (!read_local(zip, e, &l) || !agree(zip, e, &l))
        return false;
    if (e->packed > next - e->data_at || e->data_at > next)
        return ambiguous(zip, e->offset, "two members share bytes (overlapping records)");
    *end = e->data_at + e->packed;
    if (!(l.flags & ZIP_F_DESCRIPTOR))
        return true;
    size_t len = descriptor(zip, e, *end, next - *end, true);
    if (len == 0 && last)
        len = descriptor(zip, e, *end, next - *end, false);
    if (len == 0)
        return ambiguous(zip, *end,
                         "the descriptor behind a member's data does not say what the directory says");
    *end += len;
    return true;
}

bool zip_locals(struct zip *zip)
{
    struct zip_entry **order = calloc(zip->n ? zip->n : 1, sizeof(struct zip_entry *));
    uint64_t end = 0;
    bool holds = true;
    if (!order)
        return zip_fault(zip, FINDING_INSPECT_LIMIT, 0, "no memory for the list of members");
    for (size_t i = 0; i < zip->n; i++)
        order[i] = &zip->entries[i];
    qsort(order, zip->n, sizeof(struct zip_entry *), by_offset);
    for (size_t i = 0; holds && i < zip->n; i++) {
        bool last = i + 1 == zip->n;
        uint64_t next = last ? zip->directory_at : order[i + 1]->offset;
        if (order[i]->offset > zip->directory_at || next > zip->directory_at)
            holds = ambiguous(zip, zip->directory_at, "a member lies behind the central directory");
        else
            holds = one_local(zip, order[i], next, last, &end);
    }
    free(order);
    if (!holds || end == zip->directory_at)
        return holds;
    if (signing_block(zip, end))
        return true;
    return ambiguous(zip, end,
                     zip->n ? "bytes before the central directory belong to no member"
                            : "bytes stand before an archive without members");
}
