/* SPDX-License-Identifier: ISC
 * Frames between the broker and its workers. Whatever the peer sends is checked against one table before anything is
 * allocated for it; a peer that is wrong once is wrong for good. */
#include "base/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/finding.h"
#include "base/limits.h"

enum {
    HEADER = 8,
    READ_AHEAD = 64 * 1024,
    TASK_FIXED = 104, /* task_encode() of an empty path */
    OUT_MAX = 4 * 1024 * 1024
};

struct frame_row {
    enum frame_type type;
    size_t min, max;
    unsigned fds;
};

static const struct frame_row rows[] = {
    {FRAME_BATCH, 4, 4, 1},
    {FRAME_KILL, 4, 4, 0},
    {FRAME_TASK, TASK_FIXED, TASK_FIXED + PATH_BYTES, 1},
    {FRAME_SCAN, 8, 8 + SCAN_BYTES, 0},
    {FRAME_STREAM, TASK_FIXED, TASK_FIXED + PATH_BYTES, 1},
    {FRAME_END, 0, 0, 0},
    {FRAME_SPOOL, 0, 0, 1},
    {FRAME_HELLO, 8, 8, 0},
    {FRAME_START, 8, 8, 0},
    {FRAME_CLAIM, 11, 11, 0},
    {FRAME_FINDING, 37, 37 + RULE_ID_MAX + MEMBER_BYTES + MESSAGE_BYTES, 0},
    {FRAME_EXTENT, 47, 47 + PATH_BYTES, 0},
    {FRAME_DONE, 13, 13, 0},
    {FRAME_FINISH, 28, 28, 0},
    {FRAME_LISTING, 48, 48, 0},
    {FRAME_NESTED, 68, 68 + MEMBER_BYTES, 0},
    {FRAME_READY, 4, FRAME_BYTES, 0},
    {FRAME_EXIT, 8, 8, 0},
};

static const struct frame_row *row_of(unsigned type)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if ((unsigned)rows[i].type == type)
            return &rows[i];
    return NULL;
}

void wire_init(struct wire *w, int *fd, bool takes_fds)
{
    *w = (struct wire){.fd = *fd, .takes_fds = takes_fds};
    *fd = -1;
}

void wire_close(struct wire *w)
{
    fd_close(&w->fd);
    for (size_t i = 0; i < w->fds_n; i++)
        fd_close(&w->fds[i]);
    free(w->in);
    free(w->out);
    *w = (struct wire){.fd = -1};
}

/* --- sending ----------------------------------------------------------------------------------- */

static int out_room(struct wire *w, size_t len)
{
    size_t need = w->out_len + len;
    if (need > OUT_MAX) {
        errno = ENOBUFS;
        return -1;
    }
    if (need <= w->out_cap)
        return 0;
    size_t cap = w->out_cap ? w->out_cap : 4096;
    while (cap < need)
        cap *= 2;
    uint8_t *grown = realloc(w->out, cap);
    if (!grown)
        return -1;
    w->out = grown;
    w->out_cap = cap;
    return 0;
}

int wire_queue(struct wire *w, enum frame_type type, const void *payload, size_t len, int fd)
{
    const struct frame_row *row = row_of((unsigned)type);
    if (!row || len < row->min || len > row->max || (fd >= 0) != (row->fds == 1)) {
        errno = EINVAL;
        return -1;
    }
    if (fd >= 0 && w->out_fds_n == WIRE_FDS) {
        errno = EAGAIN;
        return -1;
    }
    if (out_room(w, HEADER + len) != 0)
        return -1;
    uint8_t *at = w->out + w->out_len;
    const uint8_t header[HEADER] = {(uint8_t)len,  (uint8_t)(len >> 8),  (uint8_t)(len >> 16), (uint8_t)(len >> 24),
                                    (uint8_t)type, (uint8_t)(type >> 8), (uint8_t)row->fds,    0};
    memcpy(at, header, HEADER);
    if (len > 0)
        memcpy(at + HEADER, payload, len);
    w->out_len += HEADER + len;
    if (fd >= 0)
        w->out_fds[w->out_fds_n++] = fd;
    return 0;
}

/* The descriptors go with the first byte of the first call that succeeds. */
static ssize_t send_some(struct wire *w, bool block)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(WIRE_FDS * sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = w->out, .iov_len = w->out_len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    size_t fd_bytes = w->out_fds_n * sizeof(int);
    if (w->out_fds_n > 0) {
        memset(&control, 0, sizeof(control));
        msg.msg_control = control.space;
        msg.msg_controllen = CMSG_SPACE(fd_bytes);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fd_bytes);
        memcpy(CMSG_DATA(c), w->out_fds, fd_bytes);
    }
    ssize_t n = sendmsg(w->fd, &msg, MSG_NOSIGNAL | (block ? 0 : MSG_DONTWAIT));
    if (n > 0)
        w->out_fds_n = 0;
    return n;
}

