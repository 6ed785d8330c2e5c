/* SPDX-License-Identifier: ISC
 * A table of secret rules as data: what a rule file says, before anything is compiled. It crosses from the build to the
 * worker (embedded) and from the broker to the worker (FRAME_RULES) in one sealed binary form. See sallyport-rules(5).
 * Pure. */
#ifndef SALLYPORT_RULETABLE_H
#define SALLYPORT_RULETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/finding.h"

/* What may not stand beside a match. WORD: letters, digits, underscore. BASE64: those and + / - (and = on the right:
 * on the left it is the sign between a name and its value). */
enum rule_guard { GUARD_NONE = 0, GUARD_WORD, GUARD_BASE64, GUARD_COUNT };

/* How false alarms are told apart. TOKEN: placeholders are noted, not refused. VALUE: what stands behind a word like
 * "password" must look like a credential. PASSWORD: as TOKEN, and the words that documentation writes in the place of one
 * are noted, too. RAW: the pattern alone decides. */
enum rule_kind { KIND_TOKEN = 0, KIND_VALUE, KIND_PASSWORD, KIND_RAW, KIND_COUNT };

/* What can be verified without a network. The functions are in inspect/secret_check.c. */
enum rule_check {
    CHECK_NONE = 0,
#define CHECK(sym, name) CHECK_##sym,
#include "base/checks.def"
#undef CHECK
    CHECK_COUNT
};

struct rule {
    char *id;       /* [a-z0-9][a-z0-9-]*, at most RULE_ID_MAX */
    char *about;    /* one sentence */
    char *pattern;  /* PCRE2, bytes; the first group, where there is one, is the secret */
    char *trigger;  /* regular expression of bounded width that matches at the start of every match; NULL: the pattern */
    enum finding_level level;
    enum rule_guard left, right;
    enum rule_kind kind;
    enum rule_check check;
    bool must;          /* a failed check drops the match: for structures, never for checksums */
    uint32_t entropy;   /* least Shannon entropy of the secret, hundredths of a bit per byte; 0: not asked */
    uint32_t max;       /* longest match in bytes; 0: the pattern's own width, which must then be bounded */
    uint32_t lead;      /* most bytes of a match in front of its trigger */
    uint32_t width;     /* widest match of the trigger; computed when the triggers are compiled, 0 before */
};

struct rule_table {
    struct rule *v;
    size_t n;
    uint8_t seal[32]; /* of the sealed form that it was decoded from, as long as nothing was moved into it; else zero */
};

/* The default rules in the sealed form, embedded at build time in whoever links them; the last 32 bytes are the digest. */
extern const unsigned char rules_table[];
extern const size_t rules_table_len;

/* The sealed form: magic, version, count, rules, SHA-256 over all of it. Fails the buffer. */
void rule_table_encode(const struct rule_table *table, struct buf *out);
/* False, with an empty table, on anything that is not exactly one sealed table. */
bool rule_table_decode(struct rule_table *table, const uint8_t *data, size_t len);
/* Moves the rules of `from` behind those of `to`. 0, or -1 with ENOMEM or E2BIG. */
int rule_table_move(struct rule_table *to, struct rule_table *from) MUST_CHECK;
const struct rule *rule_table_find(const struct rule_table *table, const char *id);
void rule_clear(struct rule *rule);
void rule_table_free(struct rule_table *table);

bool rule_id_valid(const char *id);
/* By name, or the COUNT value of the enum. */
enum rule_guard rule_guard_named(const char *name);
enum rule_kind rule_kind_named(const char *name);
enum rule_check rule_check_named(const char *name);
const char *rule_guard_name(enum rule_guard guard);
const char *rule_kind_name(enum rule_kind kind);
const char *rule_check_name(enum rule_check check);

#endif
