/* SPDX-License-Identifier: ISC
 * gzip and zlib (RFC 1950, 1952) inside a text of the secret inspector: in base64, or somewhere in a binary. What is
 * inflated is scanned as a view, under the scan's one budget. A stream that breaks off ends the view, and what came out
 * of it was looked at: who unpacks it gets no more. */
#ifndef SALLYPORT_SECRET_INFLATE_H
#define SALLYPORT_SECRET_INFLATE_H

#include "inspect/secret.h"

struct secret_inflate;

/* NULL: out of memory, which was said (the scan is undecided). from: where the packed bytes begin in the text. */
struct secret_inflate *secret_inflate_new(struct scan *scan, struct text *text, const char *name, uint64_t from) MUST_CHECK;
/* More packed bytes; false: the stream ended, broke off, or the budget is spent. */
bool secret_inflate_feed(struct secret_inflate *inflate, const uint8_t *data, size_t len);
/* The same as base64 of either alphabet, without line breaks. */
bool secret_inflate_base64(struct secret_inflate *inflate, const uint8_t *c, size_t n);
/* Shows what is left; to: where the packed bytes end. */
void secret_inflate_end(struct secret_inflate **inflate, uint64_t to);

/* Do the characters start base64 of a gzip or zlib stream? */
bool secret_inflate_sign64(const uint8_t *c, size_t n);
/* Is it the head of a gzip member, as far as a head can tell? 10 bytes. */
bool secret_inflate_head(const uint8_t p[10]);

#endif
