/* SPDX-License-Identifier: ISC
 * Collecting errors while a contract is read. Whatever of the text a sentence quotes is escaped and cut here. Pure. */
#ifndef SALLYPORT_CONTRACT_ERRORS_H
#define SALLYPORT_CONTRACT_ERRORS_H

#include <stddef.h>

#include "base/compiler.h"
#include "contract/contract_parse.h"

/* A piece of the text fit for a sentence; longer ones end in "...". */
struct quoted {
    char text[200];
};
struct quoted contract_quote(const char *text, size_t len);

/* Adds one error; beyond CONTRACT_ERRORS, or without memory, `more` is set instead. */
void contract_errors_add(struct contract_errors *errors, unsigned line, unsigned column, const char *fmt, ...)
    PRINTF(4, 5);
/* By line and column; of one place in the order they were found. */
void contract_errors_sort(struct contract_errors *errors);

#endif
