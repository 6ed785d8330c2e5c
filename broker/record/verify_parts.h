/* SPDX-License-Identifier: ISC
 * Between the parts of verify: lists, tree and record of one bag. Every read is bounded; every comparison recomputes. */
#ifndef SALLYPORT_VERIFY_PARTS_H
#define SALLYPORT_VERIFY_PARTS_H

#include "base/digest.h"
#include "base/fd.h"
#include "record/packed.h"
#include "record/ssh_wire.h"
#include "record/verify.h"

enum { VERIFY_LIST_BYTES = 256 * 1024 * 1024, VERIFY_DEPTH = 256 };

/* One line of a list, and what the tree showed for it. */
struct listed {
    char *path;               /* owned */
    uint8_t sha256[SHA256_SIZE];
    uint8_t xxh128[XXH128_SIZE];
    bool has_xxh128;
    bool payload;             /* below data/ */
    bool executable;          /* the record says mode 0555 */
    bool in_record;           /* an entry of the record promotes it */
    bool attested;            /* a subject of the statement that is being looked at */
    bool seen;
};

struct verify {
    struct root root;         /* fd -1 where the bag is packed */
    struct packed *packed;    /* NULL: a directory */
    const struct verify_options *options;
    struct verify_result *out;
    struct listed *v;         /* sorted by path */
    size_t n, cap;
    uint8_t *record;          /* bytes of record.json; owned */
    size_t record_len;
    uint8_t contract_sha256[SHA256_SIZE];
    bool has_tagmanifest;
    uint8_t tagmanifest_sha512[SHA512_SIZE];
    int64_t finished;         /* when the record says that the run ended; 0: it does not */
    struct digest_state *digest;
    uint8_t *block;
    bool failed;              /* a difference that is no note */
    bool has_sha256_lists;
};

/* Adds a difference; fmt is a sentence of our own. path may be NULL. */
void verify_differs(struct verify *v, const char *code, bool note, const char *path, const char *sentence);
struct listed *verify_find(struct verify *v, const char *path);

/* Reads one small file of the bag whole. 0; 1 it is not there or not readable as such (a difference was added); -1 errno. */
int verify_read(struct verify *v, const char *path, uint8_t **data, size_t *len);

/* The same for a bag in one file. */
int verify_packed_read(struct verify *v, const char *path, uint8_t **data, size_t *len);
int verify_packed_tree(struct verify *v);
/* The names below signatures/, until each() returns another value than 0. */
int verify_packed_names(struct verify *v, int (*each)(void *ctx, const char *name), void *ctx);

/* What a directory and a packed bag are judged by alike. */
bool verify_is_signature(const char *path);
void verify_mode(struct verify *v, const char *path, mode_t mode, mode_t want);
void verify_bytes(struct verify *v, struct listed *listed, const struct digest *digest);

/* Reads manifest, tag manifest and XXH128 list into v->v. */
int verify_lists(struct verify *v);
/* Walks the tree and compares both ways. */
int verify_tree(struct verify *v);
/* Canonical form, content digest, totals, entries against lists, contract digest. */
int verify_record(struct verify *v);
/* The same, of the bytes in v->record. */
void verify_record_text(struct verify *v);
/* bagit.txt and bag-info.txt, made again from the parsed record and compared byte by byte. */
struct json_t;
void verify_info(struct verify *v, struct json_t *record);
/* Every signature of the bag, against the tag manifest, the statement's subjects and the trusted keys. */
int verify_signatures(struct verify *v);
/* --at-least and --head, against the ledger beside the bag. */
int verify_rollback(struct verify *v);

#endif
