/* SPDX-License-Identifier: ISC
 * Recomputes everything in a bag and compares; trusts only keys it is given. Never follows a link, never blocks on a FIFO. */
#ifndef SALLYPORT_VERIFY_H
#define SALLYPORT_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct allowed_signers;

struct verify_options {
    const struct allowed_signers *allowed_signers; /* the only keys that are trusted; NULL: integrity only */
    const char *identity;        /* whose signature is wanted */
    bool transported;
    bool fast;                   /* payload by XXH3-128 alone: finds accidents, proves nothing against people */
    uint64_t at_least;           /* 0: not asked */
    const char *head;            /* NULL: not asked */
};

/* One difference. */
struct difference {
    char code[32];   /* stable: "changed", "missing", "added", "mode", "type", "links", ... */
    bool note;       /* a note does not fail */
    char *path;      /* owned, raw; may be NULL */
    char *message;   /* owned */
};

struct verify_result {
    struct difference *v;
    size_t n, cap;
    uint64_t files, bytes;
    char id[128], decision[16];
    char signers[1024];   /* trusted names whose signature verified; "": none */
    unsigned signatures;  /* signatures in the bag */
    bool signature_bad;   /* one of them is invalid, taken apart or weak */
    bool signer_bad;      /* one is by a key that is not trusted, or the wanted one is missing */
    char tagmanifest_sha256[65], content_sha256[65];
    char name[128];       /* of the contract */
    int64_t started;      /* of the run; Unix seconds */
    uint64_t sequence;    /* in the ledger; 0: not asked for or not there */
};

/* 0: verified (notes possible); 1: at least one difference fails; -1 with errno: it could not be read. */
int verify_bag(const char *path, const struct verify_options *options, struct verify_result *out) MUST_CHECK;

/* A whole destination: the chain of its ledger, every custody event, and every bag in it; paths start with the bag's name. `bags` counts
 * them. As verify_bag(); ENOENT: there is no ledger. */
int verify_destination(const char *path, const struct verify_options *options, struct verify_result *out,
                       size_t *bags) MUST_CHECK;
void verify_result_free(struct verify_result *result);

#endif
