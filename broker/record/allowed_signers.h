/* SPDX-License-Identifier: ISC
 * The operator's list of trusted keys in the allowed_signers form of ssh-keygen(1): principals, options, key. Only
 * Ed25519 keys can match; a line with cert-authority matches nothing. Pure. */
#ifndef SALLYPORT_ALLOWED_SIGNERS_H
#define SALLYPORT_ALLOWED_SIGNERS_H

#include <stddef.h>
#include <stdint.h>

#include "record/ssh_wire.h"

struct allowed_signer {
    char *principals;  /* owned; comma-separated patterns */
    char *namespaces;  /* owned; comma-separated patterns; NULL: any */
    int64_t valid_after, valid_before; /* Unix seconds; 0: not said */
    uint8_t key[ED25519_PUBLIC];
    unsigned line;
};

struct allowed_signers {
    struct allowed_signer *v;
    size_t n;
};

/* 0; or the 1-based number of the first line that is malformed, and an empty list. */
long allowed_signers_parse(struct allowed_signers *list, const char *text, size_t len) MUST_CHECK;
void allowed_signers_free(struct allowed_signers *list);

enum signer_match {
    SIGNER_UNKNOWN = 0,    /* no line names this key */
    SIGNER_OTHER,          /* the key is trusted, for other names */
    SIGNER_NAMESPACE,      /* not for this purpose */
    SIGNER_NOT_YET,        /* valid-after lies behind the time */
    SIGNER_EXPIRED,        /* valid-before lies before the time */
    SIGNER_MATCHES
};

/* The best match of any line. principals receives the patterns of the line that decided, NULL where there is none. */
enum signer_match allowed_signers_match(const struct allowed_signers *list, const uint8_t key[ED25519_PUBLIC],
                                        const char *identity, int64_t time, const char **principals);

#endif
