/* SPDX-License-Identifier: ISC
 * Messages for people. Hostile bytes are always escaped: whatever goes through here is safe on a terminal. */
#ifndef SALLYPORT_SAY_H
#define SALLYPORT_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/compiler.h"

/* Appends `text` so that no byte can act on a terminal: printable UTF-8 stays, everything else (controls, format and
 * bidirectional characters, invalid bytes, backslash) becomes \xHH. */
void say_escape(struct buf *out, const char *text, size_t len);
/* The record's form of a name: valid UTF-8 stays as it is; otherwise invalid bytes become \xHH and a backslash \\, and
 * *escaped is true. malloc'ed; NULL with ENOMEM. */
char *say_path_text(const char *path, size_t len, bool *escaped) MUST_CHECK;

/* "sallyport: " and a line on standard error. %s arguments must be our own or escaped with say_name(). */
void say(const char *fmt, ...) PRINTF(1, 2);
/* An escaped copy for %s; malloc'ed, to be freed by the caller. */
char *say_name(const char *text) MUST_CHECK;
/* The same sentence, formatted, into out[size], for a caller who says it later. Returns -1 with errno set to error. */
int say_fault(char *out, size_t size, int error, const char *fmt, ...) PRINTF(4, 5);

/* "1.5 MiB", "12 bytes". out holds 32 bytes. */
void say_size(uint64_t bytes, char out[32]);

#endif
