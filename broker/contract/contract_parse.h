/* SPDX-License-Identifier: ISC
 * Trusted text into struct contract: libyaml events, a positioned tree, then a schema table. An unknown key is an error. */
#ifndef SALLYPORT_CONTRACT_PARSE_H
#define SALLYPORT_CONTRACT_PARSE_H

#include "base/buf.h"
#include "base/contract.h"

/* Up to CONTRACT_ERRORS complete messages "FILE:LINE:COL: sentence", each followed by the source line and a caret. Source
 * lines are only shown once the caller knows that the text holds no credential, so text and position are kept apart. A
 * sentence quotes words of the text too (escaped and cut): print none of it before that scan either. */
struct contract_error {
    unsigned line, column;  /* 1-based */
    char *sentence;         /* owned; escaped */
};

struct contract_errors {
    struct contract_error v[20];
    size_t n;
    bool more;              /* there were others */
};

/* 0 and *out, or -1 with errors filled (errno EINVAL), or -1 with errno ENOMEM. `file` is the name in messages. */
int contract_parse(const char *file, const uint8_t *text, size_t len, struct contract **out,
                   struct contract_errors *errors) MUST_CHECK;
/* From --take 'report.json=json,2M' arguments; errors carry the argument's position as line. */
int contract_from_takes(char *const *takes, size_t n, struct contract **out, struct contract_errors *errors) MUST_CHECK;
/* Version of the library that reads it. */
const char *contract_library(void);
void contract_free(struct contract **contract);
/* Writes "FILE:LINE:COL: sentence", the source line and a caret for each. */
void contract_errors_print(const struct contract_errors *errors, const char *file, const uint8_t *text, size_t len,
                           struct buf *out);
void contract_errors_free(struct contract_errors *errors);

#endif
