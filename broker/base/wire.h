/* SPDX-License-Identifier: ISC
 * Length-prefixed frames over SOCK_STREAM between the broker and its workers. Frame: u32 payload length, u16 type, u16
 * number of descriptors, payload. Everything that is not exactly as the table says is fatal to the peer. */
#ifndef SALLYPORT_WIRE_H
#define SALLYPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/compiler.h"

enum frame_type {
    FRAME_NONE = 0,
    /* broker -> worker parent */
    FRAME_BATCH = 1, /* u32 child number; one descriptor: the socket of the new child */
    FRAME_KILL = 2,  /* u32 child number */
    /* broker -> child */
    FRAME_TASK = 16,   /* task_encode(); one descriptor */
    FRAME_SCAN = 17,   /* u64 id, text of our own */
    FRAME_STREAM = 18, /* task_encode(); one descriptor: a spooled tar stream, answered by EXTENT */
    FRAME_END = 19,    /* no more tasks */
    FRAME_SPOOL = 20,  /* one descriptor: an unnamed file of the child's own, for what it unpacks; before any task */
    /* child -> broker; the payloads are those of finding_wire.h */
    FRAME_HELLO = 31,  /* what the child could apply to itself; before anything else */
    FRAME_START = 32,
    FRAME_CLAIM = 33,
    FRAME_FINDING = 34,
    FRAME_EXTENT = 35,
    FRAME_DONE = 36,
    FRAME_FINISH = 37, /* the task is over: counts */
    FRAME_LISTING = 38,
    FRAME_NESTED = 39, /* the listing of an archive inside the file */
    /* worker parent -> broker */
    FRAME_READY = 48, /* version and libraries */
    FRAME_EXIT = 49   /* u32 child number, u32 wait status */
};

enum { WIRE_FDS = 65 }; /* a full batch and its spool */

struct frame {
    enum frame_type type;
    const uint8_t *payload; /* into the connection's buffer; good until the next call */
    size_t len;
    int fd;                 /* received descriptor or -1; owned by whoever takes it */
};

/* One end of a connection. wire_init() takes the descriptor. takes_fds false (the broker's ends): a descriptor that
 * arrives is EPROTO. Descriptors of queued frames travel together with the first of them: 0.5 us each, 11 one by one. */
struct wire {
    int fd; /* owned; -1: closed */
    bool takes_fds;
    uint8_t *in;          /* owned: bytes from `used` to `have` are not handed out yet */
    size_t used, have, cap;
    int fds[WIRE_FDS];    /* received and not yet handed out; owned */
    size_t fds_n;
    uint8_t *out;         /* owned: queued and not yet sent */
    size_t out_len, out_cap;
    int out_fds[WIRE_FDS]; /* borrowed until they are sent */
    size_t out_fds_n;
};

void wire_init(struct wire *w, int *fd, bool takes_fds);
void wire_close(struct wire *w);

/* Queues one frame; fd < 0: none. 0, or -1 with errno (EINVAL: not as the table says; EAGAIN: WIRE_FDS descriptors are
 * waiting, flush first; ENOMEM). */
int wire_queue(struct wire *w, enum frame_type type, const void *payload, size_t len, int fd) MUST_CHECK;
/* Sends what is queued. 1 all of it; 0 the socket is full (only where block is false); -1 with errno (EPIPE: the peer is
 * gone). */
int wire_flush(struct wire *w, bool block) MUST_CHECK;
/* Queues and sends, blocking. 0 or -1 with errno. */
int wire_send(struct wire *w, enum frame_type type, const void *payload, size_t len, int fd) MUST_CHECK;
/* Next complete frame. 1 got one; 0 none yet (only where block is false); -1 with errno: EPIPE end of stream at the end of
 * a frame, EPROTO a frame that is not in the table, has the wrong size, is cut off, or a descriptor too many or few. */
int wire_recv(struct wire *w, struct frame *out, bool block) MUST_CHECK;

#endif
