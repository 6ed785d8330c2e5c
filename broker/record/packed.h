/* SPDX-License-Identifier: ISC
 * A bag in one file: the two forms that export writes, and their only accepted encoding. Readers encode again what they
 * decoded and compare, so a second reader cannot see something else in the same bytes. Pure but for packed_open(). */
#ifndef SALLYPORT_PACKED_H
#define SALLYPORT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { PACKED_BLOCK = 512, PACKED_NAME = 4096 + 256 + 2 };

/* One member as it is encoded. Directories end in '/' and have no bytes. */
struct packed_head {
    const char *name;   /* with the top directory */
    uint64_t size;
    bool executable;
    int64_t time;       /* Unix seconds; the same for all */
    uint32_t crc;       /* zip */
    uint64_t offset;    /* of the local header; zip */
};

/* Blocks of one tar member's header (with its pax header where the name or size asks for one). */
void packed_tar_head(struct buf *out, const struct packed_head *head);
/* Zeros from the end of the bytes to the end of the block; then, for the whole file, its end. */
size_t packed_tar_padding(uint64_t size);
void packed_tar_end(struct buf *out);

void packed_zip_head(struct buf *out, const struct packed_head *head);
void packed_zip_central(struct buf *out, const struct packed_head *head);
void packed_zip_end(struct buf *out, uint64_t entries, uint64_t central_size, uint64_t central_offset);
/* What a zip without extensions can hold. */
bool packed_zip_fits(uint64_t entries, uint64_t bytes);
uint32_t packed_crc32(uint32_t crc, const void *data, size_t len);

struct packed_member {
    char *path;         /* owned; without the top directory; "" for that itself */
    uint64_t at, size;  /* of its bytes in the file */
    bool directory, executable;
    uint32_t crc;
};

/* What one file holds. */
struct packed {
    int fd;             /* owned */
    bool zip;
    char top[256];      /* the bag's directory */
    int64_t time;
    struct packed_member *v;
    size_t n, cap;
};

/* Opens and indexes. 0; 1: it is neither form, or not in the one encoding that export writes; -1 with errno. */
int packed_open(struct packed *packed, const char *path) MUST_CHECK;
void packed_close(struct packed *packed);
const struct packed_member *packed_find(const struct packed *packed, const char *path);

/* Between packed.c and the two readers: adds a member, in ascending order of paths after the directories. name has the top directory and is
 * checked. 0, 1 not accepted, -1 ENOMEM. */
int packed_add(struct packed *packed, const struct packed_head *head, uint64_t at) MUST_CHECK;
int packed_read_tar(struct packed *packed, uint64_t size) MUST_CHECK;
int packed_read_zip(struct packed *packed, uint64_t size) MUST_CHECK;

#endif
