/* SPDX-License-Identifier: ISC
 * Both processes. Paths that a case-insensitive or normalising filesystem would merge. A trie over folded components,
 * held in one hash table keyed by (parent, component): a path costs its length, however deep it is. The seed is this
 * process's address layout, so that names cannot be chosen to meet in one slot. */
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/limits.h"

struct node {
    char *folded, *exact; /* one allocation, at folded */
    size_t index;
    uint32_t parent;      /* number of a node plus one; 0: the root */
    bool directory;
};

struct path_set {
    struct node *nodes;
    uint32_t *slots; /* number of a node plus one; 0: free */
    size_t n, cap, slots_n;
    uint64_t seed;
};

struct path_set *path_set_new(void)
{
    struct path_set *set = calloc(1, sizeof(*set));
    if (set)
        set->seed = (uint64_t)(uintptr_t)set ^ (uint64_t)(uintptr_t)&errno << 20;
    return set;
}

void path_set_free(struct path_set **set)
{
    if (!*set)
        return;
    for (size_t i = 0; i < (*set)->n; i++)
        free((*set)->nodes[i].folded);
    free((*set)->nodes);
    free((*set)->slots);
    free(*set);
    *set = NULL;
}

/* The slot that holds (parent, folded), or the free one where it belongs. */
static size_t slot_of(const struct path_set *set, uint32_t parent, const char *folded, size_t len)
{
    size_t mask = set->slots_n - 1;
    size_t at = (size_t)XXH3_64bits_withSeed(folded, len, set->seed + parent) & mask;
    while (set->slots[at]) {
        const struct node *node = &set->nodes[set->slots[at] - 1];
        if (node->parent == parent && strlen(node->folded) == len && memcmp(node->folded, folded, len) == 0)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static int grow(struct path_set *set)
{
    size_t cap = set->cap ? set->cap * 2 : 64;
    if (set->n < set->cap)
        return 0;
    if (cap > PATH_SET_MAX) {
        errno = E2BIG;
        return -1;
    }
    struct node *nodes = realloc(set->nodes, cap * sizeof(*nodes));
    if (!nodes)
        return -1;
    set->nodes = nodes;
    uint32_t *slots = calloc(cap * 2, sizeof(*slots));
    if (!slots)
        return -1;
    free(set->slots);
    set->slots = slots;
    set->slots_n = cap * 2;
    set->cap = cap;
    for (size_t i = 0; i < set->n; i++)
        slots[slot_of(set, nodes[i].parent, nodes[i].folded, strlen(nodes[i].folded))] = (uint32_t)i + 1;
    return 0;
}

struct piece {
    const char *folded, *exact;
    size_t folded_len, exact_len;
    bool directory;
};

/* Finds or adds one component; *parent becomes its number. As path_set_add(). */
static int add_piece(struct path_set *set, const struct piece *p, size_t index, uint32_t *parent, size_t *other)
{
    if (grow(set) < 0)
        return -1;
    size_t slot = slot_of(set, *parent, p->folded, p->folded_len);
    if (set->slots[slot]) {
        const struct node *node = &set->nodes[set->slots[slot] - 1];
        bool same = strlen(node->exact) == p->exact_len && memcmp(node->exact, p->exact, p->exact_len) == 0;
        *other = node->index;
        *parent = set->slots[slot];
        return same && node->directory == p->directory ? 0 : 1;
    }
    char *text = malloc(p->folded_len + p->exact_len + 2);
    if (!text)
        return -1;
    char *exact = text + p->folded_len + 1;
    memcpy(text, p->folded, p->folded_len);
    text[p->folded_len] = '\0';
    memcpy(exact, p->exact, p->exact_len);
    exact[p->exact_len] = '\0';
    set->nodes[set->n++] = (struct node){text, exact, index, *parent, p->directory};
    *parent = set->slots[slot] = (uint32_t)set->n;
    return 0;
}

int path_set_add(struct path_set *set, const char *path, size_t len, bool directory, size_t index, size_t *other)
{
    AUTO_FREE char *folded = path_fold(path, len);
    if (!folded)
        return -1;
    const char *fold_at = folded;
    uint32_t parent = 0;
    /* Folding neither makes nor removes a '/', so both sides have the same components. */
    for (size_t at = 0; at <= len;) {
        const char *slash = memchr(path + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - path) : len, fold_len = strcspn(fold_at, "/");
        struct piece piece = {fold_at, path + at, fold_len, end - at, slash || directory};
        int rc = add_piece(set, &piece, index, &parent, other);
        if (rc != 0)
            return rc;
        at = end + 1;
        fold_at += fold_len + (fold_at[fold_len] == '/');
    }
    return 0;
}
