/* SPDX-License-Identifier: ISC
 * What pictures and media say about themselves, where a format packs it or cuts it into pieces: unpacked or put together
 * within a bound, and searched for secrets as text of no member. What lies in one piece is in the raw bytes anyway. */
#ifndef SALLYPORT_IMAGE_META_H
#define SALLYPORT_IMAGE_META_H

#include "base/buf.h"
#include "inspect/image.h"

/* One text in pieces. */
struct image_meta {
    struct buf text; /* IMAGE_TEXT at most */
    unsigned pieces;
};

void image_meta_init(struct image_meta *m);
/* The next piece; one that would not fit makes the whole a limit. */
void image_meta_add(struct image_meta *m, struct bytes *b, uint64_t at, uint64_t len);
/* Searches what came in more than one piece, and begins anew. False: more than is put together, which was said. */
bool image_meta_say(struct image_meta *m, const struct image *image);

enum image_packed { IMAGE_UNPACKED = 0, IMAGE_PACKED_BROKEN, IMAGE_PACKED_BOMB };
/* A zlib stream in [at, at + len) into `text`, whose `max` is the bound; what came out before a fault is there. */
enum image_packed image_unpack(struct bytes *b, uint64_t at, uint64_t len, struct buf *text);
/* Streams whose head stands near the start of a chunk that only some program knows: each is unpacked and searched. *left
 * is what they may unpack to. False: it was more. */
bool image_meta_private(const struct image *image, uint64_t at, uint64_t len, uint64_t *left);

#endif
