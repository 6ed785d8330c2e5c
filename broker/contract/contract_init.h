/* SPDX-License-Identifier: ISC
 * The text of `sallyport init`: a commented contract, with outputs proposed from what a directory holds. Pure: the caller
 * walks. What it writes is read without an error by contract_parse(). */
#ifndef SALLYPORT_CONTRACT_INIT_H
#define SALLYPORT_CONTRACT_INIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct init_file {
    const char *path; /* relative, any bytes; terminated */
    uint64_t size;
};

/* Sorts `files` and writes into `out` (which fails if it is too small: 64 KiB and 1 KiB for each output are plenty). `name` is
 * made to fit the rules of a contract's name; NULL or nothing usable gives "job". Few files of a kind in a directory
 * become exact paths, more become a glob; types come from the extension where that says one, else the output is
 * written as a comment to be completed. At most INIT_OUTPUTS outputs; the rest is counted in a comment. */
void contract_init_write(const char *name, struct init_file *files, size_t n, struct buf *out);

#endif
