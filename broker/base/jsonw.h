/* SPDX-License-Identifier: ISC
 * Canonical JSON writer (RFC 8785 subset): sorted keys are the caller's duty and are checked, no floats, integers
 * beyond 2^53-1 as strings, DEL as \u007f, shortest escapes; the bytes equal those of `jq -cS`. Pure. */
#ifndef SALLYPORT_JSONW_H
#define SALLYPORT_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { JSONW_DEPTH = 16, JSONW_KEY_BYTES = 64 };

/* Writes into out. Keys of one object must come in strictly ascending byte order; a violation, too deep a nesting or a
 * string that is not UTF-8 fails the buffer. */
struct jsonw {
    struct buf *out;
    unsigned depth;
    bool first[JSONW_DEPTH];
    bool object[JSONW_DEPTH];
    char last[JSONW_DEPTH][JSONW_KEY_BYTES];
};

void jsonw_init(struct jsonw *j, struct buf *out);
void jsonw_object(struct jsonw *j);
void jsonw_object_end(struct jsonw *j);
void jsonw_array(struct jsonw *j);
void jsonw_array_end(struct jsonw *j);
void jsonw_key(struct jsonw *j, const char *key);
void jsonw_text(struct jsonw *j, const char *text); /* NULL: null */
void jsonw_text_n(struct jsonw *j, const char *text, size_t len);
void jsonw_u64(struct jsonw *j, uint64_t v);
void jsonw_i64(struct jsonw *j, int64_t v);
void jsonw_bool(struct jsonw *j, bool v);
void jsonw_null(struct jsonw *j);
/* Canonical JSON made elsewhere (an embedded document without its LF). */
void jsonw_raw(struct jsonw *j, const char *text, size_t len);

/* key and value in one call */
void jsonw_put_text(struct jsonw *j, const char *key, const char *text);
void jsonw_put_u64(struct jsonw *j, const char *key, uint64_t v);
void jsonw_put_i64(struct jsonw *j, const char *key, int64_t v);
void jsonw_put_bool(struct jsonw *j, const char *key, bool v);

#endif
