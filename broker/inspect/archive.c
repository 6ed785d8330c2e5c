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

/* What opens a container: its walker, or the layer that is peeled (0: none). */
static const struct {
    void (*walk)(struct inspection *in);
    enum peel_kind layer;
} openers[TYPE_COUNT] = {
    [TYPE_ZIP] = {archive_zip, 0},     [TYPE_TAR] = {archive_tar, 0},   [TYPE_AR] = {archive_ar, 0},
    [TYPE_CPIO] = {archive_cpio, 0},   [TYPE_RPM] = {archive_rpm, 0},   [TYPE_SEVENZIP] = {archive_sevenzip, 0},
    [TYPE_GZIP] = {NULL, PEEL_GZIP},   [TYPE_BZIP2] = {NULL, PEEL_BZIP2}, [TYPE_XZ] = {NULL, PEEL_XZ},
    [TYPE_LZMA] = {NULL, PEEL_LZMA},   [TYPE_ZSTD] = {NULL, PEEL_ZSTD}, [TYPE_LZ4] = {NULL, PEEL_LZ4},
};

static bool opens(enum type type)
{
    return openers[type].walk || openers[type].layer;
}

/* The first row of rules/types that names a container and matches. */
static enum type by_signature(struct bytes *bytes, const char **what)
{
    const uint8_t *p = bytes_at(bytes, 0, 1), first = p ? *p : 0;
    for (size_t i = 0; p && i < type_signatures_n; i++) {
        const struct type_signature *s = &type_signatures[i];
        if ((s->what || opens(s->type)) && type_signature_begins(s, first) && type_signature_matches(s, bytes)) {
            *what = s->what;
            return s->what ? TYPE_OTHER_ARCHIVE : s->type;
        }
    }
    return TYPE_NONE;
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

enum type archive_type_of(struct bytes *bytes, const struct claims *claims, const char **what)
{
    *what = NULL;
    enum type type = by_signature(bytes, what);
    if (type != TYPE_NONE)
        return type;
    if (is_empty_tar(bytes, claims))
        return TYPE_TAR;
    if (is_lzma(bytes, claims))
        return TYPE_LZMA;
    /* something stands before it: the walker says what */
    return claims->of[TYPE_ZIP] & (1u << EVIDENCE_TAIL | 1u << EVIDENCE_WINDOW) ? TYPE_ZIP : TYPE_NONE;
}

enum peel_kind archive_layer_of(struct bytes *bytes)
{
    static const struct claims none;
    const char *what;
    return openers[archive_type_of(bytes, &none, &what)].layer;
}

static void unsupported(struct inspection *in, const char *what)
{
    char text[MESSAGE_BYTES];
    (void)snprintf(text, sizeof(text), "an archive of a format that cannot be looked into: %s",
                   what);
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
    const char *what;
    enum type type = archive_type_of(in->bytes, &in->claims, &what);
    /* only where it is asked for: few contracts mean to let programs of another system through */
    if (type == TYPE_RPM && !type_set_has(in->admitted, TYPE_RPM)) {
        type = TYPE_OTHER_ARCHIVE;
        what = type_name(TYPE_RPM);
    }
    bool other = type == TYPE_OTHER_ARCHIVE;
    /* these formats all hold NUL bytes; a text that begins like one of them is a text */
    if (type == TYPE_NONE || (in->text == TYPE_PLAIN && (other || type == TYPE_CPIO)))
        return;
    if (other)
        unsupported(in, what);
    else if (!may_open(in))
        return;
    else if (openers[type].walk)
        openers[type].walk(in);
    else
        archive_layer(in, openers[type].layer);
}
