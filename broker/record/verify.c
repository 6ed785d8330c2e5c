/* SPDX-License-Identifier: ISC
 * The order: lists, record, tree. Nothing stored is compared with something stored where it can be recomputed. */
#include "record/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "record/verify_parts.h"

void verify_differs(struct verify *v, const char *code, bool note, const char *path, const char *sentence)
{
    struct verify_result *out = v->out;
    if (!note)
        v->failed = true;
    if (out->n == out->cap) {
        size_t cap = out->cap ? out->cap * 2 : 16;
        struct difference *grown = realloc(out->v, cap * sizeof(*grown));
        if (!grown)
            return; /* failed is set: what cannot be told still fails */
        out->v = grown;
        out->cap = cap;
    }
    struct difference *d = &out->v[out->n++];
    *d = (struct difference){.note = note};
    snprintf(d->code, sizeof(d->code), "%s", code);
    d->path = path ? strdup(path) : NULL;
    d->message = strdup(sentence);
}

static int by_path(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return strcmp(x->path, y->path);
}

struct listed *verify_find(struct verify *v, const char *path)
{
    char *key = NULL;
    struct listed want = {0};
    memcpy(&key, &path, sizeof(key)); /* bsearch compares only; the key is never written */
    want.path = key;
    return v->n ? bsearch(&want, v->v, v->n, sizeof(want), by_path) : NULL;
}

int verify_read(struct verify *v, const char *path, uint8_t **data, size_t *len)
{
    struct stat st;
    if (v->packed)
        return verify_packed_read(v, path, data, len);
    AUTO_FD fd = root_openat(&v->root, path, O_RDONLY);
    if (fd < 0) {
        verify_differs(v, errno == ENOENT ? "missing" : "type", false, path,
                       errno == ENOENT ? "the file is missing" : "the name is no plain file of the bag");
        return 1;
    }
    if (fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode)) {
        verify_differs(v, "type", false, path, "the name is no plain file of the bag");
        return 1;
    }
    if (fd_read_all(fd, VERIFY_LIST_BYTES, data, len) == 0)
        return 0;
    if (errno != EFBIG)
        return -1;
    verify_differs(v, "list", false, path, "the file is larger than any list or record can be");
    return 1;
}

static void verify_free(struct verify *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->v[i].path);
    free(v->v);
    free(v->record);
    free(v->block);
    digest_free(&v->digest);
    root_close(&v->root);
}

/* The parts, in order; each goes on where it can, so that one run names every difference. */
static int verify_parts(struct verify *v)
{
    static int (*const parts[])(struct verify *) = {verify_lists, verify_record, verify_tree, verify_signatures,
                                                    verify_rollback};
    v->digest = digest_new();
    v->block = malloc(COPY_BLOCK);
    if (!v->digest || !v->block)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i](v) != 0)
            return -1;
    return 0;
}

static int verify_file(struct verify *v, const char *path)
{
    int rc = packed_open(v->packed, path);
    if (rc == 1) {
        verify_differs(v, "archive", false, NULL, "the file is no tar or zip as sallyport export writes it");
        return 0;
    }
    return rc == 0 ? verify_parts(v) : -1;
}

int verify_bag(const char *path, const struct verify_options *options, struct verify_result *out)
{
    struct packed packed = {.fd = -1};
    struct verify v = {.root.fd = -1, .options = options, .out = out};
    struct stat st;
    *out = (struct verify_result){0};
    int rc = stat(path, &st);
    if (rc == 0 && S_ISREG(st.st_mode)) {
        v.packed = &packed;
        rc = verify_file(&v, path);
    } else if (rc == 0) {
        rc = root_open(&v.root, path, RESOLVE_UNPROBED);
        if (rc == 0)
            rc = verify_parts(&v);
    }
    int error = errno;
    verify_free(&v);
    packed_close(&packed);
    errno = error;
    return rc < 0 ? -1 : v.failed;
}

void verify_result_free(struct verify_result *result)
{
    for (size_t i = 0; i < result->n; i++) {
        free(result->v[i].path);
        free(result->v[i].message);
    }
    free(result->v);
    *result = (struct verify_result){0};
}