int wire_flush(struct wire *w, bool block)
{
    while (w->out_len > 0) {
        ssize_t n = send_some(w, block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && !block && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0) {
            if (errno == ECONNRESET)
                errno = EPIPE;
            return -1;
        }
        memmove(w->out, w->out + n, w->out_len - (size_t)n);
        w->out_len -= (size_t)n;
    }
    return 1;
}

int wire_send(struct wire *w, enum frame_type type, const void *payload, size_t len, int fd)
{
    if (wire_queue(w, type, payload, len, fd) != 0)
        return -1;
    return wire_flush(w, true) == 1 ? 0 : -1;
}

/* --- receiving --------------------------------------------------------------------------------- */

static int wrong(void)
{
    errno = EPROTO;
    return -1;
}

/* Is the frame at `used` whole? 1 yes, 0 more bytes are wanted (*want in all), -1 it is not in the table. */
static int frame_parse(struct wire *w, struct frame *out, size_t *want)
{
    struct reader r;
    size_t have = w->have - w->used;
    *want = HEADER;
    if (have < HEADER)
        return 0;
    reader_init(&r, w->in + w->used, HEADER);
    size_t len = reader_u32(&r);
    unsigned type = reader_u16(&r), fds = reader_u16(&r);
    const struct frame_row *row = row_of(type);
    if (!row || len < row->min || len > row->max || fds != row->fds)
        return wrong();
    *want = HEADER + len;
    if (have < *want)
        return 0;
    if (fds > w->fds_n)
        return wrong();
    *out = (struct frame){.type = row->type, .payload = w->in + w->used + HEADER, .len = len, .fd = -1};
    if (fds == 1) {
        out->fd = w->fds[0];
        w->fds_n--;
        memmove(w->fds, w->fds + 1, w->fds_n * sizeof(int));
    }
    w->used += *want;
    return 1;
}

static int take_fds(struct wire *w, struct msghdr *msg)
{
    if (msg->msg_flags & MSG_CTRUNC)
        return wrong();
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            return wrong();
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd = -1;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (w->fds_n < WIRE_FDS)
                w->fds[w->fds_n++] = fd;
            else {
                fd_close(&fd);
                return wrong();
            }
        }
    }
    return 0;
}

static int in_room(struct wire *w, size_t want)
{
    if (w->used > 0) {
        memmove(w->in, w->in + w->used, w->have - w->used);
        w->have -= w->used;
        w->used = 0;
    }
    size_t cap = want > READ_AHEAD ? want : READ_AHEAD;
    if (cap <= w->cap)
        return 0;
    uint8_t *grown = realloc(w->in, cap);
    if (!grown)
        return -1;
    w->in = grown;
    w->cap = cap;
    return 0;
}

#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

/* 1 something came; 0 nothing yet, or a signal; -1 with errno. */
static int receive_some(struct wire *w, bool block)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(WIRE_FDS * sizeof(int))];
    } control;
    struct iovec iov = {.iov_base = w->in + w->have, .iov_len = w->cap - w->have};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (w->takes_fds) {
        msg.msg_control = control.space;
        msg.msg_controllen = sizeof(control.space);
    }
    ssize_t n = recvmsg(w->fd, &msg, MSG_CMSG_CLOEXEC | (block ? 0 : MSG_DONTWAIT));
    if (n < 0) {
        if (errno == EINTR || (!block && (errno == EAGAIN || errno == EWOULDBLOCK)))
            return 0;
        if (errno == ECONNRESET)
            errno = EPIPE;
        return -1;
    }
    if (take_fds(w, &msg) != 0)
        return -1;
    if (n == 0) {
        errno = w->have > w->used ? EPROTO : EPIPE;
        return -1;
    }
    w->have += (size_t)n;
    return 1;
}

int wire_recv(struct wire *w, struct frame *out, bool block)
{
    for (;;) {
        size_t want = HEADER;
        int got = frame_parse(w, out, &want);
        if (got != 0)
            return got;
        if (w->cap - w->used < want || w->have == w->cap || w->used == w->have)
            if (in_room(w, want) != 0)
                return -1;
        got = receive_some(w, block);
        if (got < 0 || (got == 0 && !block))
            return got;
    }
}
