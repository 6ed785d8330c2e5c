/* SPDX-License-Identifier: ISC
 * A rule file (sallyport-rules(5)), the operator's own text, into a rule table. Pure. */
#ifndef SALLYPORT_RULES_PARSE_H
#define SALLYPORT_RULES_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/ruletable.h"

/* 0 and the rules in *out; -1 with at least one line "NAME:LINE:COLUMN: sentence" in errors, at most
 * CONTRACT_ERRORS, and an empty table. What needs a regular expression engine is checked later, by the worker. */
int rules_parse(const char *name, const uint8_t *text, size_t len, struct rule_table *out, struct buf *errors)
    MUST_CHECK;

#endif
