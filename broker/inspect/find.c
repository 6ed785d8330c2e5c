/* SPDX-License-Identifier: ISC
 * Fixed bytes anywhere in a file. Runs in the confined child. */
#include "inspect/find.h"

#include <stddef.h>
#include <string.h>

#include "inspect/octet_run.h"

enum { STEP = 32 * 1024 }; /* a part of the window, so that the next place is looked for in the same one */

bool find_bytes(struct bytes *b, uint64_t from, const uint8_t *what, size_t len, uint64_t *at)
{
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

void find_each(struct bytes *b, const char *const *words, size_t n, uint64_t *at)
{
    enum { KEEP = 63 }; /* a word that a step's border cuts is whole in the next */
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        at[i] = UINT64_MAX;
    for (uint64_t from = 0; left > 0 && from < b->size; from += STEP - KEEP) {
        size_t step = b->size - from < STEP ? (size_t)(b->size - from) : STEP;
        const uint8_t *p = bytes_at(b, from, step), *hit;
        for (size_t i = 0; i < n && p; i++) {
            size_t len = strlen(words[i]);
            if (at[i] != UINT64_MAX || len > step || !(hit = octet_find(p, step, (const uint8_t *)words[i], len)))
                continue;
            at[i] = from + (uint64_t)(hit - p);
            left--;
        }
    }
}
