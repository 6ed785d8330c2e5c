/* SPDX-License-Identifier: ISC
 * A scratch directory for one test, and short ways to fill it. Used by the tests of collect/, publish/ and
 * fd_root. */
#ifndef SALLYPORT_TESTS_SCRATCH_H
#define SALLYPORT_TESTS_SCRATCH_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The call fails with this errno, looked at before anything else can change it. */
#define FAILS(call, error)                                                                                   \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long failed_ = (call);                                                                               \
        int errno_ = errno;                                                                                  \
        cr_assert_eq(failed_, -1, #call);                                                                    \
        cr_assert_eq(errno_, error, #call ": %s", strerror(errno_));                                         \
    } while (0)

struct scratch {
    char path[64];
    int fd;
};

static inline struct scratch scratch_new(void)
{
    struct scratch s = {.path = "/tmp/sallyport-test-XXXXXX"};
    cr_assert_not_null(mkdtemp(s.path));
    cr_assert_eq(chmod(s.path, 0755), 0);
    s.fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_geq(s.fd, 0);
    return s;
}

static inline void scratch_free(struct scratch *s)
{
    char command[128];
    close(s->fd);
    snprintf(command, sizeof(command), "rm -rf '%s'", s->path);
    cr_assert_eq(system(command), 0);
}

static inline void scratch_dir(const struct scratch *s, const char *path)
{
    cr_assert_eq(mkdirat(s->fd, path, 0755), 0, "mkdir %s", path);
}

static inline void scratch_put(const struct scratch *s, const char *path, const void *data, size_t len)
{
    int fd = openat(s->fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    cr_assert_geq(fd, 0, "open %s", path);
    cr_assert_eq(write(fd, data, len), (ssize_t)len);
    cr_assert_eq(close(fd), 0);
}

static inline void scratch_text(const struct scratch *s, const char *path, const char *text)
{
    scratch_put(s, path, text, strlen(text));
}

static inline size_t scratch_get(const struct scratch *s, const char *path, char *out, size_t size)
{
    int fd = openat(s->fd, path, O_RDONLY);
    cr_assert_geq(fd, 0, "open %s", path);
    ssize_t n = read(fd, out, size - 1);
    cr_assert_geq(n, 0);
    close(fd);
    out[n] = 0;
    return (size_t)n;
}

#endif
