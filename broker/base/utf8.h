/* SPDX-License-Identifier: ISC
 * Strict UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF. Pure. */
#ifndef SALLYPORT_UTF8_H
#define SALLYPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the sequence at p and its code point; 0 where there is none (left is at least 1). */
size_t utf8_decode(const uint8_t *p, size_t left, uint32_t *code);
/* Length of the run of printable ASCII (0x20 to 0x7E) that p starts with: most text is nothing else. */
size_t utf8_plain(const uint8_t *p, size_t len);
bool utf8_valid(const uint8_t *p, size_t len);
/* C0, DEL, C1, line and paragraph separators: they act on terminals and line-based tools. */
bool utf8_is_control(uint32_t code);
/* Bidirectional controls, zero-width and other format characters, tags, variation selectors: no reader sees them. */
bool utf8_is_format(uint32_t code);

#endif
