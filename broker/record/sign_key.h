/* SPDX-License-Identifier: ISC
 * A signing key: an Ed25519 private key in a file (PKCS#8 PEM or OpenSSH, not encrypted), or one that ssh-agent holds
 * and a public key file names. Broker, and opened only after the last worker has ended. Key bytes are wiped when freed. */
#ifndef SALLYPORT_SIGN_KEY_H
#define SALLYPORT_SIGN_KEY_H

#include "record/ssh_wire.h"

enum { SIGN_WHY = 256, KEY_FILE_BYTES = 64 * 1024 };

struct sign_key;

/* NULL with errno, and a sentence of our own in `why` that names no byte of the file. */
struct sign_key *sign_key_open(const char *path, char why[SIGN_WHY]) MUST_CHECK;
/* Is there somebody to sign with it: a private half in the file, or an agent to ask? 0 or -1 with errno and `why`. */
int sign_key_usable(const struct sign_key *key, char why[SIGN_WHY]) MUST_CHECK;
const uint8_t *sign_key_public(const struct sign_key *key);
int sign_key_sign(const struct sign_key *key, const void *data, size_t len, uint8_t signature[ED25519_SIGNATURE],
                  char why[SIGN_WHY]) MUST_CHECK;
void sign_key_close(struct sign_key **key);

/* Is this the signature of the data by that key? */
bool sign_key_verify(const uint8_t public_key[ED25519_PUBLIC], const void *data, size_t len,
                     const uint8_t signature[ED25519_SIGNATURE]);
void sign_key_sha512(const void *data, size_t len, uint8_t out[SHA512_SIZE]);

#endif
