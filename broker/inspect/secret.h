/* SPDX-License-Identifier: ISC
 * The secret inspector's own nouns. A scan is one file or member; a text is what is looked at in one go: its raw bytes,
 * or a decoded view of some of them, or a view of a view. */
#ifndef SALLYPORT_SECRET_H
#define SALLYPORT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "inspect/inspector.h"
#include "inspect/rule.h"
#include "inspect/secret_db.h"
#include "inspect/secret_trigger.h"

enum {
    SECRET_BLOCK = 256 * 1024, /* decoded at once; where a view is longer, blocks overlap by SECRET_TAIL */
    SECRET_TAIL = 24 * 1024,   /* longer than the longest key and its encoding */
    SECRET_CHAIN = 64,
    SECRET_SEEN = 1024
};

/* A hit that will be said. */
struct secret_record {
    uint32_t rule;
    enum finding_level level;
    uint64_t offset, length;
    char chain[SECRET_CHAIN + 48];
};

/* What hits of a rule have asked for and nobody has looked at yet: matches that start in [from, to). to 0: nothing. */
struct secret_window {
    uint64_t from, to;
    bool listed; /* among the engine's `waiting` */
    uint64_t part, need_from, need_at; /* in this part, what a match holds is not in [need_from, need_at) */
};

/* Made once in the worker's parent; a child has its own copy and never gives anything back. */
struct secret_engine {
    struct rule_table table;
    struct rule_set *rules;
    struct secret_db *db;
    struct secret_gate **gates;          /* per rule, or NULL: what must stand behind its trigger */
    struct gate_step **needs;            /* per rule, or NULL: what every match of it holds */
    uint32_t *shares;                    /* per rule, the next one that a hit of it is told for, too; 0: none */
    uint32_t overlap;                    /* widest trigger and one byte */
    uint8_t *decoded[SECRET_DEPTH + 1];  /* SECRET_BLOCK each, by depth of the view */
    uint8_t *compact[SECRET_DEPTH + 1];  /* the same, of encoded text without its line breaks, by depth of the text */
    uint64_t *next[SECRET_DEPTH + 1];    /* per rule: matches that start before it were decided */
    uint32_t *used[SECRET_DEPTH + 1];    /* the rules whose `next` is not 0 */
    size_t used_n[SECRET_DEPTH + 1];
    struct secret_window *windows;       /* per rule, of the part that is searched */
    uint32_t *waiting;                   /* the rules that have one */
    size_t waiting_n;
    uint64_t parts;                      /* so far */
    uint64_t confirms;                   /* so far: calls of the matcher; what hostile text must not multiply */
    uint64_t scans;                      /* so far: values of another scan are not known in this one */
    bool hits_used;
    uint32_t *hits;                      /* per rule, of this scan; then the same of placeholders */
    struct secret_record *records;       /* FINDINGS_MAX + 1 */
    uint64_t seen[SECRET_SEEN];          /* values that were said already: rule and a keyed hash, never the value */
};

struct secret_engine *secret_engine_new(struct rule_table *take, const uint8_t *stored_db, size_t stored_len,
                                        char *why, size_t why_size) MUST_CHECK;
/* Machine code for what text can keep busy; before it the engine says the same, and slower. Only before confinement. */
void secret_engine_warm(struct secret_engine *engine);
void secret_engine_free(struct secret_engine **engine);
/* One file or member. */
void secret_scan(struct secret_engine *engine, struct inspection *in);

/* --- inside one scan ------------------------------------------------------------------------------- */

struct scan {
    struct secret_engine *engine;
    struct inspection *in;
    size_t records_n;
    uint64_t decoded, decoded_max;
    uint64_t packed_to; /* packed streams that start before it were inflated */
    bool inflates;   /* an unknown binary: packed streams inside it are looked for */
    bool exhausted;  /* the budget of the views; said once */
    bool undecided;  /* a limit of the matcher; said once */
    bool too_many;
};

struct text {
    struct bytes *bytes;
    const uint8_t *p; /* the part that can be read without a call: len bytes at `at` */
    uint64_t at;
    size_t len;
    size_t slack;        /* so many bytes behind the last one can be read, too; they mean nothing */
    unsigned depth;      /* 0: raw */
    const struct text *parent; /* what it was decoded from, NULL: raw */
    const char *name;    /* how: "base64" */
    uint64_t origin, origin_len; /* of a view: where the encoded bytes lie in the file */
};

void secret_text_init(struct text *text, struct bytes *bytes);
/* Bytes at off as far as they can be read in one go; *len is 0 at the end. Moves the part; pointers of before are gone. */
const uint8_t *secret_text_at(struct text *text, uint64_t off, size_t *len);
/* One byte, or -1 at the end. */
int secret_text_byte(struct text *text, uint64_t off);

/* All rules over the text and over its views. */
void secret_scan_text(struct scan *scan, struct text *text);
/* A decoded view of parent's [from, to): scanned, its own views too. 64 bytes behind data can be read. false: the budget is spent. */
bool secret_scan_view(struct scan *scan, struct text *parent, const char *name, const uint8_t *data, size_t len, uint64_t from,
               uint64_t to);

/* Views of the part [*from, to) of a text; *from moves to where it goes on (secret_views.c). state: zero at the start
 * of the text. */
struct views {
    uint64_t at;        /* everything before was looked at */
    uint64_t run;       /* characters of an encoded run that reach `at` */
    uint64_t runs_done; /* runs were decoded up to here */
    uint64_t done[7];   /* by kind: escapes decoded up to here */
};
void secret_views_find(struct scan *scan, struct text *text, struct views *views, uint64_t to, bool last);

/* base64 and hex: the run that holds [start, start + known); returns its end (secret_runs.c). */
uint64_t secret_runs_decode(struct scan *scan, struct text *text, uint64_t start, uint64_t floor);

/* Hex with a colon or a blank behind each two digits, lines of it too, around the pair at off; returns its end. */
uint64_t secret_runs_pairs(struct scan *scan, struct text *text, uint64_t off, uint64_t floor);

/* What a rule's check says of a match. NONE: it has none, or the form is one without. */
enum check_result { CHECK_RESULT_NONE = 0, CHECK_RESULT_HOLDS, CHECK_RESULT_FAILS };
enum check_result secret_check(enum rule_check check, const uint8_t *whole, size_t whole_len, const uint8_t *secret,
                               size_t len);

/* Does the text stand for a credential instead of being one ("xxxxxxxx", "<your-token>", "...EXAMPLE")? */
bool secret_placeholder(const uint8_t *secret, size_t len);
/* The same of a password, which a person chose. */
bool secret_password_placeholder(const uint8_t *secret, size_t len);
/* Is it one of the words that documentation writes in the place of a password? */
bool secret_documentation(const uint8_t *secret, size_t len);
/* Is it one of the values that standards print as examples? */
bool secret_example(const uint8_t *secret, size_t len);
/* Could this be a password or key a person or a generator chose? For what stands behind words like "password". DOUBTFUL:
 * it could, and it could be a name in a program, too. NAME: the name of a constant. */
enum value_grade { VALUE_NONE = 0, VALUE_NAME, VALUE_DOUBTFUL, VALUE_LIKELY };
enum value_grade secret_value(const uint8_t *secret, size_t len);
/* Is at least half of it made of words? */
bool secret_wordy(const uint8_t *secret, size_t len);
/* Shannon entropy in hundredths of a bit per byte. */
uint32_t secret_entropy(const uint8_t *secret, size_t len);

#endif
