/* SPDX-License-Identifier: ISC
 * Fixed bytes anywhere in a file. Runs in the confined child. */
#include "inspect/find.h"

#include <stddef.h>

#include "inspect/octet_run.h"

bool find_bytes(struct bytes *b, uint64_t from, const uint8_t *what, size_t len, uint64_t *at)
{
    enum { STEP = 32 * 1024 }; /* a part of the window, so that the next place is looked for in the same one */
    while (from < b->size && b->size - from >= len) {
        size_t step = b->size - from < STEP ? (size_t)(b->size - from) : STEP;
        const uint8_t *p = bytes_at(b, from, step), *hit = p ? octet_find(p, step, what, len) : NULL;
        if (hit) {
            *at = from + (uint64_t)(hit - p);
            return true;
        }
        from += step - (len - 1);
    }
    return false;
}
