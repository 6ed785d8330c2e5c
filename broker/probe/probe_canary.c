/* SPDX-License-Identifier: ISC
 * The oracle's files, and all of it together. Runs in the broker; nothing is read from whoever connects. */
#include "probe/probe_canary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"

static const char *const files[] = {"a", "b", "c", "lock", "docker.sock"};

/* Names, modes, times and bytes of the canary input. */
static void input_digest(const struct probe_canary *c, uint8_t out[32])
{
    char text[1024];
    size_t used = 0;
    struct stat st;
    memset(text, 0, sizeof text);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char data[16] = "";
        AUTO_FD fd = openat(c->dir, files[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 || fstat(fd, &st) < 0 || read(fd, data, sizeof data - 1) < 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %o %lld.%ld %s\n", files[i], st.st_mode,
                                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, data);
    }
    if (fstat(c->dir, &st) == 0)
        used += (size_t)snprintf(text + used, sizeof text - used, "%o %lu %lld.%ld\n", st.st_mode, (unsigned long)st.st_nlink,
                                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    sha256_bytes(text, used, out);
}

static int make_input(struct probe_canary *c, int work_dir)
{
    char path[64];
    if (mkdirat(work_dir, "input", 0755) < 0)
        return -1;
    c->dir = openat(work_dir, "input", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->dir < 0 || fchmod(c->dir, 0777) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        AUTO_FD fd = openat(c->dir, files[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 || fchmod(fd, 0666) < 0 || fd_write_full(fd, "canary\n", 7) < 0)
            return -1;
    }
    /* a socket has no *at call of its own; the descriptor's path keeps the name short */
    snprintf(path, sizeof path, "/proc/self/fd/%d/socket", c->dir);
    c->listeners[5] = canary_unix(path, false);
    c->lock = openat(c->dir, "lock", O_RDONLY | O_CLOEXEC);
    if (c->listeners[5] < 0 || fchmodat(c->dir, "socket", 0777, 0) < 0 || mkfifoat(c->dir, "fifo", 0666) < 0 ||
        fchmodat(c->dir, "fifo", 0666, 0) < 0 || c->lock < 0 || flock(c->lock, LOCK_EX | LOCK_NB) < 0)
        return -1;
    c->fifo = openat(c->dir, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    input_digest(c, c->digest);
    return c->fifo < 0 ? -1 : 0;
}

int canary_open(struct probe_canary *c, int work_dir, uint32_t uid)
{
    return canary_net_open(c, uid) < 0 || make_input(c, work_dir) < 0 ? -1 : 0;
}

int canary_add_setuid(const struct probe_canary *c, const char *program)
{
    char block[8192];
    ssize_t n;
    AUTO_FD from = open(program, O_RDONLY | O_CLOEXEC);
    AUTO_FD to = openat(c->dir, "setuid", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (from < 0 || to < 0)
        return -1;
    while ((n = read(from, block, sizeof block)) > 0)
        if (fd_write_full(to, block, (size_t)n) < 0)
            return -1;
    return n < 0 ? -1 : fchmod(to, 04755);
}

unsigned canary_reached(struct probe_canary *c)
{
    uint8_t now[32];
    unsigned got = canary_net_reached(c);
    if (c->far_in >= 0)
        got = (got & ~(unsigned)REACHED_NET) | canary_far_reached(c);
    if (canary_drain(c->listeners[5], true))
        got |= REACHED_SOCKET;
    if (canary_drain(c->fifo, false))
        got |= REACHED_FIFO;
    input_digest(c, now);
    if (memcmp(now, c->digest, sizeof now) != 0)
        got |= REACHED_INPUT;
    memcpy(c->digest, now, sizeof now);
    return got;
}

bool canary_works(struct probe_canary *c)
{
    unsigned want = c->far_in >= 0 ? canary_far_reach(c) : canary_net_reach(c);
    AUTO_FD fifo = openat(c->dir, "fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (want == 0 || fifo < 0 || write(fifo, "c", 1) != 1)
        return false;
    want |= REACHED_FIFO;
    for (int tries = 0; tries < 200; tries++) {
        want &= ~canary_reached(c);
        if (want == 0)
            return true;
        usleep(5000);
    }
    return false;
}

void canary_close(struct probe_canary *c, int work_dir)
{
    canary_net_close(c);
    fd_close(&c->fifo);
    fd_close(&c->lock);
    static const char *const made[] = {"socket", "fifo", "new", "renamed", "setuid"};
    for (size_t i = 0; c->dir >= 0 && i < ARRAY_LEN(files); i++)
        unlinkat(c->dir, files[i], 0);
    for (size_t i = 0; c->dir >= 0 && i < ARRAY_LEN(made); i++)
        unlinkat(c->dir, made[i], 0);
    if (c->dir >= 0)
        unlinkat(c->dir, "dir", AT_REMOVEDIR);
    fd_close(&c->dir);
    unlinkat(work_dir, "input", AT_REMOVEDIR);
}
