/* SPDX-License-Identifier: ISC
 * Everything that is there, against everything that should be. Opens nothing but plain files and directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/limits.h"
#include "record/verify_parts.h"

struct level {
    DIR *dir;
    size_t path_len;   /* of the directory's path with its slash */
    size_t entries;
};

struct walk {
    struct verify *v;
    struct level stack[VERIFY_DEPTH];
    size_t depth;
    char path[PATH_BYTES + 2];
};

bool verify_is_signature(const char *path)
{
    const char *name = path + strlen("signatures/");
    if (strncmp(path, "signatures/", strlen("signatures/")) != 0 || strchr(name, '/') || *name == '.')
        return false;
    /* KEYID is the SHA-256 of a public key. */
    if (strspn(name, "0123456789abcdef") != (size_t)2 * SHA256_SIZE)
        return false;
    name += (size_t)2 * SHA256_SIZE;
    return strcmp(name, ".sig") == 0 || strcmp(name, ".dsse.json") == 0;
}

/* Gained bits act on whoever uses the file; lost ones cannot. A store that keeps no modes gives write bits back, too. */
void verify_mode(struct verify *v, const char *path, mode_t mode, mode_t want)
{
    const mode_t gained = mode & ~want & 07777u;
    const mode_t harmless = v->options->transported ? S_IWUSR | S_IWGRP | S_IWOTH : S_IWUSR;
    if (gained & ~harmless)
        verify_differs(v, "mode", false, path, "the mode has gained exec, setuid, setgid, sticky or write bits");
    else if ((mode & 07777u) != want)
        verify_differs(v, "mode", true, path, "the mode differs from the published one");
}

static void check_xattrs(struct verify *v, const char *path, int fd)
{
    char names[4096];
    ssize_t n = flistxattr(fd, names, sizeof(names));
    if (n < 0) {
        if (errno == ERANGE)
            verify_differs(v, "xattr", false, path, "the file carries more extended attributes than can be looked at");
        return;
    }
    for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1) {
        const char *name = names + i;
        if (strcmp(name, "security.capability") == 0)
            verify_differs(v, "capability", false, path, "the file carries file capabilities");
        else if (strncmp(name, "system.posix_acl", 16) == 0 || strncmp(name, "system.nfs4_acl", 15) == 0)
            verify_differs(v, "acl", false, path, "the file carries an access control list");
        else if (strncmp(name, "user.", 5) == 0 || strncmp(name, "trusted.", 8) == 0)
            verify_differs(v, "xattr", true, path, "the file carries an extended attribute");
    }
}

/* What operating systems strew into directories that pass through them. */
static bool is_litter(const char *name)
{
    static const char *const litter[] = {".DS_Store", "Thumbs.db", "desktop.ini", ".localized"};
    for (size_t i = 0; i < ARRAY_LEN(litter); i++)
        if (strcmp(name, litter[i]) == 0)
            return true;
    return strncmp(name, "._", 2) == 0;
}

/* Only the payload has a second digest that is quicker; a tag file is always evidence. */
static bool is_quick(const struct verify *v, const struct listed *listed)
{
    return v->options->fast && !v->packed && listed->payload && listed->has_xxh128;
}

static int digest_file(struct verify *v, int fd, bool quick, struct digest *out)
{
    if (quick)
        digest_reset_quick(v->digest);
    else
        digest_reset(v->digest);
    for (;;) {
        ssize_t n = read(fd, v->block, COPY_BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        digest_update(v->digest, v->block, (size_t)n);
    }
    digest_final(v->digest, out);
    return 0;
}

void verify_bytes(struct verify *v, struct listed *listed, const struct digest *digest)
{
    const bool quick = is_quick(v, listed);
    if (!quick && !sha256_equal(digest->sha256, listed->sha256))
        verify_differs(v, "changed", false, listed->path, "the bytes differ from the list");
    else if (listed->has_xxh128 && memcmp(digest->xxh128, listed->xxh128, XXH128_SIZE) != 0)
        verify_differs(v, quick ? "changed" : "list", false, listed->path,
                       quick ? "the bytes differ from the XXH128 list" : "the XXH128 list does not belong to these bytes");
    if (listed->payload) {
        v->out->files++;
        v->out->bytes += digest->bytes;
    }
}

static int check_file(struct walk *w, int dir, const char *name)
{
    struct verify *v = w->v;
    struct stat st;
    struct listed *listed = verify_find(v, w->path);
    bool known = listed || strcmp(w->path, "tagmanifest-sha256.txt") == 0 || verify_is_signature(w->path);
    if (!known) {
        verify_differs(v, "added", v->options->transported && is_litter(name), w->path, "nothing lists this file");
        return 0;
    }
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        verify_differs(v, "unreadable", false, w->path, "the file cannot be read");
        return 0;
    }
    if (!S_ISREG(st.st_mode)) {
        verify_differs(v, "type", false, w->path, "the name is no plain file any more");
        return 0;
    }
    if (st.st_nlink != 1)
        verify_differs(v, "links", false, w->path, "the file has more than one name");
    verify_mode(v, w->path, st.st_mode, listed && listed->executable ? 0555 : 0444);
    check_xattrs(v, w->path, fd);
    if (!listed)
        return 0;
    struct digest digest;
    listed->seen = true;
    if (digest_file(v, fd, is_quick(v, listed), &digest) != 0)
        return -1;
    verify_bytes(v, listed, &digest);
    return 0;
}

