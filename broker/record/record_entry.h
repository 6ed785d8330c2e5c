/* SPDX-License-Identifier: ISC
 * The parts of the record that are about one object, and small shared writers. Pure. */
#ifndef SALLYPORT_RECORD_ENTRY_H
#define SALLYPORT_RECORD_ENTRY_H

#include "base/jsonw.h"
#include "record/record.h"

void record_pairs(struct jsonw *j, const char *key, const struct pair_list *pairs);
void record_texts(struct jsonw *j, const char *key, const struct text_list *list);
/* "handoff" and its object: what a person who takes over must know. */
void record_handoff(struct jsonw *j, const struct record *r);
/* One element of content.entries. */
void record_entry(struct jsonw *j, const struct item *item);
/* One element of run.sources: what the source carried and how stable it was. */
void record_source_facts(struct jsonw *j, const struct item *item);
/* "fetch" and its object. */
void record_fetch(struct jsonw *j, const struct fetch_line *fetch);
void record_findings(struct jsonw *j, const struct finding_list *list);
/* key, and a name with hostile bytes in the record's form; adds key_escaped when it was needed. */
void record_name(struct jsonw *j, const char *key, const char *escaped_key, const char *name);
void record_hex(struct jsonw *j, const char *key, const uint8_t *data, size_t len);
/* Seconds since the epoch as "2026-11-29T18:00:00Z". */
void record_time(struct jsonw *j, const char *key, int64_t seconds);
/* The same of a contract's date: 0 is none, and null. */
void record_date(struct jsonw *j, const char *key, int64_t seconds);
const char *record_kind_name(enum object_kind kind);
const char *record_stability_name(enum stability stability);

#endif
