/* SPDX-License-Identifier: ISC
 * Canonical JSON writer (RFC 8785 subset): sorted keys are the caller's duty and are checked, no floats, integers
 * beyond 2^53-1 as strings, DEL as \u007f, shortest escapes; the bytes equal those of `jq -cS`. Pure. */
#ifndef SALLYPORT_JSON_H
#define SALLYPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { JSON_DEPTH = 16, JSON_KEY_BYTES = 64 };

/* Writes into out. Keys of one object must come in strictly ascending byte order; a violation, too deep a nesting or a
 * string that is not UTF-8 fails the buffer. */
struct json {
    struct buf *out;
    unsigned depth;
    bool first[JSON_DEPTH];
    bool object[JSON_DEPTH];
    char last[JSON_DEPTH][JSON_KEY_BYTES];
};

void json_init(struct json *j, struct buf *out);
void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *text); /* NULL: null */
void json_text_n(struct json *j, const char *text, size_t len);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* Canonical JSON made elsewhere (an embedded document without its LF). */
void json_raw(struct json *j, const char *text, size_t len);

/* key and value in one call */
void json_put_text(struct json *j, const char *key, const char *text);
void json_put_u64(struct json *j, const char *key, uint64_t v);
void json_put_i64(struct json *j, const char *key, int64_t v);
void json_put_bool(struct json *j, const char *key, bool v);

#endif
