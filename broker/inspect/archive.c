/* SPDX-License-Identifier: ISC
 * The archive inspector: recognises one container or compression layer, opens it with its walker, and refuses
 * every archive that it cannot look into. Worker child; runs on the file and, through inspect_member(), on
 * every member. */
#include "inspect/archive.h"

#include <stdio.h>
#include <string.h>

#include "inspect/archive_ar.h"
#include "inspect/archive_cpio.h"
#include "inspect/archive_peel.h"
#include "inspect/archive_rpm.h"
#include "inspect/archive_sevenzip.h"
#include "inspect/archive_tar.h"
#include "inspect/archive_zip.h"

struct signature {
    uint32_t at;
    uint8_t len;
    const char *bytes;
    enum archive_format format;
    const char *what; /* named in archive/unsupported */
};

/* In order: the first that matches decides. What is only a text (ar, zip) is checked further by its walker.
 */
static const struct signature signatures[] = {
    {0, 4, "PK\003\004", FORMAT_ZIP, NULL},
    {0, 4, "PK\005\006", FORMAT_ZIP, NULL},
    {0, 4, "PK\006\006", FORMAT_ZIP, NULL},
    {0, 4, "PK\007\010", FORMAT_OTHER, "a zip split over several files"},
    {0, 6, "JM\001\000PK", FORMAT_OTHER, "jmod"},
    {0, 2, "\037\213", FORMAT_GZIP, NULL},
    {0, 6, "\3757zXZ\000", FORMAT_XZ, NULL},
    {0, 4, "\050\265\057\375", FORMAT_ZSTD, NULL},
    {0, 4, "\004\042\115\030", FORMAT_LZ4, NULL},
    {0, 4, "\002\041\114\030", FORMAT_OTHER, "legacy lz4"},
    {0, 8, "!<arch>\n", FORMAT_AR, NULL},
    {0, 8, "!<thin>\n", FORMAT_OTHER, "a thin ar archive, whose members lie outside"},
    {0, 6, "7z\274\257\047\034", FORMAT_SEVENZIP, NULL},
    {0, 6, "Rar!\032\007", FORMAT_OTHER, "rar"},
    {0, 4, "RE~^", FORMAT_OTHER, "rar"},
    {0, 4, "MSCF", FORMAT_OTHER, "cab"},
    {0, 4, "ISc(", FORMAT_OTHER, "InstallShield cab"},
    {32769, 5, "CD001", FORMAT_OTHER, "iso 9660"},
    {32769, 5, "BEA01", FORMAT_OTHER, "udf"},
    {2, 3, "-lh", FORMAT_OTHER, "lha"},
    {2, 3, "-lz", FORMAT_OTHER, "lha"},
    {0, 4, "xar!", FORMAT_OTHER, "xar"},
    {0, 4, "\355\253\356\333", FORMAT_RPM, "rpm"},
    {0, 6, "070701", FORMAT_CPIO, NULL},
    {0, 6, "070702", FORMAT_CPIO, NULL},
    {0, 6, "070707", FORMAT_CPIO, NULL},
    {0, 2, "\307\161", FORMAT_OTHER, "cpio of the old binary form"},
    {0, 4, "hsqs", FORMAT_OTHER, "squashfs"},
    {0, 4, "sqsh", FORMAT_OTHER, "squashfs"},
    {0, 4, "\105\075\315\050", FORMAT_OTHER, "cramfs"},
    {0, 8, "-rom1fs-", FORMAT_OTHER, "romfs"},
    {0, 5, "WARC/", FORMAT_OTHER, "warc"},
    {0, 9, "\211LZO\000\015\012\032\012", FORMAT_OTHER, "lzop"},
    {0, 4, "LRZI", FORMAT_OTHER, "lrzip"},
    {0, 4, "LZIP", FORMAT_OTHER, "lzip"},
    {0, 2, "\037\235", FORMAT_OTHER, "compress (.Z)"},
    {0, 2, "\037\240", FORMAT_OTHER, "compress (lzh)"},
    {0, 2, "\037\036", FORMAT_OTHER, "pack"},
    {0, 4, "ZPAQ", FORMAT_OTHER, "zpaq"},
    {7, 7, "**ACE**", FORMAT_OTHER, "ace"},
    {0, 4, "SIT!", FORMAT_OTHER, "StuffIt"},
    {0, 7, "StuffIt", FORMAT_OTHER, "StuffIt"},
    {0, 4, "MSWI", FORMAT_OTHER, "wim"},
    {0, 4, "Cr24", FORMAT_OTHER, "crx, a zip behind a signature"},
    {0, 6, "\144\247\162\166\007\000", FORMAT_OTHER, "dwarfs"},
};

static bool matches(struct bytes *bytes, const struct signature *s)
{
    const uint8_t *p = bytes_at(bytes, s->at, s->len);
    return p && memcmp(p, s->bytes, s->len) == 0;
}

/* lzma alone has no magic: properties below 225, a dictionary of 2^n or 2^n + 2^(n-1), and a size that is
 * unknown or small. Only asked where the name says so. */
static bool is_lzma(struct bytes *bytes, const char *path)
{
    const char *dot = strrchr(path, '.');
    const uint8_t *p = bytes_at(bytes, 0, 13);
    return p && p[0] < 225 && dot && (strcmp(dot, ".lzma") == 0 || strcmp(dot, ".tlz") == 0);
}

