/* SPDX-License-Identifier: ISC
 * See shown.h. Runs in the confined child on hostile bytes. */
#include "inspect/shown.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

bool shown_init(struct shown *s, struct inspection *in)
{
    *s = (struct shown){.in = in, .data = malloc(SHOWN_WINDOW)};
    return s->data != NULL;
}

void shown_free(struct shown *s)
{
    free(s->data);
    s->data = NULL;
}

void shown_flush(struct shown *s)
{
    if (s->len > s->old)
        inspect_loose(s->in, s->label, s->data, s->len);
    s->len = s->old = 0;
}

void shown_under(struct shown *s, const char *fmt, ...)
{
    va_list args;
    shown_flush(s);
    va_start(args, fmt);
    (void)vsnprintf(s->label, sizeof(s->label), fmt, args);
    va_end(args);
}

static void window_full(struct shown *s)
{
    inspect_loose(s->in, s->label, s->data, s->len);
    memmove(s->data, s->data + s->len - SHOWN_OVERLAP, SHOWN_OVERLAP);
    s->len = s->old = SHOWN_OVERLAP;
}

void shown_bytes(struct shown *s, const void *data, size_t len)
{
    const uint8_t *p = data;
    while (len > 0) {
        size_t room = SHOWN_WINDOW - s->len, n = len < room ? len : room;
        memcpy(s->data + s->len, p, n);
        s->len += n;
        p += n;
        len -= n;
        if (s->len == SHOWN_WINDOW)
            window_full(s);
    }
}

void shown_byte(struct shown *s, uint8_t byte)
{
    s->data[s->len++] = byte;
    if (s->len == SHOWN_WINDOW)
        window_full(s);
}
