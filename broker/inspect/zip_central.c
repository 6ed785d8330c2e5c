/* SPDX-License-Identifier: ISC
 * The central directory: exactly as many records as the end record counts, in exactly its size. Worker child;
 * the list of members is allotted only after their number was checked against the bound and the directory's
 * size. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_zip.h"

enum { UNIX_TYPE = 0170000, UNIX_FILE = 0100000, UNIX_DIRECTORY = 0040000, UNIX_LINK = 0120000 };
enum { MADE_UNIX = 3, MADE_DARWIN = 19 };

struct central {
    uint64_t at, next; /* of the record, and behind it */
    uint16_t made, flags, method;
    uint32_t crc, attributes, disk;
    uint64_t packed, size, offset;
    const uint8_t *name, *extra, *comment;
    size_t name_len, extra_len, comment_len;
    bool loose; /* an extra field could carry text */
};

static bool read_record(struct zip *zip, uint64_t at, struct central *c)
{
    const uint8_t *p = bytes_at(&zip->directory, at, ZIP_CENTRAL);
    if (zip->directory_end - at < ZIP_CENTRAL || !p || memcmp(p, "PK\001\002", 4) != 0)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at,
                         "the central directory has fewer records than the end record counts");
    *c = (struct central){.at = at,
                          .made = get_le16(p + 4),
                          .flags = get_le16(p + 8),
                          .method = get_le16(p + 10),
                          .crc = get_le32(p + 16),
                          .packed = get_le32(p + 20),
                          .size = get_le32(p + 24),
                          .name_len = get_le16(p + 28),
                          .extra_len = get_le16(p + 30),
                          .comment_len = get_le16(p + 32),
                          .disk = get_le16(p + 34),
                          .attributes = get_le32(p + 38),
                          .offset = get_le32(p + 42)};
    size_t len = ZIP_CENTRAL + c->name_len + c->extra_len + c->comment_len;
    if (zip->directory_end - at < len || !(p = bytes_at(&zip->directory, at, len)))
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at, "a central record reaches beyond the directory");
    c->name = p + ZIP_CENTRAL;
    c->extra = c->name + c->name_len;
    c->comment = c->extra + c->extra_len;
    c->next = at + len;
    return true;
}

/* What the attributes say the member is; a link counts whatever system claims to have written it. */
static enum object_kind kind_of(const struct central *c)
{
    uint32_t mode = c->attributes >> 16, type = mode & UNIX_TYPE, made = c->made >> 8;
    if (type == UNIX_LINK)
        return OBJECT_SYMLINK;
    if (made != MADE_UNIX && made != MADE_DARWIN)
        type = 0;
    if (type != 0 && type != UNIX_FILE && type != UNIX_DIRECTORY)
        return OBJECT_OTHER;
    bool slash = c->name_len > 0 && c->name[c->name_len - 1] == '/';
    if (type == UNIX_DIRECTORY && !slash)
        return OBJECT_UNKNOWN;
    if (type == UNIX_FILE && slash)
        return OBJECT_UNKNOWN;
    return slash ? OBJECT_DIRECTORY : OBJECT_FILE;
}

bool zip_unix_kind(struct zip *zip, uint64_t at, enum object_kind kind)
{
    return zip_fault(zip, kind == OBJECT_SYMLINK ? FINDING_ARCHIVE_LINK : FINDING_ARCHIVE_SPECIAL, at,
                     "an extra field makes a member a link or a device, which its mode does not say");
}

