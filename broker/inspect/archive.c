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
#include "inspect/type_table.h"

/* The containers that have a walker, and FORMAT_OTHER for what has none. */
static const enum archive_format format_of[TYPE_COUNT] = {
    [TYPE_ZIP] = FORMAT_ZIP,   [TYPE_TAR] = FORMAT_TAR,   [TYPE_AR] = FORMAT_AR,     [TYPE_SEVENZIP] = FORMAT_SEVENZIP,
    [TYPE_CPIO] = FORMAT_CPIO, [TYPE_RPM] = FORMAT_RPM,   [TYPE_GZIP] = FORMAT_GZIP, [TYPE_BZIP2] = FORMAT_BZIP2,
    [TYPE_XZ] = FORMAT_XZ,     [TYPE_LZMA] = FORMAT_LZMA, [TYPE_ZSTD] = FORMAT_ZSTD, [TYPE_LZ4] = FORMAT_LZ4,
    [TYPE_OTHER_ARCHIVE] = FORMAT_OTHER,
};

/* The first row of rules/types that names a container and matches. */
static enum archive_format by_signature(struct bytes *bytes, const char **what)
{
    const uint8_t *p = bytes_at(bytes, 0, 1), first = p ? *p : 0;
    for (size_t i = 0; p && i < type_signatures_n; i++) {
        const struct type_signature *s = &type_signatures[i];
        enum archive_format format = s->what ? FORMAT_OTHER : format_of[s->type];
        if (format != FORMAT_NONE && type_signature_begins(s, first) && type_signature_matches(s, bytes)) {
            *what = s->what;
            return format;
        }
    }
    return FORMAT_NONE;
}

/* A tar of no members is blocks of zeros, which only its name tells from other zeros. */
static bool is_empty_tar(struct bytes *bytes, const struct claims *claims)
{
    const uint8_t *p = claims_has(claims, TYPE_TAR) ? bytes_at(bytes, 0, TAR_BLOCK) : NULL;
    return p && tar_block_zero(p);
}

/* Only the commonest properties are a signature; under its name others may begin lzma as well. */
static bool is_lzma(struct bytes *bytes, const struct claims *claims)
{
    return (claims_has(claims, TYPE_LZMA) || claims_has(claims, TYPE_TAR_LZMA)) && type_check_lzma(bytes);
}

enum archive_format archive_format_of(struct bytes *bytes, const struct claims *claims, const char **what)
{
    *what = NULL;
    enum archive_format format = by_signature(bytes, what);
    if (format != FORMAT_NONE)
        return format;
    if (is_empty_tar(bytes, claims))
        return FORMAT_TAR;
    if (is_lzma(bytes, claims))
        return FORMAT_LZMA;
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
    if (!claims_by_content(&in->claims, TYPE_RPM)) /* its signature names it */
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
                                           [FORMAT_LZMA] = PEEL_LZMA,
                                           [FORMAT_ZSTD] = PEEL_ZSTD,
                                           [FORMAT_LZ4] = PEEL_LZ4};
    const char *what;
    enum archive_format format = archive_format_of(in->bytes, &in->claims, &what);
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
    case FORMAT_LZMA:
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
