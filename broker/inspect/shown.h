/* SPDX-License-Identifier: ISC
 * What a scanner made of packed or interleaved bytes, shown to the search for credentials under a label, in windows
 * that overlap so that none cuts a credential in two. */
#ifndef SALLYPORT_SHOWN_H
#define SALLYPORT_SHOWN_H

#include "inspect/inspector.h"

enum { SHOWN_LABEL = 96 };

struct shown {
    struct inspection *in;
    uint8_t *data; /* owned */
    size_t len, old; /* old: carried over from the window before */
    char label[SHOWN_LABEL];
};

/* False: no memory. */
bool shown_init(struct shown *s, struct inspection *in) MUST_CHECK;
void shown_free(struct shown *s);
/* What comes from here on stands under another label: fixed words and numbers, with "!" first. */
void shown_under(struct shown *s, const char *fmt, ...) PRINTF(2, 3);
void shown_bytes(struct shown *s, const void *data, size_t len);
void shown_byte(struct shown *s, uint8_t byte);
/* Shows what is still there. */
void shown_flush(struct shown *s);

#endif