static bool fields_hold(struct zip *zip, struct central *c)
{
    struct zip_extra extra;
    const char *bad = zip_extra_parse(c->extra, c->extra_len, &extra);
    if (bad)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at, bad);
    if ((c->flags & (ZIP_F_ENCRYPTED | ZIP_F_STRONG | ZIP_F_MASKED)) || extra.encrypted || c->method == 99)
        return zip_fault(zip, FINDING_ARCHIVE_ENCRYPTED, c->at, "a member is encrypted");
    if (extra.unix_kind != OBJECT_UNKNOWN)
        return zip_unix_kind(zip, c->at, extra.unix_kind);
    c->loose = extra.loose;
    if (c->flags & ZIP_F_PATCHED)
        return zip_fault(zip, FINDING_ARCHIVE_UNSUPPORTED, c->at, "a member is patch data");
    if (!zip_extra_name_agrees(&extra, c->name, c->name_len))
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at,
                         "a member has two different names (unicode path)");
    bad = zip_extra_sizes(&extra, &c->size, &c->packed, &c->offset, &c->disk);
    if (bad)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at, bad);
    if (c->disk != 0)
        return zip_fault(zip, FINDING_ARCHIVE_UNSUPPORTED, c->at, "a zip that is split over several files");
    if (c->method != ZIP_STORED && c->method != ZIP_DEFLATED) {
        archive_find(zip->in, FINDING_ARCHIVE_UNSUPPORTED, c->at,
                     "a member is compressed with method %u; stored and deflated can be looked into",
                     c->method);
        return false;
    }
    if (c->method == ZIP_STORED && c->packed != c->size)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at, "a stored member has two different sizes");
    return true;
}

static bool name_holds(struct zip *zip, const struct central *c, enum object_kind kind)
{
    const char *name = (const char *)c->name;
    size_t len = c->name_len;
    if (len == 0)
        return zip_fault(zip, FINDING_ARCHIVE_PATH, c->at, "a member has no name");
    if (memchr(c->name, 0, len))
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at,
                         "a member's name holds a NUL byte, where some readers end it");
    if (kind == OBJECT_UNKNOWN)
        return zip_fault(
            zip, FINDING_ARCHIVE_AMBIGUOUS, c->at,
            "a member is a file by its name and a directory by its mode, or the other way round");
    if (kind == OBJECT_DIRECTORY && c->size != 0)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, c->at, "a directory has content");
    name_trim(&name, &len);
    return names_add(&zip->names, zip->in, name, len,
                     kind == OBJECT_DIRECTORY ? NAME_DIRECTORY
                     : kind == OBJECT_FILE    ? NAME_FILE
                                              : NAME_LINK);
}

static bool scan_loose(struct zip *zip, const struct central *c)
{
    if (c->loose)
        inspect_loose(zip->in, "!extra", c->extra, c->extra_len);
    return c->comment_len == 0 || zip_comment(zip, "!member-comment", c->comment, c->comment_len, c->at);
}

bool zip_central(struct zip *zip)
{
    if (!archive_count(zip->in, zip->count))
        return false;
    zip->entries = calloc(zip->count ? (size_t)zip->count : 1, sizeof(*zip->entries));
    if (!zip->entries)
        return zip_fault(zip, FINDING_INSPECT_LIMIT, zip->directory_at, "no memory for the list of members");
    uint64_t at = zip->directory_at;
    for (; zip->n < zip->count; zip->n++) {
        struct central c;
        if (!read_record(zip, at, &c))
            return false;
        enum object_kind kind = kind_of(&c);
        if (!fields_hold(zip, &c) || !name_holds(zip, &c, kind))
            return false;
        zip->entries[zip->n] = (struct zip_entry){.offset = c.offset,
                                                  .packed = c.packed,
                                                  .size = c.size,
                                                  .name_at = at + ZIP_CENTRAL,
                                                  .crc = c.crc,
                                                  .flags = c.flags,
                                                  .method = c.method,
                                                  .name_len = (uint16_t)c.name_len,
                                                  .mode = (uint16_t)(c.attributes >> 16),
                                                  .kind = (uint8_t)kind};
        if (!scan_loose(zip, &c))
            return false;
        at = c.next;
    }
    if (at != zip->directory_end)
        return zip_fault(zip, FINDING_ARCHIVE_AMBIGUOUS, at,
                         "the central directory is larger than its records");
    return true;
}
