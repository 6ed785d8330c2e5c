/* SPDX-License-Identifier: ISC
 * What walkers of pictures and media share. Runs in the confined child on hostile bytes. */
#include "inspect/image.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/octets.h"

/* Offsets that the bytes claim may lie anywhere; what is said lies in the file. */
uint64_t image_place(const struct image *image, uint64_t at)
{
    return image->base + (image->unpacked ? 0 : at < image->b->size ? at : image->b->size);
}

bool image_malformed(const struct image *image, uint64_t at, const char *message)
{
    inspect_find_at(image->in, FINDING_ACTIVE_IMAGE_MALFORMED, LEVEL_REFUSE, image_place(image, at), 0, message);
    return false;
}

bool image_pixels(const struct image *image, uint64_t at, uint64_t width, uint64_t height)
{
    if (height == 0 || width <= IMAGE_PIXELS / height)
        return true;
    inspect_find_at(image->in, FINDING_ACTIVE_IMAGE_PIXELS, LEVEL_REFUSE, image_place(image, at), 0, NULL);
    return false;
}

bool image_only_padding(const struct image *image, uint64_t at)
{
    if (image->b->size - at > IMAGE_PADDING)
        return false;
    const uint8_t *p = bytes_at(image->b, at, (size_t)(image->b->size - at));
    for (size_t i = 0; p && i < image->b->size - at; i++)
        if (p[i] != 0 && p[i] != '\n' && p[i] != '\r' && p[i] != ' ')
            return false;
    return true;
}

void image_end(const struct image *image, uint64_t end)
{
    if (end < image->b->size && !image_only_padding(image, end))
        inspect_find_at(image->in, FINDING_ACTIVE_IMAGE_TRAILING, LEVEL_REFUSE, image_place(image, end), 0, NULL);
}

const uint8_t *image_need(const struct image *image, uint64_t at, size_t n)
{
    const uint8_t *p = bytes_at(image->b, at, n);
    if (!p)
        image_malformed(image, at, "the structure is cut off");
    return p;
}

bool riff_walk(const struct image *image,
               bool (*each)(const struct image *image, const uint8_t *id, uint64_t at, uint32_t len, void *state),
               void *state)
{
    const uint8_t *p = image_need(image, 0, 12);
    if (!p)
        return false;
    uint64_t end = 8 + (uint64_t)get_le32(p + 4), at = 12;
    if (end > image->b->size)
        return image_malformed(image, 4, "the size of the form is larger than the file");
    while (at < end) {
        uint8_t id[4];
        if (end - at < 8 || !(p = image_need(image, at, 8)))
            return image_malformed(image, at, "a chunk is cut off");
        uint32_t len = get_le32(p + 4);
        memcpy(id, p, 4);
        if (len > end - at - 8)
            return image_malformed(image, at, "a chunk is longer than the file");
        if (!each(image, id, at + 8, len, state))
            return false;
        at += 8 + (uint64_t)len + (len & 1);
    }
    image_end(image, at < image->b->size ? at : image->b->size);
    return true;
}
