/* SPDX-License-Identifier: ISC
 * The two files that one signer adds to a bag: SSHSIG over the tag manifest, and the same signer's in-toto statement in a
 * DSSE envelope. Broker; the key is opened after the last worker has ended. */
#ifndef SALLYPORT_SIGN_H
#define SALLYPORT_SIGN_H

#include "record/sign_key.h"
#include "record/statement.h"

enum { KEYID_BYTES = SHA256_HEX };

/* SHA-256 of the public key as OpenSSH writes it, in hex: the fingerprint of ssh-keygen -l in another alphabet. */
void sign_keyid(const uint8_t public_key[ED25519_PUBLIC], char keyid[KEYID_BYTES]);

struct sign_input {
    const char *tagmanifest;
    size_t tagmanifest_len;
    const struct bag_list *payload; /* data/ files */
    const struct bag_list *tags;    /* the files of the tag manifest */
    const char *record;
    size_t record_len;
    int64_t time;
};

struct sign_output {
    char keyid[KEYID_BYTES];
    struct buf sshsig, dsse;
};

/* 0, or -1 with errno and a sentence. The output is to be freed in either case. */
int sign_make(const struct sign_key *key, const struct sign_input *input, struct sign_output *out,
              char why[SIGN_WHY]) MUST_CHECK;
void sign_output_free(struct sign_output *out);

/* Adds a signature to a published bag that has just been verified; touches nothing else in it. tagmanifest_sha256 is what
 * verify_bag() reported: other bytes than those are never signed. 0; 1: this key has signed it before; -1 with errno and
 * a sentence. */
int sign_bag(const char *path, const struct sign_key *key, const char *tagmanifest_sha256, int64_t time,
             char keyid[KEYID_BYTES], char why[SIGN_WHY]) MUST_CHECK;

#endif
