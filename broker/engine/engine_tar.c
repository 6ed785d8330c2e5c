/* SPDX-License-Identifier: ISC */
#include "engine/engine_tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"

enum { TAR_BLOCK = 512, TAR_NAME = 100 };

/* POSIX.1-1988, ustar. */
struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2], user[32],
        group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct tar_head) == TAR_BLOCK, "a header is one block");

static int put(struct tar_writer *t, const void *data, size_t len)
{
    t->written += len;
    if (t->written > FAR_INPUT_BYTES) {
        errno = EFBIG;
        return -1;
    }
    return fd_write_full(t->out, data, len);
}

static int pad(struct tar_writer *t)
{
    static const char zeros[TAR_BLOCK];
    size_t over = (size_t)(t->written % TAR_BLOCK);
    return over ? put(t, zeros, TAR_BLOCK - over) : 0;
}

static int head(struct tar_writer *t, char type, const char *name, const char *link, const struct stat *st, uint64_t size)
{
    struct tar_head h;
    unsigned sum = 0;
    memset(&h, 0, sizeof h);
    memset(h.sum, ' ', sizeof h.sum);
    memcpy(h.name, name, strnlen(name, TAR_NAME));
    memcpy(h.link, link, strnlen(link, TAR_NAME));
    snprintf(h.mode, sizeof h.mode, "%07o", (unsigned)((st->st_mode & 07777) | 0444u) | (type == '5' ? 0111u : 0u));
    snprintf(h.uid, sizeof h.uid, "%07o", 0u);
    snprintf(h.gid, sizeof h.gid, "%07o", 0u);
    snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)size & 077777777777);
    snprintf(h.mtime, sizeof h.mtime, "%011llo", (unsigned long long)st->st_mtim.tv_sec & 077777777777);
    h.type = type;
    memcpy(h.magic, "ustar", sizeof h.magic);
    memcpy(h.version, "00", sizeof h.version);
    for (size_t i = 0; i < sizeof h; i++)
        sum += ((const unsigned char *)&h)[i];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    return put(t, &h, sizeof h);
}

/* What does not fit a header stands in front of it: GNU's long name 'L' and long link 'K'. */
static int long_text(struct tar_writer *t, char type, const char *text)
{
    struct stat none = {.st_mode = 0};
    size_t n = strlen(text);
    if (n <= TAR_NAME)
        return 0;
    return head(t, type, "././@LongLink", "", &none, n + 1) < 0 || put(t, text, n + 1) < 0 || pad(t) < 0 ? -1 : 0;
}

static int entry(struct tar_writer *t, char type, const char *name, const char *link, const struct stat *st)
{
    return long_text(t, 'K', link) < 0 || long_text(t, 'L', name) < 0 ||
                   head(t, type, name, link, st, type == '0' ? (uint64_t)st->st_size : 0) < 0
               ? -1
               : 0;
}

int tar_file(struct tar_writer *t, int fd, const char *name)
{
    struct stat st;
    AUTO_FREE uint8_t *block = malloc(COPY_BLOCK);
    if (!block || fstat(fd, &st) < 0 || entry(t, '0', name, "", &st) < 0)
        return -1;
    for (uint64_t left = (uint64_t)st.st_size; left > 0;) {
        ssize_t n = read(fd, block, left < COPY_BLOCK ? (size_t)left : (size_t)COPY_BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? EAGAIN : errno;
            return -1;
        }
        if (put(t, block, (size_t)n) < 0)
            return -1;
        left -= (uint64_t)n;
    }
    return pad(t);
}

static int tar_link(struct tar_writer *t, int dir, const char *file, const char *name, const struct stat *st)
{
    char target[PATH_BYTES + 1];
    ssize_t n = readlinkat(dir, file, target, sizeof target - 1);
    if (n < 0)
        return -1;
    target[n] = 0;
    return entry(t, '2', name, target, st);
}

static int tar_object(struct tar_writer *t, int dir, const char *file, const char *prefix)
{
    char name[PATH_BYTES + 2];
    struct stat st;
    int n = snprintf(name, sizeof name - 1, "%s%s", prefix, file);
    if (n < 0 || n >= (int)sizeof name - 1) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (S_ISLNK(st.st_mode))
        return tar_link(t, dir, file, name, &st);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0;
    AUTO_FD fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat opened;
    if (fd < 0 || fstat(fd, &opened) < 0)
        return -1;
    if (opened.st_ino != st.st_ino || opened.st_dev != st.st_dev) {
        errno = EAGAIN;
        return -1;
    }
    if (S_ISREG(st.st_mode))
        return tar_file(t, fd, name);
    memcpy(name + n, "/", 2);
    return entry(t, '5', name, "", &st) < 0 ? -1 : tar_directory(t, fd, name);
}

int tar_directory(struct tar_writer *t, int fd, const char *prefix)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    DIR *d = own < 0 ? NULL : fdopendir(own);
    if (!d) {
        fd_close(&own);
        return -1;
    }
    if (++t->depth > FAR_INPUT_DEPTH) {
        errno = ELOOP;
        rc = -1;
    }
    while (rc == 0) {
        errno = 0;
        struct dirent *e = readdir(d);
        if (!e) {
            rc = errno ? -1 : 0;
            break;
        }
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = tar_object(t, fd, e->d_name, prefix);
    }
    int saved = errno;
    t->depth--;
    closedir(d);
    errno = saved;
    return rc;
}

int tar_end(struct tar_writer *t)
{
    static const char zeros[2 * TAR_BLOCK];
    return put(t, zeros, sizeof zeros);
}
