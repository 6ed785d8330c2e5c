/* SPDX-License-Identifier: ISC
 * Between the files of export: the members of one verified bag, and one way to read them. */
#ifndef SALLYPORT_EXPORT_PRIVATE_H
#define SALLYPORT_EXPORT_PRIVATE_H

#include "base/digest.h"
#include "base/fd.h"
#include "record/export.h"
#include "record/packed.h"

struct export_member {
    char *path;        /* owned */
    uint8_t sha256[SHA256_SIZE];
    bool executable;
    uint64_t size;
};

struct export {
    struct root root;
    char top[256];     /* NAME-ID */
    uint8_t tagmanifest[SHA256_SIZE]; /* that was verified */
    int64_t time;
    struct export_member *v;  /* ascending by path */
    size_t n, cap;
    struct digest_state *digest;
    uint8_t *block;
};

/* The top directory, data/, and then each member, as packed_tar_head() wants them. name is PACKED_NAME long. */
void export_head(const struct export *e, const char *path, const struct export_member *member, char *name,
                 struct packed_head *head);
/* Calls put() with every byte of the member. EILSEQ: the bytes are not those that were verified. */
int export_read(struct export *e, const struct export_member *member, int (*put)(void *ctx, const void *data, size_t len),
                void *ctx) MUST_CHECK;

int export_tar(struct export *e, int (*put)(void *ctx, const void *data, size_t len), void *ctx) MUST_CHECK;
int export_zip(struct export *e, int fd) MUST_CHECK;
int export_dir(struct export *e, int dir) MUST_CHECK;
int export_oci(struct export *e, int dir) MUST_CHECK;
/* ENODATA: nobody signed the bag. */
int export_sigstore(struct export *e, int dir) MUST_CHECK;

#endif
