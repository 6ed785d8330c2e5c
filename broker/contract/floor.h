/* SPDX-License-Identifier: ISC
 * The inside of a floor, shared by the file that reads it and the file that holds contracts against it. Bounds are kept
 * in the structs that contracts use, so that one offset reads both; whether a key is there is asked of the tree. */
#ifndef SALLYPORT_FLOOR_H
#define SALLYPORT_FLOOR_H

#include "contract/contract_floor.h"
#include "contract/yaml_tree.h"

struct contract_floor {
    char *file;
    uint8_t sha256[SHA256_SIZE];
    struct yaml_tree tree;
    struct contract bounds; /* limits, names, hard_links, symlinks, partial, strict */
    struct output output;   /* types, max, inside, require_* */
    struct text_list codes, approvers, require;
    uint64_t days;
    bool has_rules;
    uint8_t rules[SHA256_SIZE];
    uint64_t signatures;
    unsigned fetch;         /* its one word is refuse */
};

#endif
