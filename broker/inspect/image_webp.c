/* SPDX-License-Identifier: ISC
 * WebP (RFC 9649) by its chunks. Runs in the confined child on hostile bytes. */
#include <string.h>

#include "inspect/active_binary.h"
#include "inspect/image.h"
#include "inspect/octets.h"

struct webp {
    bool first_seen, picture;
};

static uint32_t le24(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* Width and height stand in the first bytes of each kind of picture chunk. */
static bool dimensions(const struct image *image, const uint8_t *id, uint64_t at, uint32_t len)
{
    const uint8_t *p = len >= 10 ? image_need(image, at, 10) : NULL;
    if (!p)
        return len >= 10 ? false : image_malformed(image, at, "a picture chunk is too short");
    if (memcmp(id, "VP8X", 4) == 0)
        return image_pixels(image, at, le24(p + 4) + 1, le24(p + 7) + 1);
    if (memcmp(id, "VP8L", 4) == 0) {
        uint32_t bits = get_le32(p + 1);
        return p[0] == 0x2F ? image_pixels(image, at, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
                            : image_malformed(image, at, "the lossless picture has no signature");
    }
    /* a key frame: three bytes of tag, the start code, two sizes of fourteen bits */
    return (p[0] & 1) == 0 && memcmp(p + 3, "\x9d\x01\x2a", 3) == 0
               ? image_pixels(image, at, get_le16(p + 6) & 0x3FFF, get_le16(p + 8) & 0x3FFF)
               : image_malformed(image, at, "the lossy picture has no start code");
}

static bool each(const struct image *image, const uint8_t *id, uint64_t at, uint32_t len, void *state)
{
    struct webp *webp = state;
    bool extended = memcmp(id, "VP8X", 4) == 0, plain = memcmp(id, "VP8 ", 4) == 0 || memcmp(id, "VP8L", 4) == 0;
    if (!webp->first_seen && !extended && !plain)
        return image_malformed(image, at, "the picture does not come first");
    webp->first_seen = true;
    webp->picture = webp->picture || plain || memcmp(id, "ANMF", 4) == 0;
    return (!extended && !plain) || dimensions(image, id, at, len);
}

bool image_webp_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_WEBP);
}

void image_webp_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    struct webp webp = {false, false};
    if (riff_walk(&image, each, &webp) && !webp.picture)
        image_malformed(&image, 12, "there is no picture");
}
