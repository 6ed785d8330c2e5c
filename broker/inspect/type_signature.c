/* SPDX-License-Identifier: ISC
 * One signature of rules/types against a file's bytes: for the type inspector, which claims by all that match, and for the
 * archive inspector, which opens what the first of a container says. Worker child; reads a bounded number of bytes. */
#include "inspect/type_table.h"

bool type_signature_matches(const struct type_signature *s, struct bytes *b)
{
    uint64_t at = s->evidence == EVIDENCE_TAIL ? b->size - s->offset : s->offset;
    if (s->evidence == EVIDENCE_TAIL && b->size < s->offset)
        return false;
    const uint8_t *p = bytes_at(b, at, s->len);
    for (size_t i = 0; p && i < s->len; i++)
        if ((p[i] & s->mask[i]) != s->bytes[i])
            return false;
    return p && (!s->check || s->check(b));
}
