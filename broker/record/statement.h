/* SPDX-License-Identifier: ISC
 * The in-toto Statement v1 over one bag, with a Simple Verification Result 0.2 as its predicate: its subjects are every
 * promoted file and the lists and record that bind the rest. Pure. */
#ifndef SALLYPORT_STATEMENT_H
#define SALLYPORT_STATEMENT_H

#include "record/bag.h"

#define STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define STATEMENT_PREDICATE "https://in-toto.io/attestation/svr/v0.2"

struct statement {
    const struct bag_list *subjects; /* sorted by path; data/ files and tag files */
    const char *record;              /* record.json */
    size_t record_len;
    int64_t time;                    /* when it was said; Unix seconds */
};

/* Is this tag file a subject? What is below data/ always is. */
bool statement_subject_tag(const char *path);
/* Appends the statement as canonical JSON. Fails the buffer where the record is none. */
void statement_write(struct buf *out, const struct statement *statement);

/* What a statement that was read says. */
struct statement_read {
    struct bag_list subjects; /* in the order of the statement; path and sha256 are set */
    char predicate[128];
};

/* False: no statement of in-toto v1 whose subjects all have a name and a SHA-256. */
bool statement_parse(const char *text, size_t len, struct statement_read *out);
void statement_read_free(struct statement_read *read);

#endif
