/* SPDX-License-Identifier: ISC
 * What the digests are made with, for the record. A file of its own: who does not ask links less of OpenSSL. */
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/digest.h"

void digest_libraries(char openssl[32], char xxhash[32])
{
    unsigned v = XXH_versionNumber();
#ifdef SP_CRYPTO_SONAME /* the part that digests is in this program */
    snprintf(openssl, 32, "%s", OPENSSL_FULL_VERSION_STR);
#else
    snprintf(openssl, 32, "%s", OpenSSL_version(OPENSSL_FULL_VERSION_STRING));
#endif
    snprintf(xxhash, 32, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
}
