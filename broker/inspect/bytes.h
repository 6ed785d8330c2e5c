/* SPDX-License-Identifier: ISC
 * Random access to the bytes of one file or member inside a worker child. A file is read through its descriptor in
 * windows, a member that was unpacked lies in memory; scanners see one interface and never map or allocate by a size
 * that the bytes claim. */
#ifndef SALLYPORT_BYTES_H
#define SALLYPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { BYTES_WINDOW = 256 * 1024 };

struct bytes {
    uint64_t size;
    const uint8_t *memory; /* whole content, or NULL: read from fd */
    int fd;                /* borrowed */
    uint64_t base;         /* where the content starts in fd (a stored member of an archive) */
    uint8_t *window;       /* owned, min(size, BYTES_WINDOW) bytes, allocated at first use */
    uint64_t window_at;
    size_t window_len;
};

void bytes_init_memory(struct bytes *b, const void *data, size_t len);
void bytes_init_fd(struct bytes *b, int fd, uint64_t base, uint64_t size);
/* A part of another one, with a window of its own: pointers into `of` stay good. False where it does not lie inside. */
bool bytes_init_slice(struct bytes *b, const struct bytes *of, uint64_t offset, uint64_t len) MUST_CHECK;
void bytes_free(struct bytes *b);

/* Pointer to exactly len contiguous bytes at offset, or NULL when they are not all there (or a read failed: the child
 * ends, which refuses). len is at most BYTES_WINDOW. Good until the next call on the same bytes. */
const uint8_t *bytes_at(struct bytes *b, uint64_t offset, size_t len) MUST_CHECK;
/* As many bytes as are there, up to BYTES_WINDOW: *len is 0 at the end. The loop of a sequential scanner. */
const uint8_t *bytes_chunk(struct bytes *b, uint64_t offset, size_t *len) MUST_CHECK;
/* Copies exactly len bytes out; false when they are not all there. */
bool bytes_copy(struct bytes *b, uint64_t offset, void *out, size_t len) MUST_CHECK;
/* Line, from 1, of the byte at offset (or of the end). 0: more than fit. Reads all that stands before: for findings. */
uint32_t bytes_line(struct bytes *b, uint64_t offset);

#endif
