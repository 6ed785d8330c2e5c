/* SPDX-License-Identifier: ISC
 * GIF 87a and 89a by its blocks, from the header to the trailer. Runs in the confined child on hostile bytes. */
#include "inspect/active_binary.h"
#include "inspect/image.h"
#include "inspect/octets.h"

/* Data sub-blocks up to the empty one; moves *at behind it. */
static bool sub_blocks(const struct image *image, uint64_t *at)
{
    for (;;) {
        const uint8_t *p = image_need(image, *at, 1);
        if (!p)
            return false;
        uint8_t len = *p;
        *at += 1 + (uint64_t)len;
        if (len == 0)
            return true;
    }
}

static uint64_t table(uint8_t flags)
{
    return flags & 0x80 ? 3u << ((flags & 7) + 1) : 0;
}

static bool frame(const struct image *image, uint64_t *at)
{
    const uint8_t *p = image_need(image, *at, 9);
    if (!p || !image_pixels(image, *at, get_le16(p + 4), get_le16(p + 6)))
        return false;
    *at += 9 + table(p[8]);
    p = image_need(image, *at, 1);
    if (!p)
        return false;
    if (*p < 2 || *p > 11)
        return image_malformed(image, *at, "the code size of a frame is none");
    ++*at;
    return sub_blocks(image, at);
}

static bool walk(const struct image *image)
{
    const uint8_t *p = image_need(image, 0, 13);
    if (!p || !image_pixels(image, 6, get_le16(p + 6), get_le16(p + 8)))
        return false;
    uint64_t at = 13 + table(p[10]);
    for (;;) {
        p = image_need(image, at, 1);
        if (!p)
            return false;
        uint8_t block = *p;
        at++;
        if (block == 0x3B)
            break;
        if (block == 0x2C) {
            if (!frame(image, &at))
                return false;
        } else if (block == 0x21) {
            at++;
            if (!sub_blocks(image, &at))
                return false;
        } else {
            return image_malformed(image, at - 1, "no block where one must be");
        }
    }
    image_end(image, at);
    return true;
}

bool image_gif_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_GIF);
}

void image_gif_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0};
    (void)walk(&image);
}
