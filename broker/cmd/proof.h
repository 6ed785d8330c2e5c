/* SPDX-License-Identifier: ISC
 * A proof of the sandbox in a file, for many jobs of one machine: the probes' table, bound to what it is true of. */
#ifndef SALLYPORT_PROOF_H
#define SALLYPORT_PROOF_H

#include "base/jsonw.h"
#include "probe/probe.h"

/* What a proof holds for; another value of any of these and it says nothing. */
struct proof_binding {
    char boot_id[64], kernel[256];
    char program[SHA256_HEX], probe[SHA256_HEX]; /* digests of sallyport and sallyport-probe */
    uint64_t uid;
    int64_t made;                                /* Unix seconds */
};

/* 0 or -1 with errno. probe_fd: the opened sallyport-probe. */
int proof_bind(struct proof_binding *b, int probe_fd) MUST_CHECK;
/* Writes the document to a new file and renames it into place. 0 or -1 with errno. */
int proof_save(const char *path, const struct buf *document) MUST_CHECK;
/* Reads a proof and holds it against this machine, these programs and what is asked. EXIT_OK with the report filled, or an
 * exit code after the reason was said. engine: where the job is to run, which the proof then decides for good; NULL: the
 * built-in runner. */
struct container_engine;
int proof_load(const char *path, const struct run_limits *asked, struct container_engine *engine, struct probe_report *report)
    MUST_CHECK;

#endif
