/* SPDX-License-Identifier: ISC
 * The zip walker (PKWARE APPNOTE.TXT 6.3): one end record at the exact end, a central directory that is
 * consumed exactly, local records that tile the space before it without gap or overlap and agree with it in
 * every field. All of that is settled before a byte is unpacked. */
#ifndef SALLYPORT_ARCHIVE_ZIP_H
#define SALLYPORT_ARCHIVE_ZIP_H

#include "inspect/archive_name.h"
#include "inspect/octets.h"

enum { ZIP_CENTRAL = 46, ZIP_LOCAL = 30, ZIP_END = 22, ZIP_END64 = 56, ZIP_LOCATOR64 = 20 };
enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };
enum {
    ZIP_F_ENCRYPTED = 1u << 0,
    ZIP_F_LEVEL = 3u << 1,
    ZIP_F_DESCRIPTOR = 1u << 3,
    ZIP_F_PATCHED = 1u << 5,
    ZIP_F_STRONG = 1u << 6,
    ZIP_F_UTF8 = 1u << 11,
    ZIP_F_MASKED = 1u << 13
};

struct zip_entry {
    uint64_t offset, packed, size; /* of the local record; of the data */
    uint64_t data_at;              /* set by zip_locals() */
    uint64_t name_at;              /* of the raw name in the file */
    uint32_t crc;
    uint16_t flags, method, name_len;
    uint16_t mode; /* Unix mode, where there is one */
    uint8_t kind;  /* enum object_kind */
};

struct zip {
    struct inspection *in;
    struct bytes *bytes;
    struct bytes
        directory; /* the same bytes through a window of its own: both records of a member are compared */
    uint64_t directory_at, directory_size, directory_end, count;
    uint64_t end_at; /* of the end record */
    struct zip_entry *entries;
    size_t n;
    struct names names; /* trimmed, in directory order */
};

void archive_zip(struct inspection *in);

/* Each says its finding and returns false where the structure does not hold. */
bool zip_end(struct zip *zip);
bool zip_central(struct zip *zip);
bool zip_locals(struct zip *zip);

/* A finding on the structure; always false. */
bool zip_fault(struct zip *zip, enum finding_code code, uint64_t at, const char *text);

/* --- zip_extra.c (pure) --------------------------------------------------- */
struct zip_extra {
    bool has64, encrypted;
    const uint8_t *sizes; /* body of the ZIP64 field */
    size_t sizes_len;
    const uint8_t *unicode; /* body of the unicode path field */
    size_t unicode_len;
    bool loose;               /* some field could carry text */
    enum object_kind unix_kind; /* what a PKWARE or ASi Unix field says the member is; OBJECT_UNKNOWN: nothing */
};
/* Says that an extra field makes a member another kind of object than its mode does. False. */
bool zip_unix_kind(struct zip *zip, uint64_t at, enum object_kind kind);
/* A comment that holds no zip record, which another reader could start from; it is shown under the label. at: for the finding. */
bool zip_comment(struct zip *zip, const char *label, const uint8_t *p, size_t len, uint64_t at);
/* NULL, or what is wrong with the extra fields. */
const char *zip_extra_parse(const uint8_t *data, size_t len, struct zip_extra *extra);
/* Values that stand in the ZIP64 field in place of saturated ones; NULL, or what is wrong. offset and disk
 * NULL: a local header, which has neither. */
const char *zip_extra_sizes(const struct zip_extra *extra, uint64_t *size, uint64_t *packed, uint64_t *offset,
                            uint32_t *disk);
/* Does the unicode path field, where there is one, say the very same name? */
bool zip_extra_name_agrees(const struct zip_extra *extra, const uint8_t *name, size_t len);

#endif
