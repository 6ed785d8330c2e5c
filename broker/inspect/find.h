/* SPDX-License-Identifier: ISC
 * Looks for fixed bytes anywhere in a file, over the borders of windows. */
#ifndef SALLYPORT_FIND_H
#define SALLYPORT_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/bytes.h"

/* Offset of the first place of `what` (1 to 4,096 bytes) at or behind `from` in *at; false where there is none. */
bool find_bytes(struct bytes *b, uint64_t from, const uint8_t *what, size_t len, uint64_t *at);

/* The first place of each of n words (1 to 64 letters) in at[], UINT64_MAX where there is none: in one reading of the file. */
void find_each(struct bytes *b, const char *const *words, size_t n, uint64_t *at);

#endif