static bool directory_expected(const struct walk *w)
{
    return strcmp(w->path, "data") == 0 || strcmp(w->path, "sallyport") == 0 || strcmp(w->path, "signatures") == 0 ||
           strncmp(w->path, "data/", 5) == 0;
}

static int enter(struct walk *w, int dir, const char *name)
{
    struct stat st;
    size_t len = strlen(w->path);
    if (!directory_expected(w)) {
        verify_differs(w->v, "added", false, w->path, "nothing of a bag lies in this directory");
        return 0;
    }
    if (w->depth == VERIFY_DEPTH || len + 1 >= PATH_BYTES) {
        verify_differs(w->v, "added", false, w->path, "directories lie deeper than in any bag");
        return 0;
    }
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        fd_close(&fd);
        verify_differs(w->v, "unreadable", false, w->path, "the directory cannot be read");
        return 0;
    }
    verify_mode(w->v, w->path, st.st_mode, 0755);
    check_xattrs(w->v, w->path, fd);
    DIR *stream = fdopendir(fd);
    if (!stream) {
        fd_close(&fd);
        return -1;
    }
    w->path[len] = '/';
    w->path[len + 1] = '\0';
    w->stack[w->depth++] = (struct level){.dir = stream, .path_len = len + 1};
    return 0;
}

static int one_entry(struct walk *w, const char *name)
{
    struct level *top = &w->stack[w->depth - 1];
    struct stat st;
    if (top->path_len + strlen(name) >= PATH_BYTES) {
        verify_differs(w->v, "added", false, name, "the name is longer than in any bag");
        return 0;
    }
    strcpy(w->path + top->path_len, name);
    top->entries++;
    if (fstatat(dirfd(top->dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (S_ISDIR(st.st_mode))
        return enter(w, dirfd(top->dir), name);
    if (S_ISREG(st.st_mode))
        return check_file(w, dirfd(top->dir), name);
    struct listed *listed = verify_find(w->v, w->path);
    if (listed)
        listed->seen = true;
    verify_differs(w->v, listed ? "type" : "added", false, w->path,
                   S_ISLNK(st.st_mode) ? "a symbolic link is in the bag" : "a FIFO, socket or device is in the bag");
    return 0;
}

/* An empty directory holds nothing that was promoted, except data/ itself and signatures/ which grows later. */
static void leave(struct walk *w)
{
    struct level *top = &w->stack[--w->depth];
    closedir(top->dir);
    if (top->path_len == 0)
        return;
    w->path[top->path_len - 1] = '\0';
    if (top->entries == 0 && strcmp(w->path, "data") != 0 && strcmp(w->path, "signatures") != 0)
        verify_differs(w->v, "added", w->v->options->transported, w->path, "an empty directory was added");
}

static int walk(struct walk *w)
{
    while (w->depth > 0) {
        errno = 0;
        struct dirent *entry = readdir(w->stack[w->depth - 1].dir);
        if (!entry && errno != 0)
            return -1;
        if (!entry)
            leave(w);
        else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && one_entry(w, entry->d_name) != 0)
            return -1;
    }
    return 0;
}

static int walk_root(struct verify *v)
{
    struct walk *w = calloc(1, sizeof(*w));
    int fd = w ? openat(v->root.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat st;
    int rc = -1;
    if (fd >= 0 && fstat(fd, &st) == 0) {
        w->v = v;
        verify_mode(v, ".", st.st_mode, 0755);
        DIR *stream = fdopendir(fd);
        if (stream) {
            w->stack[w->depth++] = (struct level){.dir = stream};
            rc = walk(w);
        }
    }
    int error = errno;
    while (w && w->depth > 0)
        closedir(w->stack[--w->depth].dir);
    free(w);
    errno = error;
    return rc;
}

int verify_tree(struct verify *v)
{
    int rc = v->packed ? verify_packed_tree(v) : walk_root(v);
    for (size_t i = 0; rc == 0 && i < v->n; i++)
        if (!v->v[i].seen)
            verify_differs(v, "missing", false, v->v[i].path, "the file is missing");
    return rc;
}
