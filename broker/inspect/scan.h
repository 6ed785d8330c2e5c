/* SPDX-License-Identifier: ISC
 * Sequential reader over the bytes of one file in a worker child: one byte at a time, with look-ahead, over the
 * borders of windows, so that no scanner knows where a window ends. Offsets are absolute. */
#ifndef SALLYPORT_SCAN_H
#define SALLYPORT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/bytes.h"

struct scan {
    struct bytes *bytes; /* borrowed; whoever else reads from it calls scan_forget() before the scan goes on */
    const uint8_t *begin, *p, *end; /* the window and the place in it */
    uint64_t end_at;     /* absolute offset of `end` */
};

void scan_init(struct scan *s, struct bytes *bytes, uint64_t offset);
/* Next window; false at the end of the file. */
bool scan_fill(struct scan *s);
void scan_seek(struct scan *s, uint64_t offset);
/* Drops the window: other calls on the same bytes may have replaced it. */
void scan_forget(struct scan *s);
/* Pointer to the next bytes, *len of them: at least `want` unless the file ends before (want <= BYTES_WINDOW). */
const uint8_t *scan_view(struct scan *s, size_t want, size_t *len);
/* Moves on by n bytes, at most to the end. */
void scan_skip(struct scan *s, uint64_t n);
/* Do the next bytes equal text, without regard to ASCII case where fold is set (text in lower case)? */
bool scan_starts(struct scan *s, const char *text, bool fold);
/* Moves behind the next place of text (1 to 64 bytes, exact); false: the file ended. */
bool scan_past(struct scan *s, const char *text);

static inline uint64_t scan_offset(const struct scan *s)
{
    return s->end_at - (uint64_t)(s->end - s->p);
}

/* The next byte, or -1 at the end. */
static inline int scan_peek(struct scan *s)
{
    return s->p < s->end || scan_fill(s) ? *s->p : -1;
}

static inline int scan_next(struct scan *s)
{
    return s->p < s->end || scan_fill(s) ? *s->p++ : -1;
}

/* ASCII only; locale has no say in what a format means. */
static inline int ascii_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static inline bool ascii_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ascii_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* White space as HTML, XML and CSS agree on it. */
static inline bool ascii_space(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Value of a hexadecimal digit, or -1. */
static inline int hex_value(int c)
{
    return ascii_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
