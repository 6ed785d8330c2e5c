/* SPDX-License-Identifier: ISC
 * One 512-byte tar header (POSIX.1-1988 ustar, GNU tar's format, v7) and the records of a pax extended header
 * (POSIX.1-2001 pax, "pax Header Block"). Pure: bytes in, numbers and pointers into them out. */
#ifndef SALLYPORT_TAR_HEAD_H
#define SALLYPORT_TAR_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAR_BLOCK = 512, TAR_NAME_MAX = 256 };

enum tar_format { TAR_V7 = 0, TAR_USTAR, TAR_GNU };

struct tar_text {
    const char *at; /* NULL: not given */
    size_t len;
};

struct tar_head {
    enum tar_format format;
    char type;
    uint64_t size, mode, uid, gid, mtime;
    bool mtime_known;
    char name[TAR_NAME_MAX + 1]; /* prefix and name joined */
    size_t name_len;
    char link[101];
    size_t link_len;
};

/* NULL, or what is wrong: a fixed sentence. *checksum is false where it is the checksum (the bytes may be no
 * header). */
const char *tar_head_parse(const uint8_t block[TAR_BLOCK], struct tar_head *head, bool *checksum);
/* Could these bytes begin a tar? Known magic, or v7 with a right checksum. */
bool tar_head_likely(const uint8_t block[TAR_BLOCK]);
/* The owner's name (which 0) or the group's (1), without its NULs. */
struct tar_text tar_owner(const uint8_t block[TAR_BLOCK], unsigned which);
bool tar_block_zero(const uint8_t block[TAR_BLOCK]);

struct tar_pax {
    bool given;
    struct tar_text path, linkpath;
    bool has_size;
    uint64_t size;
    bool sparse, charset;   /* GNU.sparse.* or another type of file; hdrcharset */
    bool capability;        /* the file would carry capabilities */
    bool overrides_content; /* any key that must not be global: path, linkpath, size, hdrcharset, GNU.*,
                               SCHILY.* */
};

/* Reads all records; NULL, or what is wrong. Pointers lead into data. */
const char *tar_pax_parse(const uint8_t *data, size_t len, struct tar_pax *pax);

#endif
