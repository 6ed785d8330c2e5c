/* SPDX-License-Identifier: ISC
 * Sound, video and fonts as far as their containers go: WAV, Ogg, MP3, WebM, WOFF, WOFF2, sfnt. Nothing is decoded; what
 * counts is that the containers account for the file. Runs in the confined child on hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/image_meta.h"
#include "inspect/media_id3.h"
#include "inspect/octets.h"
#include "inspect/type_table.h"

/* --- WAV ---------------------------------------------------------------------------------------------------------------- */

static bool wav_chunk(const struct image *image, const uint8_t *id, uint64_t at, uint32_t len, void *state)
{
    unsigned *seen = state;
    if ((memcmp(id, "id3 ", 4) == 0 || memcmp(id, "ID3 ", 4) == 0) && len >= 10)
        return media_id3(image->in, image->b, at, len);
    *seen |= memcmp(id, "fmt ", 4) == 0 ? 1u : memcmp(id, "data", 4) == 0 ? 2u : 0;
    return true;
}

static void wav(const struct image *image)
{
    unsigned seen = 0;
    if (riff_walk(image, wav_chunk, &seen) && seen != 3)
        image_malformed(image, 12, "the sound has no format or no data");
}

/* --- Ogg ---------------------------------------------------------------------------------------------------------------- */

/* Comments go on over pages, whose heads lie between their parts: the first pages are searched without those as well. */
static void ogg_text(const struct image *image)
{
    struct image_meta meta;
    const uint8_t *p;
    uint64_t at = 0;
    image_meta_init(&meta);
    while ((p = bytes_at(image->b, at, 27)) && memcmp(p, "OggS", 5) == 0 && (p = bytes_at(image->b, at, 27 + (size_t)p[26]))) {
        uint64_t segments = p[26], body = 0;
        for (unsigned i = 0; i < segments; i++)
            body += p[27 + i];
        at += 27 + segments;
        if (meta.text.len + body > OGG_TEXT || body > image->b->size - at)
            break;
        image_meta_add(&meta, image->b, at, body);
        at += body;
    }
    (void)image_meta_say(&meta, image);
}

static void ogg(const struct image *image)
{
    uint64_t at = 0;
    ogg_text(image);
    while (at < image->b->size && !image_only_padding(image, at)) {
        const uint8_t *p = image_need(image, at, 27);
        if (!p)
            return;
        unsigned segments = p[26];
        uint64_t body = 0;
        if (memcmp(p, "OggS", 5) != 0) {
            image_malformed(image, at, "no page where one must be");
            return;
        }
        if (!(p = image_need(image, at + 27, segments)))
            return;
        for (unsigned i = 0; i < segments; i++)
            body += p[i];
        at += 27 + segments + body;
        if (at > image->b->size) {
            image_malformed(image, image->b->size, "a page is cut off");
            return;
        }
    }
}

/* --- MP3 ---------------------------------------------------------------------------------------------------------------- */

enum { MP3_TAGS = 64 }; /* a file has one or two */

/* Tags stand before and behind the frames. Length of the one at `at`, or 0. */
static uint64_t mp3_tag(const struct image *image, uint64_t at)
{
    const uint8_t *p = bytes_at(image->b, at, 10);
    if (p && memcmp(p, "ID3", 3) == 0)
        return 10 + (((uint64_t)p[6] & 0x7F) << 21 | (p[7] & 0x7Fu) << 14 | (p[8] & 0x7Fu) << 7 | (p[9] & 0x7Fu)) +
               (p[5] & 0x10 ? 10 : 0);
    if (p && memcmp(p, "TAG", 3) == 0 && image->b->size - at == 128)
        return 128;
    p = bytes_at(image->b, at, 32);
    if (p && memcmp(p, "APETAGEX", 8) == 0)
        return 32 + (uint64_t)get_le32(p + 12);
    return 0;
}

