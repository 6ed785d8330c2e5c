/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/task.h"
#include "base/wire.h"

struct pair {
    struct wire a, b;
};

static void connect_pair(struct pair *p, bool b_takes_fds)
{
    int fds[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    wire_init(&p->a, &fds[0], false);
    wire_init(&p->b, &fds[1], b_takes_fds);
    cr_assert_eq(fds[0], -1);
}

static void disconnect(struct pair *p)
{
    wire_close(&p->a);
    wire_close(&p->b);
}

/* Sends raw bytes, with a descriptor where fd is not negative. */
static void raw(int socket, const void *data, size_t len, int fd)
{
    char space[CMSG_SPACE(sizeof(int))] = {0};
    char copy[256];
    memcpy(copy, data, len);
    struct iovec iov = {.iov_base = copy, .iov_len = len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        msg.msg_control = space;
        msg.msg_controllen = sizeof(space);
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    cr_assert_eq(sendmsg(socket, &msg, 0), (ssize_t)len);
}

Test(wire, frames_arrive_whole_and_in_order)
{
    struct pair p;
    struct frame f;
    connect_pair(&p, true);
    cr_assert_eq(wire_recv(&p.b, &f, false), 0);
    for (uint8_t i = 0; i < 200; i++)
        cr_assert_eq(wire_queue(&p.a, FRAME_START, (uint8_t[8]){i}, 8, -1), 0);
    cr_assert_eq(wire_flush(&p.a, true), 1);
    for (uint8_t i = 0; i < 200; i++) {
        cr_assert_eq(wire_recv(&p.b, &f, true), 1);
        cr_assert_eq(f.type, FRAME_START);
        cr_assert_eq(f.len, 8u);
        cr_assert_eq(f.payload[0], i);
        cr_assert_eq(f.fd, -1);
    }
    wire_close(&p.a);
    cr_assert_eq(wire_recv(&p.b, &f, true), -1);
    cr_assert_eq(errno, EPIPE);
    disconnect(&p);
}

Test(wire, a_frame_in_single_bytes_is_put_together)
{
    struct pair p;
    struct frame f;
    const uint8_t bytes[] = {8, 0, 0, 0, FRAME_START, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    connect_pair(&p, false);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        cr_assert_eq(wire_recv(&p.b, &f, false), 0);
        raw(p.a.fd, bytes + i, 1, -1);
    }
    cr_assert_eq(wire_recv(&p.b, &f, false), 1);
    cr_assert_arr_eq(f.payload, bytes + 8, 8);
    disconnect(&p);
}

/* All descriptors of a batch go in one message and come out with their own frames. */
Test(wire, descriptors_come_with_their_frames)
{
    struct pair p;
    struct frame f;
    struct task task = {.path = "x"};
    struct buf b;
    int pipes[BATCH_FILES][2];
    connect_pair(&p, true);
    buf_init(&b, FRAME_BYTES);
    for (size_t i = 0; i < BATCH_FILES; i++) {
        cr_assert_eq(pipe(pipes[i]), 0);
        task.id = i;
        buf_reset(&b);
        task_encode(&task, &b);
        cr_assert_eq(wire_queue(&p.a, FRAME_TASK, b.data, b.len, pipes[i][0]), 0);
    }
    cr_assert_eq(wire_queue(&p.a, FRAME_SPOOL, NULL, 0, pipes[0][0]), 0);
    cr_assert_eq(wire_queue(&p.a, FRAME_TASK, b.data, b.len, pipes[0][0]), -1);
    cr_assert_eq(errno, EAGAIN);
    cr_assert_eq(wire_queue(&p.a, FRAME_END, NULL, 0, -1), 0);
    cr_assert_eq(wire_flush(&p.a, true), 1);
    for (size_t i = 0; i < BATCH_FILES; i++) {
        uint8_t got = 0, sent = (uint8_t)i;
        cr_assert_eq(write(pipes[i][1], &sent, 1), 1);
        cr_assert_eq(wire_recv(&p.b, &f, true), 1);
        cr_assert(task_decode(&task, f.payload, f.len));
        cr_assert_eq(task.id, i);
        cr_assert_eq(read(f.fd, &got, 1), 1);
        cr_assert_eq(got, sent);
        cr_assert(fcntl(f.fd, F_GETFD) & FD_CLOEXEC);
        close(f.fd);
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    cr_assert_eq(wire_recv(&p.b, &f, true), 1);
    cr_assert_eq(f.type, FRAME_SPOOL);
    close(f.fd);
    cr_assert_eq(wire_recv(&p.b, &f, true), 1);
    cr_assert_eq(f.type, FRAME_END);
    buf_free(&b);
    disconnect(&p);
}

static void refused(const uint8_t *bytes, size_t len, int fd, bool takes_fds)
{
    struct pair p;
    struct frame f;
    connect_pair(&p, takes_fds);
    raw(p.a.fd, bytes, len, fd);
    cr_assert_eq(wire_recv(&p.b, &f, false), -1);
    cr_assert_eq(errno, EPROTO);
    disconnect(&p);
}

Test(wire, whatever_is_not_in_the_table_is_refused_before_it_is_read)
{
    refused((uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0}, 8, -1, false);                     /* no type */
    refused((uint8_t[]){8, 0, 0, 0, 200, 0, 0, 0}, 8, -1, false);                   /* unknown type */
    refused((uint8_t[]){8, 0, 0, 0, FRAME_START, 1, 0, 0}, 8, -1, false);           /* its high byte counts */
    refused((uint8_t[]){7, 0, 0, 0, FRAME_START, 0, 0, 0}, 8, -1, false);           /* too short */
    refused((uint8_t[]){9, 0, 0, 0, FRAME_START, 0, 0, 0}, 8, -1, false);           /* too long */
    refused((uint8_t[]){255, 255, 255, 255, FRAME_FINDING, 0, 0, 0}, 8, -1, false); /* absurd */
    refused((uint8_t[]){8, 0, 0, 0, FRAME_START, 0, 1, 0}, 8, -1, false);           /* says a descriptor where none is */
    refused((uint8_t[]){0, 0, 0, 0, FRAME_END, 0, 0, 1}, 8, -1, false);             /* 256 of them */
}

Test(wire, descriptors_where_none_belong_or_missing_are_refused)
{
    const uint8_t start[] = {8, 0, 0, 0, FRAME_START, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t batch[] = {4, 0, 0, 0, FRAME_BATCH, 0, 1, 0, 1, 0, 0, 0};
    refused(start, sizeof(start), STDIN_FILENO, false);
    refused(batch, sizeof(batch), -1, true);
    struct pair p;
    struct frame f;
    connect_pair(&p, true);
    raw(p.a.fd, batch, sizeof(batch), STDERR_FILENO);
    cr_assert_eq(wire_recv(&p.b, &f, false), 1);
    cr_assert(f.fd >= 0);
    close(f.fd);
    disconnect(&p);
}

Test(wire, a_cut_off_frame_is_not_an_end)
{
    struct pair p;
    struct frame f;
    connect_pair(&p, false);
    raw(p.a.fd, (uint8_t[]){8, 0, 0, 0, FRAME_START, 0, 0, 0, 1, 2}, 10, -1);
    wire_close(&p.a);
    cr_assert_eq(wire_recv(&p.b, &f, true), -1);
    cr_assert_eq(errno, EPROTO);
    disconnect(&p);
}

Test(wire, a_full_socket_does_not_block_and_loses_nothing)
{
    struct pair p;
    struct frame f;
    uint32_t sent = 0, got = 0;
    uint8_t *scan = calloc(1, 8 + SCAN_BYTES);
    connect_pair(&p, false);
    while (wire_flush(&p.a, false) == 1) {
        memcpy(scan, &sent, sizeof(sent));
        cr_assert_eq(wire_queue(&p.a, FRAME_SCAN, scan, 8 + SCAN_BYTES, -1), 0);
        sent++;
    }
    while (got < sent) {
        uint32_t number = 0;
        cr_assert(wire_flush(&p.a, false) >= 0);
        int rc = wire_recv(&p.b, &f, false);
        cr_assert(rc >= 0);
        if (rc == 0)
            continue;
        memcpy(&number, f.payload, sizeof(number));
        cr_assert_eq(number, got);
        cr_assert_eq(f.len, 8u + SCAN_BYTES);
        got++;
    }
    cr_assert(sent >= 1);
    free(scan);
    disconnect(&p);
}

Test(wire, sending_to_nobody_is_an_error)
{
    struct pair p;
    connect_pair(&p, false);
    wire_close(&p.b);
    cr_assert_eq(wire_send(&p.a, FRAME_END, NULL, 0, -1), -1);
    cr_assert_eq(errno, EPIPE);
    cr_assert_eq(wire_queue(&p.a, FRAME_START, "x", 1, -1), -1);
    cr_assert_eq(errno, EINVAL);
    disconnect(&p);
}
