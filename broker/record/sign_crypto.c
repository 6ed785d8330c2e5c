/* SPDX-License-Identifier: ISC */
#include "record/sign_crypto.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef SP_CRYPTO_SONAME
#include <dlfcn.h>

const char sign_crypto_missing[] = "signing and verifying need " SP_CRYPTO_SONAME ", which is not on this system: install OpenSSL 3";

/* false: not all of it was there. */
static bool load(struct sign_crypto *c)
{
    bool good = true;
    void *library = dlopen(SP_CRYPTO_SONAME, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
#define MEMBER(f) \
    { \
        void *at = dlsym(library, #f); \
        good = good && at; \
        memcpy(&c->f, &at, sizeof(at)); \
    }
    SIGN_CRYPTO(MEMBER)
#undef MEMBER
    return good;
}

const struct sign_crypto *sign_crypto(void)
{
    static struct sign_crypto loaded; /* once, and never changed again */
    static bool tried, good;
    if (!tried)
        good = load(&loaded);
    tried = true;
    return good ? &loaded : NULL;
}

#else

const char sign_crypto_missing[] = "";

const struct sign_crypto *sign_crypto(void)
{
    static const struct sign_crypto linked = {
#define MEMBER(f) .f = f,
        SIGN_CRYPTO(MEMBER)
#undef MEMBER
    };
    return &linked;
}

#endif
