/* SPDX-License-Identifier: ISC
 * DEST/ledger.jsonl: an append-only hash chain of promotions and refusals. Each line is canonical JSON and carries the
 * SHA-256 of the line before (with its LF; 64 zeros at first). */
#ifndef SALLYPORT_LEDGER_H
#define SALLYPORT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"

#define LEDGER_NAME "ledger.jsonl"
#define LEDGER_PENDING ".sallyport-pending"
#define LEDGER_NEW ".sallyport-ledger"
#define LEDGER_MENDED "mended" /* the event of a line that took the place of a torn one; it is not signed */

struct ledger_line {
    const char *id, *name, *decision;
    int64_t time;
    uint8_t content_sha256[SHA256_SIZE], tagmanifest_sha256[SHA256_SIZE];
    /* Of a custody event; else NULL. */
    const char *event, *text, *keyid, *signature;
};

/* Appends under the caller's lock of the destination. *sequence and head (hex) of the new line. 0 or -1 with errno (EILSEQ: the chain
 * is broken). */
int ledger_append(int dest_fd, const struct ledger_line *line, uint64_t *sequence, char head[SHA256_HEX]) MUST_CHECK;
/* What the signer of a custody event signs: the line without its place in the chain and its signature. */
void ledger_event_bytes(struct buf *out, const struct ledger_line *line);

/* Between the rename of a bag and its ledger line lies one crash. Its name is noted first, as a link that leads
 * nowhere, and forgotten after the line. Best effort where the filesystem has no links: then there is no repair. */
void ledger_pending_set(int dest_fd, const char *bag);
void ledger_pending_clear(int dest_fd);
/* The noted name; false: none. */
bool ledger_pending(int dest_fd, char *bag, size_t size);

/* What a torn last line was. */
struct ledger_torn {
    uint64_t sequence;   /* of the line that says so */
    char bag[256];       /* the bag that it was about, where that much of it had been written; "" not known */
};

/* Sets a torn last line aside, under the caller's lock: the line in its place carries its size, digest and beginning.
 * 1 done, 0 nothing to do, -1 with errno (EILSEQ: this is no line of ours that lost its end). */
int ledger_mend(int dest_fd, int64_t time, struct ledger_torn *torn) MUST_CHECK;

struct ledger_entry {
    uint64_t sequence;
    int64_t time;
    char *id, *name, *decision;              /* owned; decision "" of an event */
    char *event, *text, *keyid, *signature;  /* owned; NULL but for an event */
    uint8_t content_sha256[SHA256_SIZE], tagmanifest_sha256[SHA256_SIZE];
    uint8_t digest[SHA256_SIZE];             /* of the line with its LF */
};

struct ledger {
    struct ledger_entry *v;
    size_t n, cap;
    char fault[128];      /* what is wrong with the line behind the last good one; "": nothing */
};

/* Reads the whole chain and checks it. 0 good; 1 broken, `fault` says how, the good lines are there; -1 with errno (ENOENT: there is no
 * ledger). */
int ledger_load(int dest_fd, struct ledger *out) MUST_CHECK;
/* The same of its text. */
int ledger_parse(struct ledger *out, const char *text, size_t len) MUST_CHECK;
/* Does the text of the ledger hold this id at all? Cheap; true where it cannot be read. */
bool ledger_mentions(int dest_fd, const char *id);
/* Is every name in the destination the ledger's: itself, our own private names, bags of its lines? 0 yes; 1 no, with the
 * first other name (that of the ledger where the chain is broken); -1 with errno (ENOENT: there is no ledger). */
int ledger_accounts(int dest_fd, char stranger[256]) MUST_CHECK;
void ledger_free(struct ledger *ledger);
/* The line of the bag with this tag manifest, NULL where there is none. */
const struct ledger_entry *ledger_of_bag(const struct ledger *ledger, const uint8_t tagmanifest_sha256[SHA256_SIZE]);
/* Was the id published before? A refused one may be used again. */
bool ledger_id_used(const struct ledger *ledger, const char *id);

#endif
