/* SPDX-License-Identifier: ISC
 * Triggers without a literal worth the name ("AC" and hex digits, eight small classes) halve the speed of the whole
 * database. Those of a fixed width are shapes instead: four neighbouring places of each are looked for, by half bytes as
 * in the "Teddy" of Hyperscan, and the few that look right are compared. Never misses one. Pure. */
#ifndef SALLYPORT_SECRET_SHAPE_H
#define SALLYPORT_SECRET_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ruletable.h"
#include "inspect/secret_trigger.h"

enum {
    SHAPES_MOST = 8, /* one bit of a byte each */
    SHAPE_PLACES = 4
};

struct shape {
    uint32_t rule;
    uint16_t width, anchor; /* bytes; where its places are */
    uint32_t steps;
    struct shape_step {
        uint8_t class[32]; /* bit c & 7 of byte c / 8 */
        uint32_t n;
    } step[GATE_STEPS];
};

/* Holds no pointer: it is stored as it is. */
struct secret_shapes {
    uint8_t low[SHAPE_PLACES][16], high[SHAPE_PLACES][16]; /* by half of a byte: the shapes that may have it there */
    uint32_t n;
    struct shape v[SHAPES_MOST];
    uint8_t fill[28]; /* to a multiple of what the database is aligned to */
};

/* The rules whose triggers cost the database most, as far as they are shapes. */
void secret_shapes_choose(const struct rule_table *table, struct secret_shapes *out);
bool secret_shapes_have(const struct secret_shapes *shapes, size_t rule);
/* Bytes in a row that the database can look for, in a trigger of fixed width; 0: it is none. */
size_t secret_shape_literal(const struct rule *rule);

/* Told of each end of each shape, for each shape in order; anything but 0 ends the search, which is false then. */
typedef int shape_hit(unsigned rule, unsigned long long from, unsigned long long to, unsigned flags, void *context);
bool secret_shapes_scan(const struct secret_shapes *shapes, const uint8_t *p, size_t len, shape_hit *hit, void *context);
/* The same without vector instructions. */
bool secret_shapes_scan_plain(const struct secret_shapes *shapes, const uint8_t *p, size_t len, shape_hit *hit,
                              void *context);

#endif