static uint64_t zeros(const struct image *image, uint64_t at)
{
    size_t len = image->b->size - at < 4096 ? (size_t)(image->b->size - at) : 4096, n = 0;
    const uint8_t *p = bytes_at(image->b, at, len);
    while (p && n < len && p[n] == 0)
        n++;
    return n;
}

/* Encoders leave gaps of zeros and cut frames; a player goes on at the next frame. A long stretch that is neither frame
 * nor tag is no sound. */
static void mp3(const struct image *image)
{
    uint64_t at = 0, gap = 0, frames = 0, tags = 0;
    while (at < image->b->size) {
        uint64_t padding = zeros(image, at), len;
        at += padding;
        if (padding > 0)
            continue;
        const uint8_t *p = bytes_at(image->b, at, 4);
        len = mp3_tag(image, at);
        if (len > 0 && p && p[0] == 'I') {
            if (!media_id3(image->in, image->b, at, len))
                return;
            if (++tags == MP3_TAGS) {
                image_malformed(image, at, "more tags than a sound has");
                return;
            }
        }
        p = bytes_at(image->b, at, 4);
        len = len == 0 && p ? type_mpeg_frame(p) : len;
        frames += len > 0 && p && p[0] == 0xFF;
        gap = len > 0 ? 0 : gap + 1;
        if (gap > MP3_GAP) {
            image_malformed(image, at, "a long stretch is neither sound nor a tag");
            return;
        }
        at += len > 0 ? len : 1;
    }
    if (frames == 0)
        image_malformed(image, 0, "there is no sound");
    else if (at > image->b->size + MP3_GAP)
        image_malformed(image, image->b->size, "a tag is longer than the file");
}

/* --- WebM ----------------------------------------------------------------------------------------------------------------- */

/* A variable-length number of EBML (RFC 8794); keep: with its marker, as identifiers are written. */
static bool ebml_number(const struct image *image, uint64_t *at, bool keep, uint64_t *value, bool *unknown)
{
    const uint8_t *p = image_need(image, *at, 1);
    if (!p || *p == 0)
        return p && image_malformed(image, *at, "a number is too long");
    unsigned len = (unsigned)__builtin_clz(*p) - 23;
    if (!(p = image_need(image, *at, len)))
        return false;
    *value = keep ? p[0] : p[0] & (0xFFu >> len);
    bool ones = (p[0] | (0xFF00u >> len & 0xFF)) == 0xFF;
    for (unsigned i = 1; i < len; i++) {
        *value = *value << 8 | p[i];
        ones = ones && p[i] == 0xFF;
    }
    *unknown = ones;
    *at += len;
    return true;
}

/* Elements tile the file, and those of the segment tile the segment; of a live recording the sizes are unknown. */
static void webm(const struct image *image)
{
    enum { SEGMENT = 0x18538067, CLUSTER = 0x1F43B675, ATTACHMENTS = 0x1941A469 };
    uint64_t at = 0, size = image->b->size;
    for (unsigned elements = 0; at < size; elements++) {
        uint64_t start = at, id, len;
        bool unknown, ignored;
        if (elements > BMFF_BOXES) {
            image_malformed(image, at, "more elements than are walked");
            return;
        }
        if (!ebml_number(image, &at, true, &id, &ignored) || !ebml_number(image, &at, false, &len, &unknown))
            return;
        if (id == ATTACHMENTS) {
            inspect_find_at(image->in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, start, 0,
                            "the video carries attached files, which are not looked into");
            return;
        }
        if (unknown && id != SEGMENT && id != CLUSTER) {
            image_malformed(image, start, "an element has no size");
            return;
        }
        if (id == SEGMENT || unknown)
            continue; /* its elements follow */
        if (len > size - at) {
            image_malformed(image, start, "an element is longer than the file");
            return;
        }
        at += len;
    }
}

/* --- fonts ------------------------------------------------------------------------------------------------------------------ */

static void woff(const struct image *image)
{
    const uint8_t *p = image_need(image, 0, 44);
    if (!p)
        return;
    uint64_t length = get_be32(p + 8), tables = get_be16(p + 12);
    if (length > image->b->size)
        image_malformed(image, 8, "the font is longer than the file");
    else if (tables == 0)
        image_malformed(image, 12, "the font has no tables");
    else
        image_end(image, length);
}

