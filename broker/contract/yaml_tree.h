/* SPDX-License-Identifier: ISC
 * YAML text into a tree that knows the line and column of every key and value. The profile is restricted: one document,
 * UTF-8, no anchors, aliases, tags, directives or merge keys, no duplicate keys, bounded size, depth and nodes. Pure.
 * Source: YAML 1.1 as libyaml reads it; lines and columns are 1-based, columns count characters. */
#ifndef SALLYPORT_YAML_TREE_H
#define SALLYPORT_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "contract/contract_errors.h"

/* NODE_BAD stands where an error was reported already: readers pass over it in silence. */
enum node_kind { NODE_BAD = 0, NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

struct node {
    enum node_kind kind;
    unsigned line, column;
    bool plain;             /* scalar: written without quotes */
    char *text;             /* scalar: terminated, may hold NULs before len; owned by the tree */
    size_t len;
    const struct node *key; /* child of a mapping: its key, a scalar or NODE_BAD */
    struct node *first, *next;
    size_t n;               /* children */
};

enum { NODE_CHUNK = 256, NODE_CHUNKS = CONTRACT_NODES / NODE_CHUNK + 1 };

struct yaml_tree {
    struct node *chunks[NODE_CHUNKS]; /* nodes never move; a small file takes one chunk */
    size_t n;
    struct node *root; /* NULL: nothing to read */
};

/* Reads as much as can be read and adds an error for each violation; root is NULL where nothing sensible is left.
 * 0, or -1 with errno ENOMEM. */
int yaml_tree_parse(const uint8_t *text, size_t len, struct yaml_tree *out, struct contract_errors *errors) MUST_CHECK;
void yaml_tree_free(struct yaml_tree *tree);
/* A plain "", "~" or "null". */
bool node_is_null(const struct node *node);
/* The one of the two that stands later in the text. */
const struct node *node_later(const struct node *a, const struct node *b);
/* The value of a key; NULL: not there. */
const struct node *node_get(const struct node *map, const char *key);

#endif
