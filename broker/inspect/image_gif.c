/* SPDX-License-Identifier: ISC
 * GIF 87a and 89a by its blocks, from the header to the trailer. Runs in the confined child on hostile bytes. */
#include "inspect/active_binary.h"
#include "inspect/image_meta.h"
#include "inspect/octets.h"

/* Data sub-blocks up to the empty one; moves *at behind it. meta: takes what they hold, or NULL. */
static bool sub_blocks(const struct image *image, uint64_t *at, struct image_meta *meta)
{
    for (;;) {
        const uint8_t *p = image_need(image, *at, 1);
        if (!p)
            return false;
        uint8_t len = *p;
        if (meta && len > 0)
            image_meta_add(meta, image->b, *at + 1, len);
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
    return sub_blocks(image, at, NULL);
}

/* Comments, text and what applications keep, whose sub-blocks put a length into the text every 255 bytes. */
static bool extension(const struct image *image, uint64_t *at)
{
    enum { TEXT = 0x01, COMMENT = 0xFE, APPLICATION = 0xFF };
    struct image_meta meta;
    const uint8_t *p = image_need(image, *at, 2);
    if (!p)
        return false;
    uint8_t label = p[0];
    *at += (label == TEXT || label == APPLICATION) && p[1] > 0 ? 2 + (uint64_t)p[1] : 1; /* its fixed fields or name */
    if (label != TEXT && label != COMMENT && label != APPLICATION)
        return sub_blocks(image, at, NULL);
    image_meta_init(&meta);
    bool whole = sub_blocks(image, at, &meta);
    bool fits = image_meta_say(&meta, image);
    return whole && fits;
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
            if (!extension(image, &at))
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
    struct image image = {in, in->bytes, 0, false};
    (void)walk(&image);
}
