/* SPDX-License-Identifier: ISC
 * Sixteen bytes compared side by side, in the vector extension that gcc and clang share: SSE2 and NEON where there is one,
 * plain words elsewhere. A comparison gives 0xFF in the lanes where it holds. Pure. */
#ifndef SALLYPORT_LANES_H
#define SALLYPORT_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

enum { LANES = 16 };

#define LANES_OF(element) element __attribute__((vector_size(16)))

ALWAYS_INLINE LANES_OF(uint8_t) lanes_load(const uint8_t *p)
{
    LANES_OF(uint8_t) v;
    memcpy(&v, p, sizeof(v));
    return v;
}

ALWAYS_INLINE LANES_OF(uint8_t) lanes_equal(LANES_OF(uint8_t) v, uint8_t c)
{
    return (LANES_OF(uint8_t))(v == c);
}

/* Lanes from first to last, both included. */
ALWAYS_INLINE LANES_OF(uint8_t) lanes_between(LANES_OF(uint8_t) v, uint8_t first, uint8_t last)
{
    return (LANES_OF(uint8_t))(v - first <= (uint8_t)(last - first));
}

ALWAYS_INLINE bool lanes_any(LANES_OF(uint8_t) v)
{
    uint64_t words[2];
    memcpy(words, &v, sizeof(words));
    return (words[0] | words[1]) != 0;
}

#endif
