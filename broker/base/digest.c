/* SPDX-License-Identifier: ISC
 * The low-level SHA256_* calls are used on purpose: they skip the provider machinery, whose first fetch costs 1.2 ms
 * in every process, and run the same SHA-NI code. */
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include "base/digest.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct digest_state {
    SHA256_CTX sha;
    XXH3_state_t *xxh;
    uint64_t bytes;
    bool quick;
};

struct digest_state *digest_new(void)
{
    struct digest_state *state = calloc(1, sizeof(*state));
    if (!state)
        return NULL;
    state->xxh = XXH3_createState();
    if (!state->xxh) {
        free(state);
        return NULL;
    }
    digest_reset(state);
    return state;
}

void digest_reset(struct digest_state *state)
{
    SHA256_Init(&state->sha);
    XXH3_128bits_reset(state->xxh);
    state->bytes = 0;
    state->quick = false;
}

void digest_reset_quick(struct digest_state *state)
{
    digest_reset(state);
    state->quick = true;
}

void digest_update(struct digest_state *state, const void *data, size_t len)
{
    if (!state->quick)
        SHA256_Update(&state->sha, data, len);
    XXH3_128bits_update(state->xxh, data, len);
    state->bytes += len;
}

void digest_final(struct digest_state *state, struct digest *out)
{
    XXH128_canonical_t canonical;
    if (state->quick)
        memset(out->sha256, 0, SHA256_SIZE);
    else
        SHA256_Final(out->sha256, &state->sha);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state->xxh));
    memcpy(out->xxh128, canonical.digest, XXH128_SIZE);
    out->bytes = state->bytes;
    digest_reset(state);
}

void digest_free(struct digest_state **state)
{
    if (!*state)
        return;
    XXH3_freeState((*state)->xxh);
    free(*state);
    *state = NULL;
}

void sha256_bytes(const void *data, size_t len, uint8_t out[SHA256_SIZE])
{
    SHA256_CTX sha;
    SHA256_Init(&sha);
    SHA256_Update(&sha, data, len);
    SHA256_Final(out, &sha);
}

void hex_encode(const uint8_t *data, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[data[i] >> 4];
        out[2 * i + 1] = digits[data[i] & 15];
    }
    out[2 * len] = '\0';
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool hex_decode(const char *text, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        int high = hex_value(text[2 * i]);
        int low = high < 0 ? -1 : hex_value(text[2 * i + 1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return text[2 * len] == '\0';
}

bool sha256_equal(const uint8_t a[SHA256_SIZE], const uint8_t b[SHA256_SIZE])
{
    return memcmp(a, b, SHA256_SIZE) == 0;
}
