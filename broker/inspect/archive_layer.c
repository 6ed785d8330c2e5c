/* SPDX-License-Identifier: ISC
 * One compression layer as an inspector sees it: a compressed tar is one container and is walked while it is
 * unpacked; anything else is one member, named as the layer without its extension. Worker child. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "inspect/archive_package.h"
#include "inspect/archive_peel.h"
#include "inspect/archive_tar.h"
#include "inspect/octets.h"

enum { DRY_STEP = 8192 };

static const struct {
    enum type plain, tar;
} claims_of[PEEL_KINDS] = {
    [PEEL_GZIP] = {TYPE_GZIP, TYPE_TAR_GZ}, [PEEL_BZIP2] = {TYPE_BZIP2, TYPE_TAR_BZ2},
    [PEEL_XZ] = {TYPE_XZ, TYPE_TAR_XZ},     [PEEL_ZSTD] = {TYPE_ZSTD, TYPE_TAR_ZST},
    [PEEL_LZ4] = {TYPE_LZ4, TYPE_TAR_LZ4},  [PEEL_LZMA] = {TYPE_LZMA, TYPE_TAR_LZMA},
};

/* The member's name: the layer's last component without the compression's extension. */
static size_t inner_name(const char *path, char *out, size_t size)
{
    static const struct {
        const char *outer, *inner;
    } endings[] = {{".gz", ""},      {".bz2", ""},     {".xz", ""},       {".zst", ""},
                   {".zstd", ""},    {".lz4", ""},     {".tgz", ".tar"},  {".tbz2", ".tar"},
                   {".tbz", ".tar"}, {".txz", ".tar"}, {".tzst", ".tar"}, {".svgz", ".svg"},
                   {".lzma", ""},    {".tlz", ".tar"}, {".tlz4", ".tar"}};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *inner = "";
    size_t len = strnlen(base, size - 8);
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        size_t n = strlen(endings[i].outer);
        if (len <= n || strncasecmp(base + len - n, endings[i].outer, n) != 0)
            continue;
        len -= n;
        inner = endings[i].inner;
        break;
    }
    memcpy(out, base, len);
    memcpy(out + len, inner, strlen(inner));
    return len + strlen(inner);
}

/* The last gzip member says its own length. A length beyond the bounds is either true or the stream does not
 * hold, and which one it is can be found without memory. */
static bool gzip_says_bomb(struct inspection *in)
{
    uint64_t size = in->bytes->size, ratio = in->inside.ratio;
    const uint8_t *p = size >= 18 ? bytes_at(in->bytes, size - 4, 4) : NULL;
    uint64_t length = p ? get_le32(p) : 0;
    return length > RATIO_FLOOR && (ratio == 0 || length / ratio > size);
}

/* Unpacks to nowhere. A stream that says of itself that it is a bomb, and unpacks like one, is taken at its word long
 * before the bound is reached; one that lies is damaged, or holds after all. True in the last case. */
static bool dry_run(struct inspection *in, struct peel *peel)
{
    uint8_t nowhere[DRY_STEP];
    struct archive_meter meter = {.packed = in->bytes->size, .member = true};
    while (!peel->ended && peel->fault == FINDING_NONE) {
        if (!archive_spend(in, &meter, peel_read(peel, nowhere, sizeof(nowhere))))
            return false;
        struct archive_meter so_far = {.packed = peel->at, .out = meter.out};
        if (!archive_admits(in, &so_far, 0))
            return false;
    }
    in->budget->unpacked -= meter.out;
    if (peel->fault != FINDING_NONE) {
        peel_report(peel, in);
        return false;
    }
    return true;
}

static void one_member(struct inspection *in, struct peel *peel, struct archive_meter *meter,
                       struct archive_hold *hold)
{
    char name[PATH_BYTES + 1];
    struct package_rule rule;
    struct bytes content;
    if (!peel_whole(peel, in, hold, meter))
        return;
    size_t len = inner_name(in->path, name, sizeof(name));
    package_rule_plain(in, &rule);
    if (!archive_hold_bytes(hold, &content)) {
        archive_hold_full(in, 0);
        return;
    }
    (void)inspect_member(in, name, len, &content, rule.set, rule.package);
    bytes_free(&content);
}

/* What the layer is, by its first block, which is left in hold. */
static bool first_block(struct inspection *in, enum peel_kind kind, struct peel *peel, struct archive_hold *hold,
                        bool *tar)
{
    if (!archive_hold_room(hold, TAR_BLOCK)) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory to unpack into");
        return false;
    }
    hold->len = peel_read(peel, hold->data, TAR_BLOCK);
    *tar = hold->len == TAR_BLOCK &&
           (tar_head_likely(hold->data) ||
            (claims_has(&in->claims, claims_of[kind].tar) && tar_block_zero(hold->data)));
    inspect_claim(in, *tar ? claims_of[kind].tar : claims_of[kind].plain, EVIDENCE_STRUCTURE);
    return true;
}

static void unpack(struct inspection *in, enum peel_kind kind, struct peel *peel, struct archive_hold *hold)
{
    struct archive_meter meter = {.packed = in->bytes->size};
    bool tar;
    if (!first_block(in, kind, peel, hold, &tar))
        return;
    if (kind == PEEL_GZIP && gzip_says_bomb(in)) {
        peel_again(peel, 0, in->bytes->size);
        if (!dry_run(in, peel))
            return;
        peel_again(peel, 0, in->bytes->size);
        (void)!peel_read(peel, hold->data, hold->len); /* the same block once more */
    }
    meter.member = !tar;
    if (!archive_spend(in, &meter, hold->len))
        return;
    if (!tar) {
        one_member(in, peel, &meter, hold);
        return;
    }
    archive_tar_peeled(in, peel, &meter, hold->data, hold->len, claims_of[kind].tar);
    peel_report(peel, in);
}

void archive_layer(struct inspection *in, enum peel_kind kind)
{
    struct archive_hold hold = {.budget = in->budget};
    struct peel peel;
    if (peel_open(&peel, kind, in, in->bytes, 0, in->bytes->size))
        unpack(in, kind, &peel, &hold);
    else
        peel_report(&peel, in);
    peel_close(&peel);
    archive_hold_free(&hold);
}
