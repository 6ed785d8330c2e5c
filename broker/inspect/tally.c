/* SPDX-License-Identifier: ISC
 * In a worker child: findings gathered and said once. Lines are counted only when there is something to say. */
#include "inspect/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

void tally_init(struct tally *t, struct inspection *in)
{
    *t = (struct tally){.in = in};
}

static struct tally_row *row_for(struct tally *t, enum finding_code code, enum finding_level level)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].code == code && t->rows[i].level == level)
            return &t->rows[i];
    return NULL;
}

void tally_add(struct tally *t, enum finding_code code, enum finding_level level, uint64_t offset, const char *message)
{
    uint64_t at = t->has_origin ? t->origin : offset;
    struct tally_row *row = row_for(t, code, level);
    if (row) {
        row->count++;
        return;
    }
    if (t->n == TALLY_ROWS) {
        inspect_find_at(t->in, code, level, at, 0, message);
        return;
    }
    t->rows[t->n++] = (struct tally_row){.code = code, .level = level, .offset = at, .count = 1, .message = message};
}

void tally_refuse(struct tally *t, enum finding_code code, uint64_t offset, const char *message)
{
    tally_add(t, code, finding_default_level(code), offset, message);
}

void tally_say(struct tally *t)
{
    char text[MESSAGE_BYTES];
    for (size_t i = 0; i < t->n; i++) {
        const struct tally_row *row = &t->rows[i];
        const char *message = row->message ? row->message : finding_sentence(row->code);
        uint32_t line = t->in->text == TYPE_PLAIN ? bytes_line(t->in->bytes, row->offset) : 0;
        if (row->count > 1)
            snprintf(text, sizeof(text), "%.400s (%" PRIu64 " places, the first is shown)", message, row->count);
        inspect_find_at(t->in, row->code, row->level, row->offset, line, row->count > 1 ? text : row->message);
    }
    t->n = 0;
}
