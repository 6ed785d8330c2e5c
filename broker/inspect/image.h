/* SPDX-License-Identifier: ISC
 * What walkers of pictures and media share: how they say that a structure does not hold, that bytes follow the end, that
 * there are too many pixels. No walker decodes a pixel or a sample. */
#ifndef SALLYPORT_IMAGE_H
#define SALLYPORT_IMAGE_H

#include "inspect/inspector.h"

/* One structure under a walk: the file, or a picture inside it (an icon's entry). Offsets are said from the file's start. */
struct image {
    struct inspection *in;
    struct bytes *b;
    uint64_t base; /* of b in the file */
    bool unpacked; /* b was unpacked from what stands there: its own offsets mean nothing in the file */
};

/* Where in the file to say what was seen at `at`. */
uint64_t image_place(const struct image *image, uint64_t at);

/* active/image-malformed at an offset of the structure; message: fixed words. Always false, for `return`. */
bool image_malformed(const struct image *image, uint64_t at, const char *message);
/* active/image-pixels where width times height passes the bound; false then. */
bool image_pixels(const struct image *image, uint64_t at, uint64_t width, uint64_t height);
/* Judges what follows the end: nothing, or a little padding, passes; else active/image-trailing. */
void image_end(const struct image *image, uint64_t end);
/* Only NUL and blanks from `at` on, at most IMAGE_PADDING of them? */
bool image_only_padding(const struct image *image, uint64_t at);
/* The next n bytes, or NULL after saying that the structure is cut off. */
const uint8_t *image_need(const struct image *image, uint64_t at, size_t n);

/* Chunks of a RIFF file: the size of the form is the file's, chunks tile it. Calls each for every chunk; false ends. */

bool riff_walk(const struct image *image,
               bool (*each)(const struct image *image, const uint8_t *id, uint64_t at, uint32_t len, void *state),
               void *state);

bool image_png_walk(const struct image *image);

#endif
