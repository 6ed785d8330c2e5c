/* SPDX-License-Identifier: ISC
 * SSHSIG, the signature format of ssh-keygen -Y (OpenSSH, PROTOCOL.sshsig), with Ed25519 and SHA-512 only. Pure. */
#ifndef SALLYPORT_SSHSIG_H
#define SALLYPORT_SSHSIG_H

#include "record/ssh_wire.h"

#define SSHSIG_NAMESPACE "sallyport"
enum { SSHSIG_TEXT_MAX = 16 * 1024 }; /* an armored Ed25519 signature has 300 bytes */

enum sshsig_fault {
    SSHSIG_OK = 0,
    SSHSIG_MALFORMED,
    SSHSIG_WEAK,      /* another kind of key or another digest: what we do not accept */
    SSHSIG_NAMESPACE_FOREIGN
};

struct sshsig {
    uint8_t public_key[ED25519_PUBLIC];
    uint8_t signature[ED25519_SIGNATURE];
};

/* What the key signs: magic, namespace, digest name and the SHA-512 of the message. */
void sshsig_signed_bytes(struct buf *out, const uint8_t sha512[SHA512_SIZE]);
/* The armored file. */
void sshsig_armor(struct buf *out, const struct sshsig *sig);
/* Reads exactly one armored signature. */
enum sshsig_fault sshsig_read(const char *text, size_t len, struct sshsig *out);
const char *sshsig_fault_text(enum sshsig_fault fault);

#endif
