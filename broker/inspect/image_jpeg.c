/* SPDX-License-Identifier: ISC
 * JPEG (ITU T.81, T.86) by its markers, from the start to the end of image, never by looking for the last end marker.
 * Behind it only what the file announces: further pictures (CIPA DC-007 multi-picture), or the video of a motion photo.
 * Runs in the confined child on hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/bmff.h"
#include "inspect/image_meta.h"
#include "inspect/octets.h"

/* Descriptions that go on in the next segment of their kind, and what stands before each part. */
static const struct {
    uint8_t marker, id_len, head;
    const char *id;
} divided[] = {{0xE1, 35, 75, "http://ns.adobe.com/xmp/extension/"},
               {0xE1, 6, 6, "Exif\0"},
               {0xE2, 12, 14, "ICC_PROFILE"},
               {0xE2, 5, 13, "FPXR"},
               {0xEB, 2, 16, "JP"},
               {0xED, 14, 14, "Photoshop 3.0"},
               {0xFE, 0, 0, ""}};

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, TEM = 0x01, APP1 = 0xE1, APP2 = 0xE2, APP11 = 0xEB };

struct jpeg {
    const struct image *image;
    uint64_t at;
    bool pictures; /* a multi-picture index was seen */
    bool motion;   /* metadata announces a video behind the picture */
    bool frame;    /* a frame header was seen */
    struct image_meta meta[ARRAY_LEN(divided)]; /* of one picture */
};

static bool contains(const uint8_t *p, size_t len, const char *word)
{
    return memmem(p, len, word, strlen(word)) != NULL;
}

static void application(struct jpeg *jpeg, uint8_t marker, const uint8_t *p, size_t len)
{
    if (marker == APP2 && len >= 4 && memcmp(p, "MPF", 4) == 0)
        jpeg->pictures = true;
    if (marker == APP1 && len >= 28 && memcmp(p, "http://ns.adobe.com/", 20) == 0) {
        jpeg->motion = jpeg->motion || contains(p, len, "MotionPhoto") || contains(p, len, "MicroVideo");
        jpeg->pictures = jpeg->pictures || contains(p, len, "hdrgm:Version") || contains(p, len, "Item:Semantic");
    }
}

/* The content of a segment in [at, at + len). */
static void collect(struct jpeg *jpeg, uint8_t marker, uint64_t at, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(divided); i++) {
        const uint8_t *p = marker == divided[i].marker ? bytes_at(jpeg->image->b, at, len) : NULL;
        if (!p || len < divided[i].head || memcmp(p, divided[i].id, divided[i].id_len) != 0)
            continue;
        image_meta_add(&jpeg->meta[i], jpeg->image->b, at + divided[i].head, len - divided[i].head);
        return;
    }
}

static bool say_collected(struct jpeg *jpeg)
{
    bool fits = true;
    for (size_t i = 0; i < ARRAY_LEN(divided); i++)
        fits = image_meta_say(&jpeg->meta[i], jpeg->image) && fits;
    return fits;
}

