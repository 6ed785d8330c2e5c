/* SPDX-License-Identifier: ISC
 * Second looks for short signatures of pictures, fonts, sound and video (rules/types). Runs in the confined child on
 * hostile bytes; each reads a bounded number of them.
 * Invariant: a check narrows a signature; it never claims by itself. */
#include <string.h>

#include "inspect/octets.h"
#include "inspect/type_table.h"

static const uint8_t *head(struct bytes *b, size_t len)
{
    return bytes_at(b, 0, len);
}

/* --- pictures ------------------------------------------------------------------------------------------------------- */

bool type_check_bmp(struct bytes *b)
{
    static const uint32_t headers[] = {12, 40, 52, 56, 64, 108, 124};
    const uint8_t *p = head(b, 18);
    if (!p || get_le32(p + 10) < 26 || get_le32(p + 10) > b->size)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(headers); i++)
        if (get_le32(p + 14) == headers[i])
            return true;
    return false;
}

/* The first directory entry lies behind the directory and inside the file, and its reserved byte is 0. */
bool type_check_ico(struct bytes *b)
{
    const uint8_t *p = head(b, 22);
    if (!p)
        return false;
    uint64_t count = get_le16(p + 4), size = get_le32(p + 14), offset = get_le32(p + 18);
    return count > 0 && count <= 1024 && p[9] == 0 && size >= 8 && offset >= 6 + count * 16 && offset + size <= b->size;
}

static bool brand_is(const uint8_t *brand, const char *list)
{
    for (; *list; list += 4)
        if (memcmp(brand, list, 4) == 0)
            return true;
    return false;
}

static bool has_brand(struct bytes *b, const char *list)
{
    const uint8_t *p = head(b, 16);
    if (!p)
        return false;
    uint32_t size = get_be32(p);
    if (size < 16 || size > 1024 || !(p = head(b, size)))
        return false;
    if (brand_is(p + 8, list))
        return true;
    for (size_t i = 16; i + 4 <= size; i += 4)
        if (brand_is(p + i, list))
            return true;
    return false;
}

bool type_check_avif(struct bytes *b)
{
    return has_brand(b, "avifavis");
}

bool type_check_heif(struct bytes *b)
{
    return !type_check_avif(b) && has_brand(b, "heicheixhevchevxheimheismif1msf1jpx jpm jp2 crx ");
}

bool type_check_mp4(struct bytes *b)
{
    return !type_check_avif(b) && !type_check_heif(b) && head(b, 16);
}

/* QuickTime files before the ftyp box: a first box that fits, and a known box behind it. */
bool type_check_bmff_old(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    uint64_t size = p ? get_be32(p) : 0;
    const uint8_t *next = size >= 8 ? bytes_at(b, size, 8) : NULL;
    return size >= 8 && (size == b->size || (next && brand_is(next + 4, "moovmdatfreeskipwideudta")));
}

/* Two bytes alone: what follows must at least be no text. */
bool type_check_jxl(struct bytes *b)
{
    const uint8_t *p = head(b, 16);
    return p && p[2] != 0 && (p[2] >= 0x80 || memchr(p, 0, 16));
}

bool type_check_pcx(struct bytes *b)
{
    const uint8_t *p = head(b, 128);
    return p && p[1] <= 5 && p[64] == 0 && get_le16(p + 4) <= get_le16(p + 8) && get_le16(p + 6) <= get_le16(p + 10);
}

bool type_check_icns(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return p && get_be32(p + 4) == b->size;
}

/* The binary forms P4 to P7; the plain forms are text. */
bool type_check_netpbm(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return p && p[1] >= '4' && p[1] <= '7' && (p[2] == '\n' || p[2] == ' ' || p[2] == '\r') &&
           ((p[3] >= '0' && p[3] <= '9') || p[3] == '#' || p[3] == 'W');
}

bool type_check_flif(struct bytes *b)
{
    const uint8_t *p = head(b, 6);
    return p && p[5] >= '0' && p[5] <= '2';
}

/* --- fonts ------------------------------------------------------------------------------------------------------------- */

