/* SPDX-License-Identifier: ISC
 * The part of libcrypto that reads keys, signs and verifies. Broker. Where the digests are linked statically it is loaded
 * when the first key or signature is met: its relocations cost more than all that a promotion without a key does. */
#ifndef SALLYPORT_SIGN_CRYPTO_H
#define SALLYPORT_SIGN_CRYPTO_H

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

/* Each is called as it is written in OpenSSL's manual: sign_crypto()->EVP_MD_CTX_new(). */
#define SIGN_CRYPTO(X) \
    X(BIO_free) X(BIO_new_mem_buf) X(EVP_DigestSign) X(EVP_DigestSignInit) X(EVP_DigestVerify) X(EVP_DigestVerifyInit) \
    X(EVP_MD_CTX_free) X(EVP_MD_CTX_new) X(EVP_PKEY_free) X(EVP_PKEY_get_base_id) X(EVP_PKEY_get_raw_public_key) \
    X(EVP_PKEY_new_raw_private_key) X(EVP_PKEY_new_raw_public_key) X(PEM_read_bio_PrivateKey)

struct sign_crypto {
#define MEMBER(f) __typeof__(f) *f;
    SIGN_CRYPTO(MEMBER)
#undef MEMBER
};

/* NULL: the library is not on this system; sign_crypto_missing says so and what helps. */
const struct sign_crypto *sign_crypto(void);
extern const char sign_crypto_missing[];

#endif
