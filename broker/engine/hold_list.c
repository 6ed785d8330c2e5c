/* SPDX-License-Identifier: ISC
 * The agent's reading of a scratch that nobody can write to any more: what is there, then what is asked for. By descriptor,
 * no link followed, no mount left. No memory but what stands here: the job may have used up the container's. */
#define _GNU_SOURCE 1
#define FD_ROOT_INTERNAL 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/item.h"
#include "base/limits.h"
#include "engine/hold.h"

enum { SERVE_IDLE_MS = 10 * 60 * 1000, ENTRIES_BYTES = 512, STEP_LISTED = 1, STEP_END = 0 };

void hold_send(enum far_type type, const void *data, size_t len)
{
    uint8_t head[FAR_HEAD];
    far_head(head, type, len);
    if (fd_write_full(1, head, sizeof head) < 0 || (len > 0 && fd_write_full(1, data, len) < 0))
        _exit(0);
}

static void facts_of(const struct stat *st, uint8_t out[FAR_FACTS_BYTES])
{
    static const struct {
        mode_t format;
        enum object_kind kind;
    } kinds[] = {{S_IFREG, OBJECT_FILE}, {S_IFDIR, OBJECT_DIRECTORY}, {S_IFLNK, OBJECT_SYMLINK}, {S_IFIFO, OBJECT_FIFO},
                 {S_IFSOCK, OBJECT_SOCKET}, {S_IFCHR, OBJECT_DEVICE}, {S_IFBLK, OBJECT_DEVICE}};
    struct far_facts f = {.kind = OBJECT_OTHER, .mode = st->st_mode & 07777, .uid = st->st_uid, .gid = st->st_gid,
                          .links = st->st_nlink, .size = (uint64_t)st->st_size, .ino = st->st_ino,
                          .mtime_ns = fd_nanoseconds(st->st_mtim.tv_sec, st->st_mtim.tv_nsec)};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if ((st->st_mode & S_IFMT) == kinds[i].format)
            f.kind = (uint32_t)kinds[i].kind;
    far_facts_encode(&f, out);
}

/* --- listing ------------------------------------------------------------------------------------------------------------ */

/* A directory that is being read: its descriptor, how far, and where its name ends in the path. */
struct level {
    int fd;
    off_t next;
    size_t path_len;
};

struct listing {
    struct level levels[WALK_DEPTH_MAX];
    size_t depth;
    uint8_t frame[FAR_FACTS_BYTES + PATH_BYTES + 1]; /* the path stands behind the facts */
    uint64_t count;
};

/* Our own two directories, where the job left nothing in them. */
static bool is_ours(const struct listing *l, const char *name, const struct stat *st)
{
    return l->depth == 1 && S_ISDIR(st->st_mode) && st->st_nlink == 2 && st->st_size <= 40 && /* tmpfs: 20 a name */
           (strcmp(name, ".tmp") == 0 || strcmp(name, ".shm") == 0);
}

/* 0 or errno. */
static int list_entry(struct listing *l, const char *name)
{
    struct level *at = &l->levels[l->depth - 1];
    size_t len = strlen(name), room = PATH_BYTES - at->path_len;
    struct stat st;
    uint8_t *path = l->frame + FAR_FACTS_BYTES;
    if (fstatat(at->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    if (is_ours(l, name, &st))
        return 0;
    if (len >= room)
        return ENAMETOOLONG;
    memcpy(path + at->path_len, name, len);
    facts_of(&st, l->frame);
    hold_send(FAR_ENTRY, l->frame, FAR_FACTS_BYTES + at->path_len + len);
    l->count++;
    if (!S_ISDIR(st.st_mode))
        return 0;
    if (l->depth == WALK_DEPTH_MAX)
        return ELOOP;
    int fd = openat(at->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    path[at->path_len + len] = '/';
    l->levels[l->depth++] = (struct level){.fd = fd, .path_len = at->path_len + len + 1};
    return 0;
}

/* The next name of the innermost directory: one at a time, since its own directory may come in between. *error: errno. */
static int step(struct listing *l, int *error)
{
    union {
        struct dirent64 first; /* for its alignment */
        char space[ENTRIES_BYTES];
    } u;
    struct level *at = &l->levels[l->depth - 1];
    long n = lseek(at->fd, at->next, SEEK_SET) < 0 ? -1 : syscall(SYS_getdents64, at->fd, u.space, sizeof u.space);
    *error = n < 0 ? errno : 0;
    if (n <= 0) {
        fd_close(&at->fd);
        l->depth--;
        return STEP_END;
    }
    at->next = u.first.d_off;
    if (strcmp(u.first.d_name, ".") != 0 && strcmp(u.first.d_name, "..") != 0)
        *error = list_entry(l, u.first.d_name);
    return STEP_LISTED;
}

void hold_list(int scratch)
{
    static struct listing l;
    uint8_t out[FAR_LISTED_BYTES];
    struct far_listed end = {0};
    int error = 0;
    l.levels[0] = (struct level){.fd = openat(scratch, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    l.depth = l.levels[0].fd >= 0;
    if (l.depth == 0)
        error = errno;
    while (l.depth > 0 && error == 0)
        (void)step(&l, &error);
    end = (struct far_listed){.count = l.count, .error = (uint32_t)error};
    far_listed_encode(&end, out);
    hold_send(FAR_LISTED, out, sizeof out);
}

/* --- sending ------------------------------------------------------------------------------------------------------------ */

/* The strict tier alone: a kernel without it cannot be read from here. */
static int open_beneath(int scratch, const char *path)
{
    return fd_openat2(scratch, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static void send_file(int scratch, const char *path)
{
    static uint8_t block[FAR_CHUNK];
    uint8_t facts[FAR_FACTS_BYTES], done[FAR_DONE_BYTES];
    struct far_done end = {0};
    struct stat st;
    AUTO_FD fd = open_beneath(scratch, path);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        end.error = (uint32_t)(fd < 0 ? errno : EINVAL);
    } else {
        facts_of(&st, facts);
        hold_send(FAR_FILE, facts, sizeof facts);
    }
    while (end.error == 0) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            end.error = n < 0 ? (uint32_t)errno : 0;
            break;
        }
        hold_send(FAR_DATA, block, (size_t)n);
        end.bytes += (uint64_t)n;
    }
    far_done_encode(&end, done);
    hold_send(FAR_DONE, done, sizeof done);
}

/* One frame of the broker's; it waits, but not for ever: a connection may be lost without a word. */
static bool next_want(char path[PATH_BYTES + 1])
{
    uint8_t frame[FAR_HEAD + PATH_BYTES];
    struct far_frame f;
    struct pollfd p = {.fd = 0, .events = POLLIN};
    if (poll(&p, 1, SERVE_IDLE_MS) <= 0 || fd_read_full(0, frame, FAR_HEAD) < 0)
        return false;
    size_t len = (size_t)frame[0] | (size_t)frame[1] << 8;
    if (frame[2] || frame[3] || len > PATH_BYTES || fd_read_full(0, frame + FAR_HEAD, len) < 0 ||
        far_frame(frame, FAR_HEAD + len, false, &f) <= 0 || f.type != FAR_WANT)
        return false;
    memcpy(path, f.data, f.len);
    path[f.len] = 0;
    return true;
}

void hold_serve(int scratch)
{
    static char path[PATH_BYTES + 1];
    while (next_want(path))
        send_file(scratch, path);
}
