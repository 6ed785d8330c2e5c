/* SPDX-License-Identifier: ISC
 * In a worker child: hostile bytes through one window. A failed read or a file that is shorter than the broker said
 * ends the child: ending without DONE is the refusal. */
#include "inspect/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum {
    EXIT_READ = 74,
    /* After a jump: headers far apart cost a small read each, not a whole window. */
    JUMP_BYTES = 16 * 1024
};

void bytes_init_memory(struct bytes *b, const void *data, size_t len)
{
    static const uint8_t nothing[1];
    *b = (struct bytes){.size = len, .memory = len > 0 ? data : nothing, .fd = -1};
}

void bytes_init_fd(struct bytes *b, int fd, uint64_t base, uint64_t size)
{
    *b = (struct bytes){.size = size, .fd = fd, .base = base};
}

bool bytes_init_slice(struct bytes *b, const struct bytes *of, uint64_t offset, uint64_t len)
{
    if (offset > of->size || len > of->size - offset)
        return false;
    if (of->memory)
        bytes_init_memory(b, of->memory + offset, (size_t)len);
    else
        bytes_init_fd(b, of->fd, of->base + offset, len);
    return true;
}

void bytes_free(struct bytes *b)
{
    free(b->window);
    b->window = NULL;
    b->window_len = 0;
}

/* Fills the window so that it holds [offset, offset + len), which is known to lie inside. */
static void window_fill(struct bytes *b, uint64_t offset, size_t len)
{
    bool onward = offset >= b->window_at && offset <= b->window_at + b->window_len;
    size_t want = onward || len > JUMP_BYTES ? BYTES_WINDOW : JUMP_BYTES;
    uint64_t start = offset;
    /* A reader that goes backwards finds what comes next in the window too. */
    if (b->window_len > 0 && offset < b->window_at)
        start = offset + len > want ? offset + len - want : 0;
    if (want > b->size - start)
        want = (size_t)(b->size - start);
    if (!b->window) {
        b->window = malloc(b->size < BYTES_WINDOW ? (size_t)b->size : BYTES_WINDOW);
        if (!b->window)
            _exit(EXIT_READ);
    }
    if (fd_pread_full(b->fd, b->window, want, b->base + start) != 0)
        _exit(EXIT_READ);
    b->window_at = start;
    b->window_len = want;
}

const uint8_t *bytes_at(struct bytes *b, uint64_t offset, size_t len)
{
    if (len > BYTES_WINDOW || offset > b->size || len > b->size - offset)
        return NULL;
    if (b->memory)
        return b->memory + offset;
    if (len == 0)
        return (const uint8_t *)"";
    if (offset < b->window_at || offset - b->window_at > b->window_len ||
        len > b->window_len - (size_t)(offset - b->window_at))
        window_fill(b, offset, len);
    return b->window + (offset - b->window_at);
}

const uint8_t *bytes_chunk(struct bytes *b, uint64_t offset, size_t *len)
{
    uint64_t left = offset < b->size ? b->size - offset : 0;
    *len = left < BYTES_WINDOW ? (size_t)left : BYTES_WINDOW;
    return *len > 0 ? bytes_at(b, offset, *len) : (const uint8_t *)"";
}

bool bytes_copy(struct bytes *b, uint64_t offset, void *out, size_t len)
{
    if (offset > b->size || len > b->size - offset)
        return false;
    uint8_t *at = out;
    while (len > 0) {
        size_t step = len < BYTES_WINDOW ? len : BYTES_WINDOW;
        const uint8_t *from = bytes_at(b, offset, step);
        if (!from)
            return false;
        memcpy(at, from, step);
        at += step;
        offset += step;
        len -= step;
    }
    return true;
}

/* A sum of bytes over blocks, which compilers turn into vector instructions. */
static uint64_t count_lines(const uint8_t *p, size_t len)
{
    enum { BLOCK = 64 };
    uint64_t lines = 0;
    size_t i = 0;
    for (; len - i >= BLOCK; i += BLOCK) {
        uint8_t sum = 0;
        for (size_t k = 0; k < BLOCK; k++)
            sum = (uint8_t)(sum + (p[i + k] == '\n'));
        lines += sum;
    }
    for (; i < len; i++)
        lines += p[i] == '\n';
    return lines;
}

uint32_t bytes_line(struct bytes *b, uint64_t offset)
{
    uint64_t lines = 1, end = offset < b->size ? offset : b->size;
    size_t len = 0;
    for (uint64_t at = 0; at < end; at += len) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        if (len == 0)
            break;
        lines += count_lines(p, len < end - at ? len : (size_t)(end - at));
    }
    return lines < UINT32_MAX ? (uint32_t)lines : 0;
}