/* A table directory whose first table lies inside the file. */
bool type_check_sfnt(struct bytes *b)
{
    const uint8_t *p = head(b, 28);
    if (!p)
        return false;
    uint64_t tables = get_be16(p + 4), offset = get_be32(p + 20), length = get_be32(p + 24);
    for (size_t i = 12; i < 16; i++)
        if (p[i] < 0x20 || p[i] > 0x7e)
            return false;
    return tables > 0 && tables <= 512 && offset >= 12 + tables * 16 && offset + length <= b->size;
}

/* --- sound and video ------------------------------------------------------------------------------------------------------ */

bool type_check_id3(struct bytes *b)
{
    const uint8_t *p = head(b, 10);
    return p && p[3] >= 2 && p[3] <= 4 && p[4] != 0xFF && ((p[6] | p[7] | p[8] | p[9]) & 0x80) == 0;
}

/* Length of an MPEG audio frame, layer III or II; 0 where the header is none. */
uint32_t type_mpeg_frame(const uint8_t *p)
{
    static const uint16_t rates[2][15] = {{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
                                          {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}};
    static const uint16_t rates2[15] = {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384};
    static const uint32_t hertz[3] = {44100, 48000, 32000};
    unsigned version = p[1] >> 3 & 3, layer = p[1] >> 1 & 3, rate = p[2] >> 4, frequency = p[2] >> 2 & 3;
    if (p[0] != 0xFF || (p[1] & 0xE0) != 0xE0 || version == 1 || (layer != 1 && layer != 2) || rate == 0 ||
        rate == 15 || frequency == 3)
        return 0;
    bool first = version == 3;
    uint32_t hz = hertz[frequency] >> (first ? 0 : version == 2 ? 1 : 2);
    uint32_t kbit = layer == 2 && first ? rates2[rate] : rates[first ? 0 : 1][rate];
    uint32_t factor = layer == 1 && !first ? 72000 : 144000;
    return factor * kbit / hz + (p[2] >> 1 & 1);
}

/* Three frames in a row, or as many as the file has. */
bool type_check_mpeg_audio(struct bytes *b)
{
    uint64_t at = 0;
    for (int frames = 0; frames < 3; frames++) {
        const uint8_t *p = bytes_at(b, at, 4);
        uint32_t len = p ? type_mpeg_frame(p) : 0;
        if (len < 8)
            return false;
        at += len;
        if (at == b->size)
            return true;
    }
    return true;
}

bool type_check_adts(struct bytes *b)
{
    const uint8_t *p = head(b, 7);
    uint32_t len = p ? (uint32_t)(p[3] & 3) << 11 | (uint32_t)p[4] << 3 | p[5] >> 5 : 0;
    const uint8_t *next = len >= 7 ? bytes_at(b, len, 2) : NULL;
    return len >= 7 && (len == b->size || (next && next[0] == 0xFF && (next[1] & 0xF6) == 0xF0));
}

/* Every RIFF form that is not listable. */
bool type_check_riff_other(struct bytes *b)
{
    const uint8_t *p = head(b, 12);
    return p && !brand_is(p + 8, "WEBPWAVEAVI ");
}

bool type_check_mpeg_ts(struct bytes *b)
{
    for (uint64_t at = 188; at <= 188 * 4; at += 188) {
        const uint8_t *p = bytes_at(b, at, 1);
        if (!p || *p != 'G')
            return false;
    }
    return true;
}

/* The EBML DocType stands in the first element. */
static bool doctype(struct bytes *b, const char *name)
{
    size_t len = b->size < 64 ? (size_t)b->size : 64, n = strlen(name);
    const uint8_t *p = head(b, len);
    for (size_t i = 4; p && i + 3 + n <= len; i++)
        if (p[i] == 0x42 && p[i + 1] == 0x82 && (p[i + 2] & 0x7F) >= n && memcmp(p + i + 3, name, n) == 0)
            return true;
    return false;
}

bool type_check_webm(struct bytes *b)
{
    return doctype(b, "webm");
}

bool type_check_matroska(struct bytes *b)
{
    return !doctype(b, "webm");
}
