/* SPDX-License-Identifier: ISC
 * Streaming SHA-256 and XXH3-128 over one pass. SHA-256 is evidence; XXH3 only answers "same bytes?".
 * Sources: FIPS 180-4; the xxHash specification (canonical, big-endian form). */
#ifndef SALLYPORT_DIGEST_H
#define SALLYPORT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { SHA256_SIZE = 32, XXH128_SIZE = 16, SHA256_HEX = 65, XXH128_HEX = 33 };

struct digest {
    uint8_t sha256[SHA256_SIZE];
    uint8_t xxh128[XXH128_SIZE]; /* canonical byte order */
    uint64_t bytes;              /* how many bytes went in */
};

struct digest_state;

/* NULL with errno ENOMEM. */
struct digest_state *digest_new(void) MUST_CHECK;
void digest_reset(struct digest_state *state);
/* The same, for XXH3-128 alone: SHA-256 of this one pass comes out as zeros. */
void digest_reset_quick(struct digest_state *state);
void digest_update(struct digest_state *state, const void *data, size_t len);
void digest_final(struct digest_state *state, struct digest *out);
void digest_free(struct digest_state **state);

/* Versions of the libraries behind it: "openssl 3.0.15", "xxhash 0.8.1". */
void digest_libraries(char openssl[32], char xxhash[32]);

void sha256_bytes(const void *data, size_t len, uint8_t out[SHA256_SIZE]);
/* Lower-case hex; out holds 2 * len + 1 bytes. */
void hex_encode(const uint8_t *data, size_t len, char *out);
/* Exactly 2 * len hex digits of either case, terminated; false otherwise. */
bool hex_decode(const char *text, uint8_t *out, size_t len);
bool sha256_equal(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE]);

#endif
