/* SPDX-License-Identifier: ISC
 * Parquet: marks at both ends, a footer that says where everything is, and no byte that belongs to nothing. Runs in the
 * confined child on hostile bytes. Invariant: what cannot be unpacked or told apart refuses; nothing is passed unseen. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/octets.h"
#include "inspect/parquet.h"

enum { TAIL = 8, LEAST = 2 * PARQUET_MAGIC + 4 };

bool parquet_fail(struct parquet *p, enum finding_code code, uint64_t at, const char *why)
{
    if (!p->stop)
        inspect_find_at(p->in, code, finding_default_level(code), at, 0, why);
    p->stop = true;
    return false;
}

uint8_t *parquet_room(struct parquet *p, struct parquet_room *room, uint64_t size)
{
    if (size > PARQUET_PAGE) {
        (void)parquet_fail(p, FINDING_INSPECT_LIMIT, p->end, "a page is larger than is looked at");
        return NULL;
    }
    if (size > room->cap || !room->data) {
        free(room->data);
        room->cap = size > PARQUET_ROOM ? (size_t)size : PARQUET_ROOM;
        room->data = malloc(room->cap);
    }
    if (!room->data) {
        room->cap = 0;
        (void)parquet_fail(p, FINDING_INSPECT_LIMIT, p->end, "no memory to unpack into");
    }
    return room->data;
}

/* What belongs to nothing: zeros that align, or the copies of a column's description that older writers leave behind it. */
static bool explains(struct parquet *p, uint64_t at, uint64_t end)
{
    uint64_t len;
    if (archive_zeros(&p->bytes, at, end - at))
        return true;
    shown_under(&p->shown, "!between columns");
    for (; at < end; at += len) {
        uint64_t room = end - at < PARQUET_COPY ? end - at : PARQUET_COPY;
        if (!parquet_texts(p, at, room, &len) || len < PARQUET_COPY_LEAST)
            return false;
    }
    return true;
}

static bool covers_all(struct parquet *p)
{
    uint64_t at = PARQUET_MAGIC;
    if (!span_list_sort(&p->spans, &at))
        return parquet_fail(p, FINDING_TYPE_CONFLICT, at, "two parts of the file lie in one place");
    at = PARQUET_MAGIC;
    for (size_t i = 0; i <= p->spans.n; i++) {
        uint64_t next = i < p->spans.n ? p->spans.v[i].from : p->end;
        if (next > at && !explains(p, at, next))
            return parquet_fail(p, FINDING_TYPE_CONFLICT, at, "bytes of the file belong to no column");
        at = i < p->spans.n ? p->spans.v[i].to : at;
    }
    return true;
}

static bool walk(struct parquet *p, uint32_t footer)
{
    AUTO_FREE uint8_t *data = malloc(footer);
    if (!data || !bytes_copy(&p->bytes, p->end, data, footer))
        return parquet_fail(p, FINDING_INSPECT_LIMIT, p->end, "no memory for the footer");
    bool good = parquet_footer(p, data, footer) && covers_all(p);
    shown_flush(&p->shown);
    return good;
}

static bool says_encrypted(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, PARQUET_MAGIC);
    bool locked = p && memcmp(p, "PARE", PARQUET_MAGIC) == 0;
    if (locked)
        inspect_find_at(in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, 0, 0, "the file is encrypted and cannot be looked into");
    return locked;
}

bool active_parquet_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_PARQUET);
}

void active_parquet_scan(struct inspection *in)
{
    uint64_t size = in->bytes->size;
    struct parquet p = {.in = in, .meter = {.packed = size}};
    if (says_encrypted(in))
        return;
    const uint8_t *head = bytes_at(in->bytes, 0, PARQUET_MAGIC);
    bool marked = head && size >= LEAST && memcmp(head, "PAR1", PARQUET_MAGIC) == 0;
    const uint8_t *tail = marked ? bytes_at(in->bytes, size - TAIL, TAIL) : NULL;
    uint32_t footer = tail ? get_le32(tail) : 0;
    if (!tail || memcmp(tail + 4, "PAR1", PARQUET_MAGIC) != 0 || footer == 0 || footer > size - LEAST) {
        inspect_find_at(in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, size, 0, "the file does not end with its footer");
        return;
    }
    p.end = size - TAIL - footer;
    if (footer > PARQUET_FOOTER || !bytes_init_slice(&p.bytes, in->bytes, 0, size) || !shown_init(&p.shown, in))
        inspect_find_at(in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, p.end, 0, "the footer is larger than is looked at");
    else
        (void)walk(&p, footer);
    bytes_free(&p.bytes);
    shown_free(&p.shown);
    span_list_free(&p.spans);
    free(p.leaves);
    free(p.packed.data);
    free(p.plain.data);
    free(p.value.data);
}
