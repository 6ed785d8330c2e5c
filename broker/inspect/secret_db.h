/* SPDX-License-Identifier: ISC
 * All triggers in one Vectorscan database. Only secret_db.c knows <hs.h>. A stored database is loaded only when its
 * header says that it was made here, for this machine, by this library, of exactly these rules: the library itself
 * loads a foreign one and calls it success. */
#ifndef SALLYPORT_SECRET_DB_H
#define SALLYPORT_SECRET_DB_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/ruletable.h"

struct secret_db;

enum { SECRET_DB_ALIGN = 64 }; /* the library reads its automata by the cache line */

/* Fills in `width` and, where it is 0, `max` of each rule from the expressions. false: why says which rule cannot be
 * used and what helps. Takes 0.1 ms a rule: done where rules are compiled, never at start-up. */
bool secret_db_measure(struct rule_table *table, char *why, size_t why_size) MUST_CHECK;
/* NULL: why. Half a second for some hundred rules. */
struct secret_db *secret_db_compile(const struct rule_table *table, char *why, size_t why_size) MUST_CHECK;
/* Writes header and database, to be kept at an address that is a multiple of SECRET_DB_ALIGN. seal: of the sealed table
 * that it belongs to. Fails the buffer. */
void secret_db_store(const struct secret_db *db, const uint8_t seal[32], struct buf *out);
/* Uses what was stored where it is, without a copy: it must stay. NULL when it is not exactly ours, is damaged, or does
 * not lie at such an address. */
struct secret_db *secret_db_load(const uint8_t *data, size_t len, const uint8_t seal[32]) MUST_CHECK;
void secret_db_free(struct secret_db **db);
const char *secret_db_version(void);

/* The first rule with the sign of this one, for which a hit of both is told; itself where it shares none. */
size_t secret_db_first(const struct rule_table *table, size_t rule);

/* Called for each trigger's end, with the number of rules as rule for the head of a gzip member (4 bytes); nothing else
 * may be scanned inside. */
typedef int secret_hit(unsigned rule, unsigned long long from, unsigned long long to, unsigned flags, void *context);
/* 0, or -1: it could not be scanned, which refuses. */
int secret_db_scan(const struct secret_db *db, const uint8_t *data, size_t len, secret_hit *hit, void *context)
    MUST_CHECK;

#endif
