/* SPDX-License-Identifier: ISC
 * What the broker tells a worker about one file. Encoded by task_encode(), decoded by task_decode() (pure). */
#ifndef SALLYPORT_TASK_H
#define SALLYPORT_TASK_H

#include "base/buf.h"
#include "base/contract.h"
#include "base/limits.h"
#include "base/type.h"

/* What a program is asked: the first reader everything, the second one question. */
enum task_ask { ASK_ALL = 0, ASK_LISTING, ASK_TYPE };

struct task {
    uint64_t id;
    uint64_t size;
    uint64_t base;             /* where its content begins in the descriptor */
    char path[PATH_BYTES + 1]; /* raw bytes; only its name rules and extension matter to the worker */
    struct type_set admitted;
    enum names_policy names;
    struct inside inside;
    enum task_ask ask;
    enum type container; /* ASK_LISTING: what the first reader read the file as */
};

void task_encode(const struct task *task, struct buf *out);
/* False on anything that is not exactly one well-formed task. */
bool task_decode(struct task *task, const uint8_t *data, size_t len);

#endif
