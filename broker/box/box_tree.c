/* SPDX-License-Identifier: ISC
 * Digest of a base or of an input that the job gets a copy of. Runs in the broker; follows no link, reads only plain
 * files, bounded in depth and number. */
#include "box/box_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/limits.h"

struct names {
    char **v;
    size_t n;
};

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    free(names->v);
}

static int compare_name(const void *a, const void *b)
{
    char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static int add_name(struct names *names, const char *name)
{
    if ((names->n & (names->n - 1)) == 0) { /* grows at every power of two */
        size_t cap = names->n ? 2 * names->n : 1;
        char **grown = realloc(names->v, cap * sizeof *grown);
        if (!grown)
            return -1;
        names->v = grown;
    }
    names->v[names->n] = strdup(name);
    return names->v[names->n] ? (names->n++, 0) : -1;
}

static int list_names(int fd, struct names *names, uint64_t *left)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    int rc = dir ? 0 : -1;
    if (!dir)
        fd_close(&own);
    errno = 0;
    for (struct dirent *e; rc == 0 && (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (*left == 0) {
            errno = E2BIG;
            rc = -1;
        } else {
            --*left;
            rc = add_name(names, e->d_name);
        }
    }
    if (rc == 0 && errno != 0)
        rc = -1;
    int saved = errno;
    if (dir)
        closedir(dir);
    errno = saved;
    if (rc == 0 && names->n)
        qsort(names->v, names->n, sizeof *names->v, compare_name);
    return rc;
}

static int file_digest(int fd, uint8_t out[32])
{
    AUTO_FREE uint8_t *block = malloc(COPY_BLOCK);
    struct digest_state *state = digest_new();
    struct digest d;
    ssize_t n = -1;
    uint64_t at = 0;
    if (block && state)
        while ((n = pread(fd, block, COPY_BLOCK, (off_t)at)) > 0) {
            digest_update(state, block, (size_t)n);
            at += (uint64_t)n;
        }
    if (state && n == 0)
        digest_final(state, &d);
    if (state)
        digest_free(&state);
    if (n != 0)
        return -1;
    memcpy(out, d.sha256, sizeof d.sha256);
    return 0;
}

static int directory_digest(int fd, unsigned depth, uint64_t *left, uint8_t out[32]);

static int entry_digest(int dir, const char *name, mode_t mode, unsigned depth, uint64_t *left, uint8_t out[32])
{
    memset(out, 0, 32);
    if (S_ISLNK(mode)) {
        char target[PATH_BYTES + 1];
        ssize_t n = readlinkat(dir, name, target, sizeof target);
        if (n < 0)
            return -1;
        sha256_bytes(target, (size_t)n, out);
    } else if (S_ISREG(mode) || S_ISDIR(mode)) {
        AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0)
            return -1;
        return S_ISREG(mode) ? file_digest(fd, out) : directory_digest(fd, depth + 1, left, out);
    }
    return 0;
}

static int directory_digest(int fd, unsigned depth, uint64_t *left, uint8_t out[32])
{
    struct names names = {0};
    struct digest_state *state = digest_new();
    struct digest d;
    int rc = state ? list_names(fd, &names, left) : -1;
    if (rc == 0 && depth >= WALK_DEPTH_MAX) {
        errno = E2BIG;
        rc = -1;
    }
    for (size_t i = 0; rc == 0 && i < names.n; i++) {
        struct stat st;
        char head[32];
        uint8_t sub[32];
        rc = fstatat(fd, names.v[i], &st, AT_SYMLINK_NOFOLLOW);
        if (rc == 0)
            rc = entry_digest(fd, names.v[i], st.st_mode, depth, left, sub);
        if (rc != 0)
            break;
        int n = snprintf(head, sizeof head, "%o %o ", st.st_mode & S_IFMT, st.st_mode & 07777);
        digest_update(state, head, (size_t)n);
        digest_update(state, names.v[i], strlen(names.v[i]) + 1);
        digest_update(state, sub, sizeof sub);
    }
    int saved = errno;
    if (rc == 0) {
        digest_final(state, &d);
        memcpy(out, d.sha256, sizeof d.sha256);
    }
    if (state)
        digest_free(&state);
    names_free(&names);
    errno = saved;
    return rc;
}

int tree_digest(int fd, uint8_t out[32])
{
    struct stat st;
    uint64_t left = BOX_TREE_ENTRIES;
    if (fstat(fd, &st) < 0)
        return -1;
    return S_ISDIR(st.st_mode) ? directory_digest(fd, 0, &left, out) : file_digest(fd, out);
}
