/* SPDX-License-Identifier: ISC */
#include "record/bag_around.h"
#include "record/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "record/bag.h"
#include "record/export_private.h"

static int add(struct export *e, const char *path, const uint8_t sha256[SHA256_SIZE])
{
    struct stat st;
    if (e->n == e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 64;
        struct export_member *grown = realloc(e->v, cap * sizeof(*grown));
        if (!grown)
            return -1;
        e->v = grown;
        e->cap = cap;
    }
    AUTO_FD fd = root_openat(&e->root, path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    errno = EILSEQ;
    if (!S_ISREG(st.st_mode))
        return -1;
    struct export_member *member = &e->v[e->n];
    *member = (struct export_member){.path = strdup(path), .size = (uint64_t)st.st_size,
                                     .executable = (st.st_mode & 0111) != 0};
    if (!member->path)
        return -1;
    memcpy(member->sha256, sha256, SHA256_SIZE);
    e->n++;
    return 0;
}

/* A file that no list binds: its digest is taken here, and held to when it is copied. */
static int read_small(struct export *e, const char *path, uint8_t **data, size_t *len, uint8_t sha256[SHA256_SIZE])
{
    AUTO_FD fd = root_openat(&e->root, path, O_RDONLY);
    if (fd < 0 || fd_read_all(fd, (size_t)GIB, data, len) != 0)
        return -1;
    sha256_bytes(*data, *len, sha256);
    return 0;
}

static int add_listed(struct export *e, const struct bag_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (add(e, list->v[i].path, list->v[i].sha256) != 0)
            return -1;
    return 0;
}

/* Reads one list, whose own digest must be `want`, and adds what it lists; the list itself is added where `own`. */
static int add_list(struct export *e, const char *path, const uint8_t *want, bool own, uint8_t manifest[SHA256_SIZE])
{
    uint8_t *text = NULL, sha256[SHA256_SIZE];
    size_t len = 0;
    struct bag_list list = {0};
    if (read_small(e, path, &text, &len, sha256) != 0)
        return -1;
    errno = EILSEQ;
    int rc = sha256_equal(sha256, want) ? bag_list_parse(&list, (const char *)text, len) : -1;
    free(text);
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        if (strcmp(list.v[i].path, "manifest-sha256.txt") == 0)
            memcpy(manifest, list.v[i].sha256, SHA256_SIZE);
    if (rc == 0)
        rc = add_listed(e, &list);
    if (rc == 0 && own)
        rc = add(e, path, sha256);
    bag_list_free(&list);
    return rc;
}

static int add_signatures(struct export *e)
{
    int fd = root_openat(&e->root, "signatures", O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        fd_close(&fd);
        return -1;
    }
    int rc = 0;
    struct dirent *entry;
    while (rc == 0 && (entry = readdir(dir)) != NULL) {
        char path[PATH_BYTES];
        uint8_t *text = NULL, sha256[SHA256_SIZE];
        size_t len;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "signatures/%s", entry->d_name);
        rc = read_small(e, path, &text, &len, sha256);
        free(text);
        if (rc == 0)
            rc = add(e, path, sha256);
    }
    closedir(dir);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    const struct export_member *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static int gather(struct export *e, const char *bag, const struct verify_result *verified)
{
    uint8_t unused[SHA256_SIZE], manifest[SHA256_SIZE] = {0};
    snprintf(e->top, sizeof(e->top), "%s-%s", verified->name, verified->id);
    e->time = verified->started;
    e->digest = digest_new();
    e->block = malloc(COPY_BLOCK);
    errno = EILSEQ;
    if (!e->digest || !e->block || strchr(e->top, '/') || e->top[0] == '.' ||
        !hex_decode(verified->tagmanifest_sha256, e->tagmanifest, SHA256_SIZE))
        return -1;
    if (root_open(&e->root, bag, RESOLVE_UNPROBED) != 0 ||
        add_list(e, "tagmanifest-sha256.txt", e->tagmanifest, true, manifest) != 0 ||
        add_list(e, "manifest-sha256.txt", manifest, false, unused) != 0 || add_signatures(e) != 0)
        return -1;
    qsort(e->v, e->n, sizeof(*e->v), by_path);
    return 0;
}

void export_head(const struct export *e, const char *path, const struct export_member *member, char *name,
                 struct packed_head *head)
{
    snprintf(name, PACKED_NAME, "%s/%s%s", e->top, path, member || !*path ? "" : "/");
    *head = (struct packed_head){.name = name, .size = member ? member->size : 0, .time = e->time,
                                 .executable = member && member->executable};
}

int export_read(struct export *e, const struct export_member *member, int (*put)(void *ctx, const void *data, size_t len),
                void *ctx)
{
    struct digest digest;
    uint64_t left = member->size;
    AUTO_FD fd = root_openat(&e->root, member->path, O_RDONLY);
    if (fd < 0)
        return -1;
    digest_reset(e->digest);
    for (;;) {
        ssize_t n = read(fd, e->block, COPY_BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || (uint64_t)n > left) {
            if (n < 0)
                return -1;
            left = n > 0 ? UINT64_MAX : left;
            break;
        }
        left -= (uint64_t)n;
        digest_update(e->digest, e->block, (size_t)n);
        if (put(ctx, e->block, (size_t)n) != 0)
            return -1;
    }
    digest_final(e->digest, &digest);
    errno = EILSEQ;
    return left == 0 && sha256_equal(digest.sha256, member->sha256) ? 0 : -1;
}

static int put_fd(void *ctx, const void *data, size_t len)
{
    return fd_write_full(*(const int *)ctx, data, len);
}

static int fill_file(struct export *e, enum export_form form, int fd)
{
    int rc = form == EXPORT_TAR ? export_tar(e, put_fd, &fd) : export_zip(e, fd);
    return rc == 0 ? fsync(fd) : rc;
}

static int write_named(struct export *e, enum export_form form, int parent, const char *temporary, const char *name)
{
    AUTO_FD fd = openat(parent, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    int rc = fill_file(e, form, fd);
    if (rc == 0)
        rc = linkat(parent, temporary, parent, name, 0);
    if (rc != 0 && (errno == EPERM || errno == ENOTSUP || errno == EOPNOTSUPP)) /* no links here: then by name alone */
        return renameat(parent, temporary, parent, name);
    int error = errno;
    (void)unlinkat(parent, temporary, 0);
    errno = error;
    return rc;
}

/* A file without a name leaves nothing where this run is ended, and a link replaces nothing. */
static int write_file(struct export *e, enum export_form form, int parent, const char *temporary, const char *name)
{
#ifdef O_TMPFILE
    char self[48];
    AUTO_FD fd = openat(parent, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0644);
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    if (fd >= 0 && access(self, F_OK) == 0)
        return fill_file(e, form, fd) == 0 ? linkat(AT_FDCWD, self, parent, name, AT_SYMLINK_FOLLOW) : -1;
#endif
    return write_named(e, form, parent, temporary, name);
}

static int write_directory(struct export *e, enum export_form form, int parent, const char *temporary)
{
    if (mkdirat(parent, temporary, 0755) != 0)
        return -1;
    AUTO_FD dir = openat(parent, temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || fchmod(dir, 0755) != 0)
        return -1;
    return form == EXPORT_DIR ? export_dir(e, dir) : form == EXPORT_OCI ? export_oci(e, dir) : export_sigstore(e, dir);
}

/* Complete under its name or not there; what a failure leaves lies under a name that says so. */
static int write_to(struct export *e, enum export_form form, const char *to)
{
    char temporary[NAME_MAX + 1];
    struct stat st;
    const char *slash = strrchr(to, '/'), *name = slash ? slash + 1 : to;
    AUTO_FREE char *directory = !slash ? strdup(".") : strndup(to, slash == to ? 1 : (size_t)(slash - to));
    AUTO_FD parent = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (parent < 0)
        return -1;
    if (bag_around(parent)) {
        errno = EADDRINUSE;
        return -1;
    }
    errno = EEXIST;
    if (!*name || fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
        return -1;
    if (snprintf(temporary, sizeof(temporary), ".%s.unfinished", name) >= (int)sizeof(temporary)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (form == EXPORT_TAR || form == EXPORT_ZIP)
        return write_file(e, form, parent, temporary, name) == 0 ? fsync(parent) : -1;
    int rc = write_directory(e, form, parent, temporary);
    if (rc == 0)
        rc = renameat(parent, temporary, parent, name);
    if (rc == 0)
        return fsync(parent);
    int error = errno;
    (void)unlinkat(parent, temporary, AT_REMOVEDIR); /* where nothing was written into it yet */
    errno = error;
    return -1;
}

static void explain(char why[EXPORT_WHY], int error)
{
    snprintf(why, EXPORT_WHY, "%s",
             error == EEXIST  ? "it exists, or a run that died left '.NAME.unfinished' beside it: nothing is replaced"
             : error == ENODATA ? "nobody signed the bag: sallyport sign BAG --key KEY, then export it again"
             : error == EADDRINUSE ? "that is in a bag, and nothing may be added to a bag"
             : error == EILSEQ ? "the bag changed after it was verified"
             : error == EFBIG  ? "a zip without extensions holds 65,534 files and 4 GB: use --tar"
                               : strerror(error));
}

int export_bag(const char *bag, const struct verify_result *verified, enum export_form form, const char *to,
               char why[EXPORT_WHY])
{
    struct export e = {.root.fd = -1};
    int rc = gather(&e, bag, verified);
    if (rc == 0)
        rc = write_to(&e, form, to);
    int error = errno;
    if (rc != 0)
        explain(why, error);
    for (size_t i = 0; i < e.n; i++)
        free(e.v[i].path);
    free(e.v);
    free(e.block);
    digest_free(&e.digest);
    root_close(&e.root);
    errno = error;
    return rc;
}
