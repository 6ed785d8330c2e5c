/* SPDX-License-Identifier: ISC
 * The floor: what an organisation demands of every contract. A contract may only be tighter. The file has the profile
 * and the errors of a contract; its keys are in sallyport-contract(5), "The floor". Pure. */
#ifndef SALLYPORT_CONTRACT_FLOOR_H
#define SALLYPORT_CONTRACT_FLOOR_H

#include "contract/contract_parse.h"

struct contract_floor;

/* As contract_parse(); errors are about the floor's own text. */
int contract_floor_parse(const char *file, const uint8_t *text, size_t len, struct contract_floor **out,
                         struct contract_errors *errors) MUST_CHECK;
void contract_floor_free(struct contract_floor **floor);

/* Holds a contract against the floor. 0, or -1 with errors placed in the contract's text, each naming the floor's file
 * and line too (errno EINVAL), or -1 with errno ENOMEM. `now` in Unix time decides how long an accept may still last. */
int contract_floor_check(const struct contract_floor *floor, const struct contract *contract, int64_t now,
                         struct contract_errors *errors) MUST_CHECK;

/* What only the caller can hold against the run: signatures that a bag must get (0: none), the digest of the rules (false:
 * any), and the line of a top-level key for the message (0: not there). */
uint64_t contract_floor_signatures(const struct contract_floor *floor);
bool contract_floor_rules(const struct contract_floor *floor, uint8_t sha256[SHA256_SIZE]);
unsigned contract_floor_line(const struct contract_floor *floor, const char *key);
/* Of the floor's bytes; for the record. */
const uint8_t *contract_floor_sha256(const struct contract_floor *floor);

#endif
