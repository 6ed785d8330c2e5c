/* SPDX-License-Identifier: ISC
 * Frames between the broker and the agent that is the first process of a container on another host: u32 length, u16 type,
 * u16 zero, payload; little-endian. A table gives each type's least and greatest payload, and anything else is no frame.
 * Pure; compiled into the broker and into the static agent, with no memory but the caller's. */
#ifndef SALLYPORT_FAR_WIRE_H
#define SALLYPORT_FAR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum far_type {
    FAR_NONE = 0,
    /* agent -> broker */
    FAR_HELLO = 1, /* the container is ready and the job is held: what the agent found */
    FAR_FAULT = 2, /* it is not: control, errno, words; nothing after it */
    FAR_OUT = 3,   /* bytes of the job's standard output, and error */
    FAR_ERR = 4,
    FAR_END = 5,   /* how the job ended */
    FAR_QUIET = 6, /* who is left, whether the scratch could be made read-only, which limits were met */
    FAR_ENTRY = 7, /* one object in the scratch */
    FAR_LISTED = 8,/* that were all */
    FAR_FILE = 9,  /* what the next asked-for file is now; its bytes follow */
    FAR_DATA = 10,
    FAR_DONE = 11, /* how many they were, and whether reading failed */
    /* broker -> agent */
    FAR_GO = 32,
    FAR_WANT = 33, /* the name of a file that was listed */
    FAR_BYE = 34
};

enum {
    FAR_VERSION = 1,
    FAR_HEAD = 8,
    FAR_CHUNK = 32 * 1024, /* largest payload */
    FAR_HELLO_BYTES = 64,
    FAR_END_BYTES = 8,
    FAR_QUIET_BYTES = 32,
    FAR_FACTS_BYTES = 56,
    FAR_LISTED_BYTES = 16,
    FAR_DONE_BYTES = 16,
    FAR_FAULT_BYTES = 8,   /* before its words */
    FAR_FAULT_WORDS = 120,
    FAR_ERROR_BITS = 12,   /* of an errno */
    FAR_ERROR_MASK = (1 << FAR_ERROR_BITS) - 1
};

enum far_how { FAR_EXITED = 1, FAR_SIGNALLED, FAR_TIMED_OUT, FAR_TOO_MUCH_OUTPUT, FAR_NO_EXEC, FAR_NOT_LOWERED };

/* Numbers that could not be read are 0, those without a limit UINT64_MAX. */
struct far_hello {
    uint32_t version, uid;
    uint64_t scratch_type, scratch_bytes, scratch_inodes, memory, memory_swap, processes, cpus_milli;
};
/* value: status, signal or errno; of FAR_NOT_LOWERED far_lacks(). */
struct far_end {
    uint32_t how, value;
};
struct far_quiet {
    uint32_t left;     /* processes beside the agent */
    uint32_t unfrozen; /* errno of making the scratch read-only; 0: it is */
    uint32_t hit;      /* bits of enum control */
    uint64_t memory_peak, cpu_ms;
};
/* kind: enum object_kind */
struct far_facts {
    uint32_t kind, mode, uid, gid;
    uint64_t links, size, ino;
    int64_t mtime_ns;
};
struct far_listed {
    uint64_t count;
    uint32_t error;
};
struct far_done {
    uint64_t bytes;
    uint32_t error;
};

struct far_frame {
    enum far_type type;
    const uint8_t *data;
    size_t len;
};

void far_head(uint8_t out[FAR_HEAD], enum far_type type, size_t len);
/* The first frame of what was read: its whole length, 0 where more is needed, -1: it can be no frame. agent: of those that
 * the agent sends, else of those that the broker sends. */
long far_frame(const uint8_t *data, size_t len, bool agent, struct far_frame *out);

/* The control that could not be set up, and errno, in one value; enum control and errno of it. A control beyond those that
 * there are is left out. */
uint32_t far_lacks(uint32_t control, uint32_t error);

void far_hello_encode(const struct far_hello *h, uint8_t out[FAR_HELLO_BYTES]);
void far_end_encode(const struct far_end *e, uint8_t out[FAR_END_BYTES]);
void far_quiet_encode(const struct far_quiet *q, uint8_t out[FAR_QUIET_BYTES]);
void far_facts_encode(const struct far_facts *f, uint8_t out[FAR_FACTS_BYTES]);
void far_listed_encode(const struct far_listed *l, uint8_t out[FAR_LISTED_BYTES]);
void far_done_encode(const struct far_done *d, uint8_t out[FAR_DONE_BYTES]);
void far_pair_encode(uint32_t a, uint32_t b, uint8_t out[FAR_FAULT_BYTES]);

/* Of a payload at least as long as the table says; false: a value that no agent sends. */
bool far_hello_decode(const uint8_t *data, struct far_hello *out);
bool far_end_decode(const uint8_t *data, struct far_end *out);
bool far_quiet_decode(const uint8_t *data, struct far_quiet *out);
bool far_facts_decode(const uint8_t *data, struct far_facts *out);
bool far_listed_decode(const uint8_t *data, struct far_listed *out);
bool far_done_decode(const uint8_t *data, struct far_done *out);
void far_pair_decode(const uint8_t *data, uint32_t *a, uint32_t *b);

#endif
