/* SPDX-License-Identifier: ISC
 * The canonical member list of an archive, which both readers must find. Entry: u8 kind (enum object_kind; hard links are
 * OBJECT_OTHER), u64 size (0 unless a file), the raw name without leading "./" and trailing '/'. The list is SHA-256
 * over the sorted SHA-256s of the entries: readers differ in the order they see members, and a sorted list (unlike a
 * sum) cannot be made to collide. The entry "" (a "./" member) is left out. */
#ifndef SALLYPORT_LISTING_H
#define SALLYPORT_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/item.h"

/* Zero-initialise with max set: the greatest number of entries (inspect_entries_left). */
struct listing {
    uint8_t (*v)[SHA256_SIZE];
    size_t n, cap;
    uint64_t max;
    bool failed; /* out of memory or over max: listing_finish says false */
};

void listing_add(struct listing *list, const void *name, size_t len, uint64_t size, enum object_kind kind);
/* Sorts, digests, frees. False: the list is not whole, say nothing. */
bool listing_finish(struct listing *list, uint8_t sha256[SHA256_SIZE], uint64_t *count) MUST_CHECK;
void listing_free(struct listing *list);

#endif
