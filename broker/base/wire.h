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
    FRAME_BATCH = 1,   /* one descriptor: the socket of a new child */
    FRAME_KILL = 2,    /* child number */
    FRAME_RULES = 3,   /* one descriptor: a sealed rule table */
    /* broker -> child */
    FRAME_TASK = 16,   /* one descriptor */
    FRAME_SCAN = 17,
    FRAME_STREAM = 18, /* one descriptor: a spooled tar stream; answered by EXTENT */
    FRAME_END = 19,    /* no more tasks */
    /* child -> broker */
    FRAME_START = 32,
    FRAME_CLAIM = 33,
    FRAME_FINDING = 34,
    FRAME_EXTENT = 35,
    FRAME_DONE = 36,
    FRAME_FINISH = 37, /* the task is over: counts */
    /* worker parent -> broker */
    FRAME_READY = 48,  /* version, applied confinement */
    FRAME_EXIT = 49    /* child number, wait status */
};

struct frame {
    enum frame_type type;
    const uint8_t *payload; /* into the connection's buffer; good until the next call */
    size_t len;
    int fd;                 /* received descriptor or -1; owned by whoever takes it */
};

/* One end of a connection with its input buffer. Zero-initialise, set fd. */
struct wire {
    int fd;       /* owned */
    struct buf in;
    size_t used;  /* bytes of `in` already handed out */
    int fds[64];  /* received and not yet handed out */
    size_t fds_n;
};

void wire_init(struct wire *w, int *fd);
void wire_close(struct wire *w);
/* Sends one frame, blocking; fd < 0: none. 0, or -1 with errno (EPIPE: the peer is gone). */
int wire_send(struct wire *w, enum frame_type type, const void *payload, size_t len, int fd) MUST_CHECK;
/* Next complete frame. 1 got one; 0 none yet (only where block is false) ; -1 with errno: EPIPE end of stream, EPROTO a
 * frame that is not in the table or has the wrong size. */
int wire_recv(struct wire *w, struct frame *out, bool block) MUST_CHECK;

#endif
