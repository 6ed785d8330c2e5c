/* SPDX-License-Identifier: ISC
 * Integers in file formats, by byte order. The caller has checked that the bytes are there. Pure. */
#ifndef SALLYPORT_OCTETS_H
#define SALLYPORT_OCTETS_H

#include <stdint.h>

static inline uint16_t get_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint16_t get_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_le32(const uint8_t *p)
{
    return get_le16(p) | (uint32_t)get_le16(p + 2) << 16;
}

static inline uint32_t get_be32(const uint8_t *p)
{
    return (uint32_t)get_be16(p) << 16 | get_be16(p + 2);
}

static inline uint64_t get_le64(const uint8_t *p)
{
    return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

static inline uint64_t get_be64(const uint8_t *p)
{
    return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

#endif
