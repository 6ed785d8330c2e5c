/* SPDX-License-Identifier: ISC
 * Bounded reader and growing writer. Once one fails it stays failed, so a run of calls needs one check at the end.
 * Integers are little-endian. Pure. */
#ifndef SALLYPORT_BUF_H
#define SALLYPORT_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct reader {
    const uint8_t *at;
    size_t left;
    bool failed;
};

void reader_init(struct reader *r, const void *data, size_t len);
uint8_t reader_u8(struct reader *r);
uint16_t reader_u16(struct reader *r);
uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);
/* Pointer to len bytes, or NULL when fewer are left. */
const uint8_t *reader_take(struct reader *r, size_t len);
/* A u16 length and so many bytes, not terminated; NULL, and the reader failed, when they are more than max, fewer are left,
 * or one is 0: what is copied into a string is then all of it. */
const uint8_t *reader_text(struct reader *r, size_t max, size_t *len);
/* True when everything was read and nothing failed. */
bool reader_done(const struct reader *r);

/* Grows up to max; zero-initialised with max set. data is malloc'ed and owned. */
struct buf {
    uint8_t *data;
    size_t len, cap, max;
    bool failed;
};

void buf_init(struct buf *b, size_t max);
void buf_free(struct buf *b);
void buf_reset(struct buf *b);
void buf_u8(struct buf *b, uint8_t v);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
void buf_bytes(struct buf *b, const void *data, size_t len);
void buf_text(struct buf *b, const char *text);
void buf_decimal(struct buf *b, uint64_t v);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
/* Terminates (not counted in len) and hands the memory over; NULL when the buffer had failed. */
char *buf_take_text(struct buf *b) MUST_CHECK;

#endif
