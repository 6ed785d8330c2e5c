/* SPDX-License-Identifier: ISC
 * Base64 (RFC 4648, section 4) in its one strict form: standard alphabet, padded, no blanks. Pure. */
#ifndef SALLYPORT_BASE64_H
#define SALLYPORT_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* wrap: characters on a line, each line ended by LF; 0: one run without LF. */
void base64_encode(struct buf *out, const void *data, size_t len, size_t wrap);
/* malloc'ed with room for one byte more; NULL where the text is not exactly that form (also spare bits that are not zero) or with ENOMEM. */
uint8_t *base64_decode(const char *text, size_t len, size_t *out_len) MUST_CHECK;

#endif