/* A disk image ends in a block of its own ("koly"); an arj header carries a length. */
static bool by_place(struct bytes *bytes, const char **what)
{
    const uint8_t *p = bytes->size >= 512 ? bytes_at(bytes, bytes->size - 512, 4) : NULL;
    if (p && memcmp(p, "koly", 4) == 0) {
        *what = "dmg";
        return true;
    }
    p = bytes_at(bytes, 0, 11);
    if (p && p[0] == 0x60 && p[1] == 0xea && p[2] >= 0x1e && p[3] <= 0x0a && p[10] == 2) {
        *what = "arj";
        return true;
    }
    return false;
}

static bool is_bzip2(struct bytes *bytes)
{
    static const uint8_t block[] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
                         end[] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
    const uint8_t *p = bytes_at(bytes, 0, 10);
    return p && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
           (memcmp(p + 4, block, 6) == 0 || memcmp(p + 4, end, 6) == 0);
}

static bool is_skippable(struct bytes *bytes)
{
    const uint8_t *p = bytes_at(bytes, 0, 4);
    return p && (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18;
}

static bool is_tar(struct bytes *bytes, const struct claims *claims)
{
    const uint8_t *p = bytes_at(bytes, 0, TAR_BLOCK);
    if (p && tar_head_likely(p))
        return true;
    return p && claims_has(claims, TYPE_TAR) && tar_block_zero(p);
}

enum archive_format archive_format_of(struct bytes *bytes, const struct claims *claims, const char *path,
                                      const char **what)
{
    *what = NULL;
    for (size_t i = 0; i < ARRAY_LEN(signatures); i++)
        if (matches(bytes, &signatures[i])) {
            *what = signatures[i].what;
            return signatures[i].format;
        }
    if (is_bzip2(bytes))
        return FORMAT_BZIP2;
    if (is_skippable(bytes))
        return claims_has(claims, TYPE_LZ4) || claims_has(claims, TYPE_TAR_LZ4) ? FORMAT_LZ4 : FORMAT_ZSTD;
    if (is_tar(bytes, claims))
        return FORMAT_TAR;
    if (by_place(bytes, what))
        return FORMAT_OTHER;
    if (is_lzma(bytes, path)) {
        *what = "lzma, which has no checksum";
        return FORMAT_OTHER;
    }
    /* something stands before it: the walker says what */
    if (claims->of[TYPE_ZIP] & (1u << EVIDENCE_TAIL | 1u << EVIDENCE_WINDOW))
        return FORMAT_ZIP;
    return FORMAT_NONE;
}

static void unsupported(struct inspection *in, const char *what)
{
    char text[MESSAGE_BYTES];
    (void)snprintf(text, sizeof(text), "an archive of a format that cannot be looked into: %s",
                   what ? what : "unknown");
    inspect_find(in, FINDING_ARCHIVE_UNSUPPORTED, text);
    inspect_claim(in, TYPE_OTHER_ARCHIVE, EVIDENCE_STRUCTURE);
}

/* Levels are counted before anything is unpacked for them. */
static bool may_open(struct inspection *in)
{
    if (in->depth < in->inside.nesting)
        return true;
    archive_find(in, FINDING_ARCHIVE_NESTING, 0,
                 "archives lie deeper in each other than `inside: nesting` admits (%llu)",
                 (unsigned long long)in->inside.nesting);
    return false;
}

void archive_inspect(struct inspection *in)
{
    static const enum peel_kind peels[] = {[FORMAT_GZIP] = PEEL_GZIP,
                                           [FORMAT_BZIP2] = PEEL_BZIP2,
                                           [FORMAT_XZ] = PEEL_XZ,
                                           [FORMAT_ZSTD] = PEEL_ZSTD,
                                           [FORMAT_LZ4] = PEEL_LZ4};
    const char *what;
    enum archive_format format = archive_format_of(in->bytes, &in->claims, in->path, &what);
    /* only where it is asked for: few contracts mean to let programs of another system through */
    if (format == FORMAT_RPM && !type_set_has(in->admitted, TYPE_RPM))
        format = FORMAT_OTHER;
    /* these formats all hold NUL bytes; a text that begins like one of them is a text */
    if (in->text == TYPE_PLAIN && (format == FORMAT_OTHER || format == FORMAT_CPIO))
        return;
    if (format == FORMAT_NONE || (format != FORMAT_OTHER && !may_open(in)))
        return;
    switch (format) {
    case FORMAT_ZIP:
        archive_zip(in);
        break;
    case FORMAT_TAR:
        archive_tar(in);
        break;
    case FORMAT_AR:
        archive_ar(in);
        break;
    case FORMAT_CPIO:
        archive_cpio(in);
        break;
    case FORMAT_SEVENZIP:
        archive_sevenzip(in);
        break;
    case FORMAT_RPM:
        archive_rpm(in);
        break;
    case FORMAT_GZIP:
    case FORMAT_BZIP2:
    case FORMAT_XZ:
    case FORMAT_ZSTD:
    case FORMAT_LZ4:
        archive_layer(in, peels[format]);
        break;
    case FORMAT_OTHER:
        unsupported(in, what);
        break;
    case FORMAT_NONE:
        break;
    }
}
