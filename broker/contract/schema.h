/* SPDX-License-Identifier: ISC
 * Tables that say which keys a mapping may have and where each value goes. Every violation becomes an error with the
 * place of the key or value; reading goes on after it. Pure. */
#ifndef SALLYPORT_SCHEMA_H
#define SALLYPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/contract.h"
#include "contract/yaml_tree.h"

struct schema {
    struct contract_errors *errors;
    bool no_memory;
};

struct schema_key;
/* Reads a value into the struct at base; the key's offset says where. */
typedef void schema_read(struct schema *s, const struct schema_key *key, const struct node *value, void *base);

enum schema_flag {
    KEY_REQUIRED = 1u << 0,
    KEY_LINES = 1u << 1, /* text may have several lines */
    KEY_RAW = 1u << 2    /* text for a program: any character but NUL */
};

struct schema_key {
    const char *name;
    schema_read *read;
    size_t offset;
    unsigned flags;
    uint64_t min, max;        /* numbers; max 0: no bound but the type's */
    const char *const *words; /* schema_word: ends in NULL; the index is the value */
    size_t has;               /* offset of a bool set when the key is there; 0: none */
};

/* Checks the keys of `map` against the table and reads each value. `what` names the mapping in messages ("an output").
 * False where `map` is no mapping. */
bool schema_map(struct schema *s, const struct node *map, const struct schema_key *keys, size_t n, void *base,
                const char *what);
/* Is it a list (of at least `min`)? Reports where not. */
bool schema_list(struct schema *s, const struct node *value, const char *name, size_t min);
/* Reports at a node; quotes nothing by itself. */
void schema_error(struct schema *s, const struct node *at, const char *fmt, ...) PRINTF(3, 4);
/* An array of n zeroed elements; NULL after noting the lack of memory. */
void *schema_array(struct schema *s, size_t n, size_t size) MUST_CHECK;
/* A copied text that passed the key's rules, else NULL with an error. */
char *schema_take_text(struct schema *s, const char *name, unsigned flags, const struct node *value) MUST_CHECK;
/* Is this a scalar with a value? Reports where not. */
bool schema_scalar(struct schema *s, const char *name, const struct node *value);

schema_read schema_ignore;   /* nothing: the key is known and read elsewhere */
schema_read schema_text;     /* char * */
schema_read schema_texts;    /* struct text_list */
schema_read schema_pairs;    /* struct pair_list */
schema_read schema_bool;     /* bool */
schema_read schema_u64;      /* uint64_t */
schema_read schema_size;     /* uint64_t, bytes */
schema_read schema_duration; /* uint64_t, milliseconds */
schema_read schema_date;     /* int64_t, Unix time of the end of the day */
schema_read schema_word;     /* an enum */
schema_read schema_types;    /* struct type_set */

#endif
