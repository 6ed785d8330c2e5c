/* SPDX-License-Identifier: ISC
 * Is this path listed, and as what? Pure. `*` and `?` never match '/', `**` only as a whole component, `[...]` a class,
 * no braces; a dotfile only matches a component that starts with a dot. */
#ifndef SALLYPORT_CONTRACT_MATCH_H
#define SALLYPORT_CONTRACT_MATCH_H

#include "base/contract.h"

/* The exact path, else the first glob that matches and does not exclude it; NULL: unlisted. *hidden: a glob matched but
 * for a leading dot. */
const struct output *contract_match(const struct contract *contract, const char *path, bool *hidden);
/* Could an output match something below this directory? */
bool contract_enter(const struct contract *contract, const char *dir);
bool glob_match(const char *glob, const char *path, bool *hidden);
/* Is this a well-formed glob? */
bool glob_valid(const char *glob, size_t len);

#endif
