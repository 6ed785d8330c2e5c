/* SPDX-License-Identifier: ISC
 * DEST/ledger.jsonl: an append-only hash chain of promotions and refusals. Each line is canonical JSON and carries the
 * SHA-256 of the line before (with its LF; 64 zeros at first). */
#ifndef SALLYPORT_LEDGER_H
#define SALLYPORT_LEDGER_H

#include <stdint.h>

#include "base/digest.h"

struct ledger_line {
    const char *id, *name, *decision;
    int64_t time;
    uint8_t content_sha256[SHA256_SIZE], tagmanifest_sha256[SHA256_SIZE];
};

/* Appends under the caller's lock of the destination. *sequence and head (hex) of the new line. 0 or -1 with errno (EILSEQ: the chain
 * is broken). */
int ledger_append(int dest_fd, const struct ledger_line *line, uint64_t *sequence, char head[SHA256_HEX]) MUST_CHECK;

#endif
