/* SPDX-License-Identifier: ISC
 * The secret inspector's place in the first reader, and the default rules as they are embedded at build time
 * (rules/rules_embedded.c, written by rules/compile_rules). */
#ifndef SALLYPORT_SECRET_FIRST_H
#define SALLYPORT_SECRET_FIRST_H

#include <stddef.h>

#include "inspect/inspector.h"

extern const unsigned char rules_table[]; /* a sealed rule table */
extern const size_t rules_table_len;
extern const unsigned char rules_database[]; /* secret_db_store() of it */
extern const size_t rules_database_len;

/* Loads the default rules and, where rules_fd is not -1, the sealed table behind it; compiles everything executable. */
int secret_setup(int rules_fd) MUST_CHECK;
void secret_inspect(struct inspection *in);

#endif
