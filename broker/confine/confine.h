/* SPDX-License-Identifier: ISC
 * Lowering our own privileges. Two steps for a worker: its parent gives up what children never need (inherited by each),
 * a child then locks itself before it sees a hostile byte. What was really applied is reported; a missing filter is a
 * failure, never a shrug. */
#ifndef SALLYPORT_CONFINE_H
#define SALLYPORT_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"

/* What was really applied. seccomp stands for the system's own filter: Seatbelt on macOS, pledge or Capsicum on BSD. */
struct confinement {
    bool seccomp;
    bool rlimits;
    int landlock_abi; /* 0: the kernel has none */
    pid_t parent;     /* who did the first step: a child that lost it meanwhile must not go on */
};

/* In the worker's parent, after everything was opened and compiled: no new privileges, not dumpable, dies with the
 * broker, no files to open (Landlock), resource limits. 0 or -1 with errno. */
int confine_worker_parent(struct confinement *applied) MUST_CHECK;
/* In a fresh child: afterwards only anonymous memory, reads of open descriptors and messages on its socket are left;
 * anything else kills it. *applied comes from the parent's step. 0, or -1 with errno (ENOTSUP, ENOSYS, EINVAL: this
 * system has no filter). */
int confine_worker_child(struct confinement *applied) MUST_CHECK;

#endif
