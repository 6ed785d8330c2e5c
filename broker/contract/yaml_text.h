/* SPDX-License-Identifier: ISC
 * Writing strings into YAML text of our own. Pure. */
#ifndef SALLYPORT_YAML_TEXT_H
#define SALLYPORT_YAML_TEXT_H

#include "base/buf.h"

/* The string in double quotes, whatever it holds; `text` is UTF-8 (see utf8_valid). */
void yaml_text_quote(struct buf *out, const char *text, size_t len);
/* Without quotes where it reads as the same string without them. */
void yaml_text_plain(struct buf *out, const char *text, size_t len);

#endif
