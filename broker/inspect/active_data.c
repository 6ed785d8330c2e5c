/* SPDX-License-Identifier: ISC
 * Data formats whose bytes are searched as they are: that their structure holds as far as it says what is where. Runs in the
 * confined child on hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/find.h"
#include "inspect/octets.h"

static void broken(struct inspection *in, uint64_t at, const char *message)
{
    inspect_find_at(in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, at, 0, message);
}

/* --- SQLite ---------------------------------------------------------------------------------------------------------------- */

static void sqlite(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 100);
    uint64_t page = p ? get_be16(p + 16) : 0, at;
    page = page == 1 ? 65536 : page;
    bool valid = p && page >= 512 && (page & (page - 1)) == 0 && p[21] == 64 && p[22] == 32 && p[23] == 32;
    if (!valid || in->bytes->size % page != 0) {
        broken(in, 0, "the database's header does not hold");
        return;
    }
    if (find_bytes(in->bytes, 0, (const uint8_t *)"CREATE TRIGGER", 14, &at))
        inspect_find_at(in, FINDING_ACTIVE_MODEL_CODE, LEVEL_WARN, at, 0, "a trigger runs when the database is written to");
}

/* --- captures ----------------------------------------------------------------------------------------------------------------- */

struct order {
    bool little;
};

static uint32_t word(struct order o, const uint8_t *p)
{
    return o.little ? get_le32(p) : get_be32(p);
}

static void pcap_classic(struct inspection *in, struct order o)
{
    uint64_t at = 24;
    while (at < in->bytes->size) {
        const uint8_t *p = bytes_at(in->bytes, at, 16);
        uint64_t len = p ? word(o, p + 8) : 0;
        if (!p || len > in->bytes->size - at - 16) {
            broken(in, at, "the capture ends inside a packet");
            return;
        }
        at += 16 + len;
    }
}

/* Blocks carry their length at both ends; a section's first block says the byte order. */
static void pcap_blocks(struct inspection *in)
{
    struct order o = {true};
    uint64_t at = 0;
    while (at < in->bytes->size) {
        const uint8_t *p = bytes_at(in->bytes, at, 12);
        if (p && get_be32(p) == 0x0A0D0D0A)
            o.little = p[8] == 0x4D;
        uint64_t len = p ? word(o, p + 4) : 0;
        const uint8_t *tail = len >= 12 && len % 4 == 0 && len <= in->bytes->size - at ? bytes_at(in->bytes, at + len - 4, 4) : NULL;
        if (!tail || word(o, tail) != len) {
            broken(in, at, "a block of the capture does not hold");
            return;
        }
        at += len;
    }
}

static void pcap(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 24);
    if (p && p[0] == 0x0A)
        pcap_blocks(in);
    else if (p)
        pcap_classic(in, (struct order){p[0] == 0xD4 || p[0] == 0x4D});
    else
        broken(in, 0, "the capture's header is cut off");
}

/* --- Windows event logs ---------------------------------------------------------------------------------------------------------- */

static void evtx(struct inspection *in)
{
    enum { HEAD = 4096, CHUNK = 65536 };
    const uint8_t *p = bytes_at(in->bytes, 0, 128);
    if (!p || in->bytes->size < HEAD || (in->bytes->size - HEAD) % CHUNK != 0) {
        broken(in, 0, "the log's header does not hold");
        return;
    }
    for (uint64_t at = HEAD, left = get_le16(p + 42); left > 0; at += CHUNK, left--) {
        p = bytes_at(in->bytes, at, 8);
        if (!p || memcmp(p, "ElfChnk", 8) != 0) {
            broken(in, at, "a chunk of the log is not there");
            return;
        }
    }
}

/* --- the table -------------------------------------------------------------------------------------------------------------------- */

static const struct {
    enum type type;
    void (*look)(struct inspection *in);
} looks[] = {{TYPE_SQLITE, sqlite}, {TYPE_PCAP, pcap}, {TYPE_EVTX, evtx}};

bool active_data_applies(const struct inspection *in)
{
    for (size_t i = 0; i < ARRAY_LEN(looks); i++)
        if (claims_has(&in->claims, looks[i].type))
            return true;
    return false;
}

void active_data_scan(struct inspection *in)
{
    for (size_t i = 0; i < ARRAY_LEN(looks); i++)
        if (claims_has(&in->claims, looks[i].type))
            looks[i].look(in);
}
