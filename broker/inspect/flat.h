/* SPDX-License-Identifier: ISC
 * A bounded reader of FlatBuffers, memory alone. Anything that does not lie inside sets `bad` and reads as not there.
 * Source: the FlatBuffers internals page, google/flatbuffers. */
#ifndef SALLYPORT_FLAT_H
#define SALLYPORT_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct flat {
    const uint8_t *data;
    size_t len;
    bool bad;
};

struct flat_table {
    size_t at, slots; /* the table; where its list of slots begins */
    unsigned n;       /* slots */
};

struct flat_vector {
    size_t at;
    uint32_t n;
};

bool flat_root(struct flat *f, struct flat_table *table) MUST_CHECK;
/* A number of 1, 2, 4 or 8 bytes in a slot, or `missing`. */
uint64_t flat_number(struct flat *f, const struct flat_table *table, unsigned slot, unsigned size, uint64_t missing);
/* False: not there. */
bool flat_child(struct flat *f, const struct flat_table *table, unsigned slot, struct flat_table *child) MUST_CHECK;
/* All elements, of `size` bytes each, lie inside; without one, n is 0. */
struct flat_vector flat_list(struct flat *f, const struct flat_table *table, unsigned slot, size_t size);
/* An element of a list of tables (whose size is 4). */
bool flat_element(struct flat *f, const struct flat_vector *list, uint32_t index, struct flat_table *child) MUST_CHECK;

#endif
