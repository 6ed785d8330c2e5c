/* SPDX-License-Identifier: ISC
 * The rpm inspector (rpm's format manual, versions 3 and 4): both headers by their exact framing, every entry inside its
 * store, then the payload, which must be one compressed cpio that ends with the file. The cpio is a layer: its walker and
 * all inspectors see its members. Worker child. */
#include "inspect/archive_rpm.h"

#include <inttypes.h>
#include <string.h>

#include "inspect/archive_package.h"
#include "inspect/archive_peel.h"
#include "inspect/octets.h"

enum { LEAD = 96, INTRO = 16, ENTRY = 16, TYPE_MAX = 9, TYPE_INT32 = 4, TAG_SIG_SIZE = 1000 };

struct rpm_header {
    uint64_t at, end;      /* of the intro, and behind the store */
    uint64_t index, store; /* where they begin */
    uint32_t entries, store_size;
};

static bool fault(struct inspection *in, enum finding_code code, uint64_t at, const char *text)
{
    archive_find(in, code, at, "%s", text);
    return false;
}

static bool header(struct inspection *in, uint64_t at, struct rpm_header *h)
{
    static const uint8_t magic[8] = {0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0};
    const uint8_t *p = bytes_at(in->bytes, at, INTRO);
    if (!p || memcmp(p, magic, sizeof(magic)) != 0)
        return fault(in, FINDING_ARCHIVE_CORRUPT, at, "an rpm header does not hold, or the file is cut short");
    *h = (struct rpm_header){.at = at, .index = at + INTRO, .entries = get_be32(p + 8), .store_size = get_be32(p + 12)};
    h->store = h->index + (uint64_t)h->entries * ENTRY;
    h->end = h->store + h->store_size;
    if (h->end > in->bytes->size || h->end - at > RPM_HEADER_BYTES)
        return fault(in, FINDING_ARCHIVE_CORRUPT, at, "an rpm header is longer than the file or than any header");
    for (uint32_t i = 0; i < h->entries; i++) {
        p = bytes_at(in->bytes, h->index + (uint64_t)i * ENTRY, ENTRY);
        if (!p || get_be32(p + 4) > TYPE_MAX || get_be32(p + 8) >= (h->store_size ? h->store_size : 1))
            return fault(in, FINDING_ARCHIVE_CORRUPT, h->index, "an entry of an rpm header lies outside its store");
    }
    return true;
}

/* The signature header says how much follows it. */
static bool size_holds(struct inspection *in, const struct rpm_header *h, uint64_t after)
{
    for (uint32_t i = 0; i < h->entries; i++) {
        const uint8_t *p = bytes_at(in->bytes, h->index + (uint64_t)i * ENTRY, ENTRY);
        if (!p || get_be32(p) != TAG_SIG_SIZE || get_be32(p + 4) != TYPE_INT32)
            continue;
        uint64_t at = h->store + get_be32(p + 8);
        p = at + 4 <= h->end ? bytes_at(in->bytes, at, 4) : NULL;
        if (!p)
            return fault(in, FINDING_ARCHIVE_CORRUPT, at, "an entry of an rpm header lies outside its store");
        if (get_be32(p) > in->bytes->size - after)
            return fault(in, FINDING_ARCHIVE_CORRUPT, at, "the rpm is cut short: its signature header counts more bytes");
        if (get_be32(p) < in->bytes->size - after)
            return fault(in, FINDING_ARCHIVE_TRAILING_DATA, after + get_be32(p), "bytes follow the end of the rpm");
    }
    return true;
}

/* Where the payload begins; 0 after a finding. */
static uint64_t payload_of(struct inspection *in)
{
    struct rpm_header signature, main;
    if (!header(in, LEAD, &signature))
        return 0;
    uint64_t after = (signature.end + 7) / 8 * 8;
    if (after > in->bytes->size || !archive_zeros(in->bytes, signature.end, after - signature.end))
        (void)fault(in, FINDING_ARCHIVE_AMBIGUOUS, signature.end, "the padding behind an rpm's signature is not NUL");
    else if (size_holds(in, &signature, after) && header(in, after, &main))
        return main.end;
    return 0;
}

/* Everything else in the payload than a cpio is no package that can be looked into. */
static void look(struct inspection *in, struct bytes *cpio)
{
    struct inspection package = *in;
    struct package_rule rule;
    const uint8_t *p = bytes_at(cpio, 0, 6);
    if (!p || (memcmp(p, "070701", 6) != 0 && memcmp(p, "070702", 6) != 0)) {
        (void)fault(in, FINDING_ARCHIVE_UNSUPPORTED, 0, "the payload of the rpm is no cpio of the common forms");
        return;
    }
    package_rule_of(in, TYPE_RPM, &rule);
    type_group_add(&rule.own, "passive", 7);
    type_set_add(&rule.own, TYPE_ANY_BINARY);
    package.package_part = true;
    (void)inspect_layer(&package, "payload.cpio", 12, cpio, &rule.own);
}

static void unpack(struct inspection *in, uint64_t at, enum peel_kind kind)
{
    struct archive_hold hold = {.budget = in->budget};
    struct archive_meter meter = {.packed = in->bytes->size - at};
    struct bytes cpio;
    struct peel peel;
    if (!peel_open(&peel, kind, in, in->bytes, at, in->bytes->size - at))
        peel_report(&peel, in);
    else if (peel_whole(&peel, in, &hold, &meter)) {
        if (archive_hold_bytes(&hold, &cpio)) {
            look(in, &cpio);
            bytes_free(&cpio);
        } else
            archive_hold_full(in, at);
    }
    peel_close(&peel);
    archive_hold_free(&hold);
}

void archive_rpm(struct inspection *in)
{
    struct bytes payload;
    inspect_claim(in, TYPE_RPM, EVIDENCE_STRUCTURE);
    uint64_t at = payload_of(in);
    if (at == 0 || !bytes_init_slice(&payload, in->bytes, at, in->bytes->size - at))
        return;
    enum peel_kind kind = archive_layer_of(&payload);
    bytes_free(&payload);
    if (kind)
        unpack(in, at, kind);
    else
        (void)fault(in, FINDING_ARCHIVE_UNSUPPORTED, at,
                    "the payload of the rpm is compressed in a way that cannot be looked into");
}
