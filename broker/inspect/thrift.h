/* SPDX-License-Identifier: ISC
 * A reader of Thrift's compact protocol as a run of events, without a schema: what is not known is passed over by its
 * type. Over memory; keeps no tree. Source: the Apache Thrift specification, thrift-compact-protocol. */
#ifndef SALLYPORT_THRIFT_H
#define SALLYPORT_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { THRIFT_DEPTH = 16 };

/* OPEN and CLOSE are of structures; the outermost one has no OPEN. Lists are not told: an element stands for itself. */
enum thrift_event { THRIFT_END = 0, THRIFT_BAD, THRIFT_OPEN, THRIFT_CLOSE, THRIFT_NUMBER, THRIFT_TEXT };

/* Numbers of the fields that lead to a value, eight bits each, outermost first; elements have the path of their list. */
#define THRIFT_PATH1(a) ((uint64_t)(a))
#define THRIFT_PATH2(a, b) (THRIFT_PATH1(a) << 8 | (uint64_t)(b))
#define THRIFT_PATH3(a, b, c) (THRIFT_PATH2(a, b) << 8 | (uint64_t)(c))
#define THRIFT_PATH4(a, b, c, d) (THRIFT_PATH3(a, b, c) << 8 | (uint64_t)(d))
#define THRIFT_PATH5(a, b, c, d, e) (THRIFT_PATH4(a, b, c, d) << 8 | (uint64_t)(e))
#define THRIFT_ELSEWHERE UINT64_MAX /* deeper, or a number over 255 */

struct thrift_level {
    uint64_t path;
    uint64_t left;   /* elements of a list still to come */
    int32_t last;    /* the field before */
    uint8_t type[2]; /* of a list's elements; a map's take turns */
    bool list;
};

struct thrift {
    const uint8_t *at, *end;
    unsigned depth; /* open levels */
    struct thrift_level level[THRIFT_DEPTH];
    bool bad;
    uint64_t path;       /* of the event */
    int64_t value;       /* of NUMBER; doubles by their bits */
    const uint8_t *text; /* of TEXT, len bytes */
    size_t len;
};

/* Begins on a structure. */
void thrift_init(struct thrift *t, const uint8_t *data, size_t len);
/* The next event. END: the outermost structure is closed, t->at stands behind it; BAD: it is cut off or none. */
enum thrift_event thrift_next(struct thrift *t) MUST_CHECK;
/* Unsigned, seven bits a byte; false: cut off or longer than 64 bits. */
bool thrift_varint(const uint8_t **at, const uint8_t *end, uint64_t *value) MUST_CHECK;
int64_t thrift_zigzag(uint64_t value);

#endif
