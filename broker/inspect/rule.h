/* SPDX-License-Identifier: ISC
 * Secret rules compiled for matching. Everything executable is made by rule_set_warm(), before confinement; matching
 * afterwards compiles for the interpreter alone. Only rule.c knows PCRE2. */
#ifndef SALLYPORT_RULE_H
#define SALLYPORT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/ruletable.h"

struct rule_set;

/* The table is borrowed and must stay. Most patterns are never needed, and compiled, each with its right guard, when they
 * are. all: every one now, and warm, for rules that were not compiled before; NULL: `why` says which rule and what is
 * wrong with it. */
struct rule_set *rule_set_new(const struct rule_table *table, bool all, char *why, size_t why_size) MUST_CHECK;
/* Makes machine code of the patterns that text can keep busy. A pattern that fails here is compiled again when it is
 * needed, and undecided then. */
void rule_set_warm(struct rule_set *set);
void rule_set_free(struct rule_set **set);

/* UNDECIDED: a limit was reached. It is not NO: whoever gets it refuses. */
enum match_result { MATCH_NO = 0, MATCH_YES, MATCH_UNDECIDED };

struct match {
    size_t start, end;               /* the whole match */
    size_t secret_start, secret_end; /* the first group where the pattern has one that took part, else the whole */
};

/* First match that starts in [from, last], its left guard included. What lies in front of `from` is context. */
enum match_result rule_match(const struct rule_set *set, size_t rule, const uint8_t *subject, size_t len, size_t from,
                             size_t last, struct match *match) MUST_CHECK;

/* May a token start here? Besides the guard's own alphabet it knows what only looks like a neighbour: the letter of
 * \n, the m that ends a terminal colour. */
bool rule_left_clear(enum rule_guard guard, const uint8_t *subject, size_t start);

/* "10.42 2022-12-11"; a copy of the library's own words. */
const char *rule_engine_version(void);

#endif
