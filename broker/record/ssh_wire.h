/* SPDX-License-Identifier: ISC
 * The two shapes of RFC 4251, section 5, that keys and signatures of OpenSSH are made of. Pure. */
#ifndef SALLYPORT_SSH_WIRE_H
#define SALLYPORT_SSH_WIRE_H

#include "base/buf.h"

enum { ED25519_PUBLIC = 32, ED25519_SIGNATURE = 64, SHA512_SIZE = 64 };

uint32_t ssh_u32(struct reader *r);
/* A length and so many bytes; NULL once the reader has failed. */
const uint8_t *ssh_string(struct reader *r, size_t *len);
/* Is the next string exactly this text? */
bool ssh_string_is(struct reader *r, const char *text);
void ssh_put_u32(struct buf *out, uint32_t v);
void ssh_put_string(struct buf *out, const void *data, size_t len);
void ssh_put_text(struct buf *out, const char *text);

/* The public key as OpenSSH writes it: "ssh-ed25519" and 32 bytes. */
void ssh_put_public(struct buf *out, const uint8_t key[ED25519_PUBLIC]);
/* False where the blob is not exactly one such key. */
bool ssh_public_decode(const uint8_t *blob, size_t len, uint8_t key[ED25519_PUBLIC]);

#endif
