/* SPDX-License-Identifier: ISC
 * What a job could leave on its host: mounts, control groups, processes of its user id, network links, System V IPC,
 * keys. */
#ifndef SALLYPORT_PROBE_SNAPSHOT_H
#define SALLYPORT_PROBE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { SNAPSHOT_PARTS = 8 };

struct probe_snapshot {
    uint64_t count[SNAPSHOT_PARTS]; /* number of lines, entries or processes of each kind */
};

/* 0 or -1 with errno. */
int snapshot_take(struct probe_snapshot *s, uint32_t uid) MUST_CHECK;
/* False: `what` says what there is more of. Less is somebody else's doing. */
bool snapshot_same(const struct probe_snapshot *before, const struct probe_snapshot *after, char *what, size_t size);

#endif
