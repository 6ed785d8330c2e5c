/* SPDX-License-Identifier: ISC
 * The zip inspector: structure first (end record, directory, local records), then names, then one member
 * after the other, unpacked and checked against its CRC. Worker child. */
#include "inspect/archive_zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/archive_package.h"
#include "inspect/archive_peel.h"

enum { MIMETYPE_MAX = 128 };

struct zip_delivery {
    struct zip *zip;
    struct peel peel; /* one decoder for all members */
    struct package_rule rule;
    enum type package;
};

static bool crc_holds(struct inspection *in, const struct zip_entry *e, struct bytes *content)
{
    uint32_t crc = 0;
    size_t n;
    for (uint64_t at = 0; at < content->size; at += n) {
        const uint8_t *p = bytes_chunk(content, at, &n);
        if (!p || n == 0)
            break;
        crc = (uint32_t)crc32(crc, p, (uInt)n);
    }
    if (crc == e->crc)
        return true;
    archive_find(in, FINDING_ARCHIVE_CORRUPT, e->offset, "a member's CRC-32 is not that of its content");
    return false;
}

/* The member's content as bytes: a view of the file, or unpacked into hold. in: where findings go. */
static bool content_of(struct zip_delivery *d, struct inspection *in, const struct zip_entry *e,
                       struct archive_hold *hold, struct bytes *content)
{
    struct archive_meter meter = {.packed = e->packed, .member = true};
    if (e->method == ZIP_STORED)
        return archive_stored(in, content, e->data_at, e->size) && crc_holds(in, e, content);
    if (!archive_admits(in, &meter, e->size))
        return false;
    peel_again(&d->peel, e->data_at, e->packed);
    if (!peel_whole(&d->peel, in, hold, &meter))
        return false;
    if (d->peel.out != e->size) {
        archive_find(in, FINDING_ARCHIVE_AMBIGUOUS, e->offset,
                     "a member unpacks to another size than the directory says");
        return false;
    }
    if (!archive_hold_bytes(hold, content)) {
        archive_hold_full(in, e->offset);
        return false;
    }
    return crc_holds(in, e, content);
}

/* False: the container must stop. */
static bool deliver(struct zip_delivery *d, size_t index)
{
    struct zip *zip = d->zip;
    const struct zip_entry *e = &zip->entries[index];
    struct archive_hold hold = {.budget = zip->in->budget};
    struct archive_view view;
    struct bytes content;
    size_t len;
    const char *name = names_text(&zip->names, index, &len);
    archive_view_init(&view, zip->in, name, len);
    bool root = len == 0 && e->kind == OBJECT_DIRECTORY;
    if (!root)
        (void)name_check(zip->in, name, len, d->rule.names);
    bool go_on = content_of(d, &view.in, e, &hold, &content);
    if (go_on) {
        switch ((enum object_kind)e->kind) {
        case OBJECT_FILE:
            archive_privilege(zip->in, name, len, e->mode, false, d->rule.package);
            go_on = package_member(zip->in, &d->rule, d->package, name, len, &content);
            break;
        case OBJECT_SYMLINK:
            if (!name_link_inside(zip->in, name, len, &content))
                inspect_find(&view.in, FINDING_ARCHIVE_LINK, "the member is a symbolic link");
            go_on = inspect_entries(zip->in, 1);
            break;
        case OBJECT_DIRECTORY:
            go_on = inspect_entries(zip->in, 1);
            break;
        case OBJECT_UNKNOWN:
        case OBJECT_FIFO:
        case OBJECT_SOCKET:
        case OBJECT_DEVICE:
        case OBJECT_OTHER:
            inspect_find(&view.in, FINDING_ARCHIVE_SPECIAL, NULL);
            go_on = inspect_entries(zip->in, 1);
            break;
        }
        bytes_free(&content);
    }
    archive_hold_free(&hold);
    return go_on && inspect_wants_more(zip->in);
}

/* Declared sizes, which the records already agree on: a bomb is refused before it is lit. What is stored in a member was
 * spent when that was unpacked. */
static bool sizes_admitted(struct zip *zip)
{
    struct archive_meter all = {.packed = UINT64_MAX};
    uint64_t total = 0;
    for (size_t i = 0; i < zip->n; i++) {
        bool spent = zip->in->depth > 0 && zip->entries[i].method == ZIP_STORED;
        uint64_t size = spent ? 0 : zip->entries[i].size;
        total = size < UINT64_MAX - total ? total + size : UINT64_MAX;
    }
    return archive_admits(zip->in, &all, total);
}

static size_t mimetype_of(struct zip_delivery *d, char out[MIMETYPE_MAX])
{
    struct zip *zip = d->zip;
    size_t len, got = 0;
    for (size_t i = 0; i < zip->n; i++) {
        const char *name = names_text(&zip->names, i, &len);
        const struct zip_entry *e = &zip->entries[i];
        if (len != 8 || memcmp(name, "mimetype", 8) != 0 || e->size == 0 || e->size > MIMETYPE_MAX)
            continue;
        if (e->method == ZIP_STORED)
            return bytes_copy(zip->bytes, e->data_at, out, (size_t)e->size) ? (size_t)e->size : 0;
        peel_again(&d->peel, e->data_at, e->packed);
        got = peel_read(&d->peel, (uint8_t *)out, MIMETYPE_MAX);
        break;
    }
    return got;
}

static void say_listing(struct zip *zip)
{
    struct listing listing = {.max = zip->n + 1};
    for (size_t i = 0; i < zip->n; i++) {
        size_t len;
        const char *name = names_text(&zip->names, i, &len);
        listing_add(&listing, name, len, zip->entries[i].size, (enum object_kind)zip->entries[i].kind);
    }
    archive_list(zip->in, TYPE_ZIP, &listing);
}

static void members(struct zip *zip)
{
    struct zip_delivery d = {.zip = zip};
    char mimetype[MIMETYPE_MAX];
    if (!peel_open(&d.peel, PEEL_DEFLATE, zip->in, zip->bytes, 0, 0)) {
        peel_report(&d.peel, zip->in);
        peel_close(&d.peel);
        return;
    }
    size_t len = mimetype_of(&d, mimetype);
    d.package = package_claim_zip(zip->in, &zip->names, mimetype, len);
    if (d.package == TYPE_ZIP)
        package_rule_plain(zip->in, &d.rule);
    else
        package_rule_of(zip->in, d.package, &d.rule);
    for (size_t i = 0; i < zip->n; i++)
        if (!deliver(&d, i))
            break;
    peel_close(&d.peel);
}

void archive_zip(struct inspection *in)
{
    struct zip zip = {.in = in, .bytes = in->bytes};
    bool whole = bytes_init_slice(&zip.directory, in->bytes, 0, in->bytes->size);
    if (whole && zip_end(&zip) && zip_central(&zip) && zip_locals(&zip)) {
        names_judge(&zip.names, in, NAMES_OF_CONTRACT);
        say_listing(&zip);
        if (sizes_admitted(&zip))
            members(&zip);
    } else
        inspect_claim(in, TYPE_ZIP, EVIDENCE_STRUCTURE);
    free(zip.entries);
    bytes_free(&zip.directory);
    names_free(&zip.names);
}
