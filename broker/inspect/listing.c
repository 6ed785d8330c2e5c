/* SPDX-License-Identifier: ISC */
#include "inspect/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static bool listing_room(struct listing *list)
{
    if (list->failed || list->n >= list->max)
        return false;
    if (list->n < list->cap)
        return true;
    size_t cap = list->cap ? list->cap * 2 : 64;
    void *grown = realloc(list->v, cap * sizeof(*list->v));
    if (!grown)
        return false;
    list->v = grown;
    list->cap = cap;
    return true;
}

static void entry_digest(const char *name, size_t len, uint64_t size, enum object_kind kind, uint8_t out[SHA256_SIZE])
{
    struct buf entry;
    uint8_t fixed[1 + 8];
    fixed[0] = (uint8_t)kind;
    for (int i = 0; i < 8; i++)
        fixed[1 + i] = (uint8_t)(size >> (8 * i));
    buf_init(&entry, sizeof(fixed) + len);
    buf_bytes(&entry, fixed, sizeof(fixed));
    buf_bytes(&entry, name, len);
    sha256_bytes(entry.data, entry.failed ? 0 : entry.len, out);
    buf_free(&entry);
}

void listing_add(struct listing *list, const void *name, size_t len, uint64_t size, enum object_kind kind)
{
    const char *at = name;
    while (len >= 2 && at[0] == '.' && at[1] == '/') {
        at += 2;
        len -= 2;
    }
    while (len > 0 && at[len - 1] == '/')
        len--;
    if (len == 0 || (len == 1 && at[0] == '.'))
        return;
    if (!listing_room(list)) {
        list->failed = true;
        return;
    }
    entry_digest(at, len, kind == OBJECT_FILE ? size : 0, kind, list->v[list->n]);
    list->n++;
}

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, SHA256_SIZE);
}

bool listing_finish(struct listing *list, uint8_t sha256[SHA256_SIZE], uint64_t *count)
{
    bool whole = !list->failed;
    if (list->n > 1)
        qsort(list->v, list->n, sizeof(*list->v), by_digest);
    sha256_bytes(list->v, list->n * sizeof(*list->v), sha256);
    *count = list->n;
    listing_free(list);
    return whole;
}

void listing_free(struct listing *list)
{
    free(list->v);
    *list = (struct listing){.max = list->max};
}
