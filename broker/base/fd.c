/* SPDX-License-Identifier: ISC */
#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 1 << 20 }; /* the kernel's own default for fs.nr_open */

void fd_close(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
    }
    *fd = -1;
}

int fd_close_from(int lowest)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)lowest, ~0u, 0) == 0)
        return 0;
    if (errno != ENOSYS && errno != EPERM)
        return -1;
#endif
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return -1;
    rlim_t end = limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX;
    for (int fd = lowest; (rlim_t)fd < end; fd++)
        close(fd);
    return 0;
}

void fd_close_auto(int *fd)
{
    fd_close(fd);
}

void free_auto(void *pointer_to_pointer)
{
    void **p = pointer_to_pointer;
    free(*p);
    *p = NULL;
}

int fd_read_full(int fd, void *buf, size_t len)
{
    uint8_t *at = buf;
    while (len > 0) {
        ssize_t n = read(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = ENODATA;
            return -1;
        }
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int fd_pread_full(int fd, void *buf, size_t len, uint64_t offset)
{
    uint8_t *at = buf;
    while (len > 0) {
        ssize_t n = pread(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = ENODATA;
            return -1;
        }
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

int fd_write_full(int fd, const void *buf, size_t len)
{
    const uint8_t *at = buf;
    while (len > 0) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int64_t fd_nanoseconds(int64_t seconds, int64_t rest)
{
    int64_t ns;
    if (__builtin_mul_overflow(seconds, (int64_t)1000000000, &ns) || __builtin_add_overflow(ns, rest, &ns))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

int fd_read_all(int fd, size_t max, uint8_t **out, size_t *len)
{
    size_t cap = 4096, have = 0;
    AUTO_FREE uint8_t *data = malloc(cap + 1);
    while (data) {
        ssize_t n = read(fd, data + have, cap - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        have += (size_t)n;
        if (have > max) {
            errno = EFBIG;
            return -1;
        }
        if (have == cap) {
            uint8_t *grown = realloc(data, 2 * cap + 1);
            if (!grown)
                return -1;
            data = grown;
            cap *= 2;
        }
    }
    if (!data)
        return -1;
    data[have] = 0;
    *out = data;
    *len = have;
    data = NULL;
    return 0;
}