static bool is_frame(uint8_t marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/* A segment with a length; jpeg->at stands behind its marker. */
static bool segment(struct jpeg *jpeg, uint8_t marker)
{
    const uint8_t *p = image_need(jpeg->image, jpeg->at, 2);
    uint16_t len = p ? get_be16(p) : 0;
    if (!p || len < 2 || !(p = image_need(jpeg->image, jpeg->at, len)))
        return p && image_malformed(jpeg->image, jpeg->at, "a segment's length is none");
    if (is_frame(marker)) {
        if (len < 8)
            return image_malformed(jpeg->image, jpeg->at, "the frame header is too short");
        jpeg->frame = true;
        if (!image_pixels(jpeg->image, jpeg->at, get_be16(p + 5), get_be16(p + 3)))
            return false;
    } else {
        application(jpeg, marker, p + 2, len - 2u);
        collect(jpeg, marker, jpeg->at + 2, len - 2u);
    }
    jpeg->at += len;
    return true;
}

static bool is_coded(uint8_t behind_ff)
{
    return behind_ff == 0 || (behind_ff >= 0xD0 && behind_ff <= 0xD7);
}

/* Coded data: up to a marker that is neither a stuffed zero nor a restart. Each window is looked at with one byte more,
 * so that no marker is cut. */
static bool coded(struct jpeg *jpeg)
{
    enum { STEP = 64 * 1024 };
    struct bytes *b = jpeg->image->b;
    uint64_t at = jpeg->at;
    while (at + 1 < b->size) {
        size_t len = b->size - at < STEP ? (size_t)(b->size - at) : STEP, i = 0;
        const uint8_t *p = bytes_at(b, at, len), *q;
        while (p && i + 1 < len && (q = memchr(p + i, 0xFF, len - 1 - i))) {
            i = (size_t)(q - p);
            if (!is_coded(q[1]) && q[1] != 0xFF) {
                jpeg->at = at + i;
                return true;
            }
            i += q[1] == 0xFF ? 1 : 2;
        }
        at += i + 1 < len ? len - 1 : i; /* nothing was left, or the last step went up to the border */
    }
    return image_malformed(jpeg->image, b->size, "the picture ends without its end marker");
}

/* One picture from its start marker to behind its end marker. */
static bool picture(struct jpeg *jpeg)
{
    const uint8_t *p = image_need(jpeg->image, jpeg->at, 2);
    if (!p || p[0] != 0xFF || p[1] != SOI)
        return p && image_malformed(jpeg->image, jpeg->at, "a picture does not start with its marker");
    jpeg->at += 2;
    jpeg->frame = false;
    for (;;) {
        p = image_need(jpeg->image, jpeg->at, 2);
        if (!p)
            return false;
        if (p[0] != 0xFF || p[1] == 0 || p[1] == SOI)
            return image_malformed(jpeg->image, jpeg->at, "no marker where one must be");
        uint8_t marker = p[1];
        jpeg->at += marker == 0xFF ? 1 : 2; /* fill bytes */
        if (marker == EOI)
            return jpeg->frame || image_malformed(jpeg->image, jpeg->at, "a picture without a frame");
        if (marker == 0xFF || marker == TEM || (marker >= 0xD0 && marker <= 0xD7))
            continue;
        if (!segment(jpeg, marker) || (marker == SOS && !coded(jpeg)))
            return false;
    }
}

/* Multi-picture files align pictures with zeros. */
static uint64_t behind_zeros(const struct jpeg *jpeg)
{
    uint64_t at = jpeg->at;
    const uint8_t *p;
    while (at - jpeg->at < JPEG_GAP && (p = bytes_at(jpeg->image->b, at, 1)) && *p == 0)
        at++;
    return at;
}

static bool another(struct jpeg *jpeg)
{
    uint64_t at = behind_zeros(jpeg);
    const uint8_t *p = bytes_at(jpeg->image->b, at, 3);
    if (!jpeg->pictures || !p || memcmp(p, "\xff\xd8\xff", 3) != 0)
        return false;
    jpeg->at = at;
    return true;
}

static void video(struct jpeg *jpeg)
{
    struct bytes part;
    if (!bytes_init_slice(&part, jpeg->image->b, jpeg->at, jpeg->image->b->size - jpeg->at))
        return;
    struct image inner = {jpeg->image->in, &part, jpeg->image->base + jpeg->at, false};
    bmff_walk(&inner);
    bytes_free(&part);
}

bool image_jpeg_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_JPEG);
}

void image_jpeg_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    struct jpeg jpeg = {.image = &image};
    for (size_t i = 0; i < ARRAY_LEN(divided); i++)
        image_meta_init(&jpeg.meta[i]);
    for (unsigned pictures = 0; pictures < JPEG_PICTURES; pictures++) {
        bool whole = picture(&jpeg), fits = say_collected(&jpeg);
        if (!whole || !fits)
            return;
        if (!another(&jpeg))
            break;
    }
    const uint8_t *p = jpeg.motion ? bytes_at(image.b, jpeg.at + 4, 4) : NULL;
    if (p && memcmp(p, "ftyp", 4) == 0)
        video(&jpeg);
    else if (behind_zeros(&jpeg) != image.b->size)
        image_end(&image, jpeg.at);
}
