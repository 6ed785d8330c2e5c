/* SPDX-License-Identifier: ISC
 * Walks a pickle (protocols 0 to 5, Lib/pickletools.py of Python 3.11) opcode by opcode without building anything: only
 * the height of the stack and its marks are kept. */
#ifndef SALLYPORT_PICKLE_H
#define SALLYPORT_PICKLE_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/bytes.h"

struct pickle_walk {
    bool complete;    /* one pickle or several, back to back, up to the last byte */
    bool protocol;    /* starts with PROTO 2 or later */
    bool global;      /* a name is looked up (import), with the stack as the reader needs it */
    bool call;        /* and something is called or built with it */
    bool straddle;    /* a frame ends inside an opcode, or begins inside another: readers differ */
    bool limit;       /* the bound on opcodes was reached */
    uint64_t global_at, call_at, straddle_at;
    uint64_t end;     /* behind the last opcode that was understood */
    uint64_t ops;
};

/* From offset on, going on behind each STOP. Code of a pickle runs before a later fault is seen, so what stands before a
 * fault counts. */
struct pickle_walk pickle_walk(struct bytes *b, uint64_t offset);

#endif
