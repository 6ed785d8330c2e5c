/* SPDX-License-Identifier: ISC
 * The secret inspector's place in the first reader, and the trigger database of the default rules as it is embedded at
 * build time (written by sallyport-rules). */
#ifndef SALLYPORT_SECRET_FIRST_H
#define SALLYPORT_SECRET_FIRST_H

#include <stddef.h>

#include "base/ruletable.h"
#include "inspect/inspector.h"

extern const unsigned char rules_database[]; /* secret_db_store() of rules_table */
extern const size_t rules_database_len;

/* Loads the default rules and, where rules_fd is not -1, the sealed table behind it. */
int secret_setup(int rules_fd) MUST_CHECK;
/* Makes machine code: a millisecond that is well spent where there is more to look at than a short text. */
void secret_warm(void);
void secret_inspect(struct inspection *in);

#endif
