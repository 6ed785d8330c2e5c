/* SPDX-License-Identifier: ISC */
#include "record/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"

static struct packed_member *room(struct packed *packed)
{
    if (packed->n == packed->cap) {
        size_t cap = packed->cap ? packed->cap * 2 : 64;
        struct packed_member *grown = realloc(packed->v, cap * sizeof(*grown));
        if (!grown)
            return NULL;
        packed->v = grown;
        packed->cap = cap;
    }
    return &packed->v[packed->n];
}

/* The first member is the top directory, the second data/; then files in ascending order. */
static bool in_order(const struct packed *packed, const char *path, bool directory)
{
    if (packed->n == 0)
        return directory && !*path;
    if (packed->n == 1)
        return directory && strcmp(path, "data") == 0;
    return !directory && path_grammar(path, strlen(path)) == PATH_OK &&
           (packed->n == 2 || strcmp(packed->v[packed->n - 1].path, path) < 0);
}

int packed_add(struct packed *packed, const struct packed_head *head, uint64_t at)
{
    size_t len = strlen(head->name), top = strlen(packed->top);
    bool directory = len > 0 && head->name[len - 1] == '/';
    if (packed->n == 0) {
        if (len < 2 || len > sizeof(packed->top) || strchr(head->name, '/') != head->name + len - 1)
            return 1;
        memcpy(packed->top, head->name, len - 1);
        packed->time = head->time;
        top = len - 1;
    }
    if (len <= top || memcmp(head->name, packed->top, top) != 0 || head->name[top] != '/' || head->time != packed->time)
        return 1;
    char *path = strdup(head->name + top + 1);
    struct packed_member *member = path ? room(packed) : NULL;
    if (!member) {
        free(path);
        return -1;
    }
    if (directory && *path)
        path[strlen(path) - 1] = '\0';
    if (!in_order(packed, path, directory)) {
        free(path);
        return 1;
    }
    *member = (struct packed_member){.path = path, .at = at, .size = head->size, .directory = directory,
                                     .executable = head->executable, .crc = head->crc};
    packed->n++;
    return 0;
}

int packed_open(struct packed *packed, const char *path)
{
    struct stat st;
    uint8_t magic[4];
    *packed = (struct packed){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (packed->fd < 0 || fstat(packed->fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(magic))
        return 1;
    if (fd_pread_full(packed->fd, magic, sizeof(magic), 0) != 0)
        return -1;
    packed->zip = memcmp(magic, "PK\3\4", sizeof(magic)) == 0;
    int rc = packed->zip ? packed_read_zip(packed, (uint64_t)st.st_size) : packed_read_tar(packed, (uint64_t)st.st_size);
    return rc == 0 && packed->n < 3 ? 1 : rc;
}

void packed_close(struct packed *packed)
{
    for (size_t i = 0; i < packed->n; i++)
        free(packed->v[i].path);
    free(packed->v);
    fd_close(&packed->fd);
    *packed = (struct packed){.fd = -1};
}

const struct packed_member *packed_find(const struct packed *packed, const char *path)
{
    size_t low = 2, high = packed->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(packed->v[middle].path, path);
        if (order == 0)
            return &packed->v[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
