/* SPDX-License-Identifier: ISC
 * The large sections of a contract, each read by a file of its own into the struct contract that is being made. */
#ifndef SALLYPORT_CONTRACT_SECTIONS_H
#define SALLYPORT_CONTRACT_SECTIONS_H

#include "contract/schema.h"

schema_read contract_read_outputs; /* base: struct contract */
schema_read contract_read_run;     /* base: struct contract */
/* A path of the sandbox for `name`: the grammar holds. NULL with an error, or without memory. */
char *contract_take_path(struct schema *s, const char *name, const struct node *value) MUST_CHECK;
char *contract_take_glob(struct schema *s, const char *name, const struct node *value) MUST_CHECK;
/* A contract with every default in place and no outputs; NULL with errno ENOMEM. */
struct contract *contract_new(void) MUST_CHECK;
/* Defaults of one output. */
void contract_output_init(struct output *output);
/* Sets the unset: members of passive types where `inside` names none. */
void contract_output_finish(struct output *output);

#endif
