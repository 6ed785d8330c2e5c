/* SPDX-License-Identifier: ISC
 * Is this path listed, and as what? Pure. Globs are those of base/glob.h; a literal path is never a pattern. */
#ifndef SALLYPORT_CONTRACT_MATCH_H
#define SALLYPORT_CONTRACT_MATCH_H

#include "base/contract.h"
#include "base/glob.h"

/* The exact path, else the first glob that matches and does not exclude it; NULL: unlisted. *hidden: a glob matched but
 * for a leading dot. */
const struct output *contract_match(const struct contract *contract, const char *path, bool *hidden);
/* Could an output match something below this directory? "" is the root. */
bool contract_enter(const struct contract *contract, const char *dir);
/* Is this directory left out for its leading dot alone? To be reported. */
bool contract_hides(const struct contract *contract, const char *dir);

#endif