/* One font of a file or collection; *end becomes where its last table ends. */
static bool sfnt(const struct image *image, uint64_t at, uint64_t *end)
{
    const uint8_t *p = image_need(image, at, 12);
    unsigned tables = p ? get_be16(p + 4) : 0;
    if (!p || tables == 0)
        return p && image_malformed(image, at, "the font has no tables");
    for (unsigned i = 0; i < tables; i++) {
        uint64_t row = at + 12 + i * 16u;
        if (!(p = image_need(image, row, 16)))
            return false;
        uint64_t offset = get_be32(p + 8), length = get_be32(p + 12);
        if (offset > image->b->size || length > image->b->size - offset)
            return image_malformed(image, row, "a table lies outside the file");
        *end = offset + length > *end ? offset + length : *end;
    }
    return true;
}

static void fonts(const struct image *image)
{
    const uint8_t *p = image_need(image, 0, 16);
    uint64_t end = 0;
    if (!p)
        return;
    if (memcmp(p, "ttcf", 4) != 0) {
        if (sfnt(image, 0, &end))
            image_end(image, end);
        return;
    }
    uint32_t count = get_be32(p + 8);
    if (count == 0 || count > FONTS_MAX) {
        image_malformed(image, 8, "a collection of no fonts, or of too many");
        return;
    }
    bool signed_too = get_be16(p + 4) >= 2;
    for (uint32_t i = 0; i < count; i++)
        if (!(p = image_need(image, 12 + 4 * (uint64_t)i, 4)) || !sfnt(image, get_be32(p), &end))
            return;
    p = signed_too ? image_need(image, 12 + 4 * (uint64_t)count, 12) : NULL;
    uint64_t signature = p ? (uint64_t)get_be32(p + 8) + get_be32(p + 4) : 0;
    image_end(image, signature > end && signature <= image->b->size ? signature : end);
}

/* --- the table ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    enum type type;
    void (*walk)(const struct image *image);
} walkers[] = {{TYPE_WAV, wav},   {TYPE_OGG, ogg},    {TYPE_MP3, mp3},  {TYPE_WEBM, webm},
               {TYPE_WOFF, woff}, {TYPE_WOFF2, woff}, {TYPE_TTF, fonts}};

bool media_applies(const struct inspection *in)
{
    for (size_t i = 0; i < ARRAY_LEN(walkers); i++)
        if (claims_by_content(&in->claims, walkers[i].type))
            return true;
    return false;
}

void media_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    for (size_t i = 0; i < ARRAY_LEN(walkers); i++)
        if (claims_by_content(&in->claims, walkers[i].type))
            walkers[i].walk(&image);
}

/* --- playlists inside media ------------------------------------------------------------------------------------------------------ */

bool media_playlist_applies(const struct inspection *in)
{
    static const enum type types[] = {TYPE_MP3, TYPE_WAV, TYPE_OGG, TYPE_MP4, TYPE_WEBM, TYPE_OTHER_MEDIA};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (claims_has(&in->claims, types[i]))
            return true;
    return false;
}

/* Players take a playlist inside a media file for one, wherever it stands. */
void media_playlist_scan(struct inspection *in)
{
    static const char mark[] = "#EXTM3U";
    enum { STEP = 128 * 1024, KEEP = sizeof(mark) - 2 };
    for (uint64_t at = 0; at + KEEP < in->bytes->size; at += STEP - KEEP) {
        size_t len = in->bytes->size - at < STEP ? (size_t)(in->bytes->size - at) : STEP;
        const uint8_t *p = bytes_at(in->bytes, at, len), *hit = p ? memmem(p, len, mark, sizeof(mark) - 1) : NULL;
        if (hit) {
            inspect_find_at(in, FINDING_ACTIVE_PLAYLIST, LEVEL_REFUSE, at + (uint64_t)(hit - p), 0, NULL);
            return;
        }
    }
}
