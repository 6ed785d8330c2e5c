/* SPDX-License-Identifier: ISC
 * Landlock: denies the filesystem, TCP and outside signals to this process and all it forks. Source: kernel
 * Documentation/userspace-api/landlock.rst. */
#ifndef SALLYPORT_CONFINE_LANDLOCK_H
#define SALLYPORT_CONFINE_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Denies everything that the kernel's version knows. Returns the ABI version that was enforced, 0 where the kernel has
 * none or has it switched off, -1 with errno where it is there and refused. */
int landlock_deny_all(void) MUST_CHECK;
/* The same, but what resolving names reads stays readable, and TCP is left: for the relay of a fetch phase. */
int landlock_resolver(void) MUST_CHECK;

/* The same by steps. Rights as the kernel numbers them, so that an older header does not lower what is asked for. */
enum landlock_right {
    LL_EXECUTE = 1 << 0,
    LL_WRITE_FILE = 1 << 1,
    LL_READ_FILE = 1 << 2,
    LL_READ_DIR = 1 << 3,
    LL_TRUNCATE = 1 << 14,
    LL_IOCTL_DEV = 1 << 15,
    LL_READ = LL_READ_FILE | LL_READ_DIR,
    LL_FILE = LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | LL_TRUNCATE | LL_IOCTL_DEV /* what a single file knows */
};

struct landlock {
    int fd;       /* of the rule set; owned until landlock_enforce(); -1: none */
    int abi;      /* that it will enforce; 0: the kernel has none */
    uint64_t all; /* every right of files that this version knows */
};

/* A rule set that denies all files, the scopes, and TCP where `network`. 0, also where the kernel has none; -1 with errno. */
int landlock_new(struct landlock *out, bool network) MUST_CHECK;
/* Allows these rights, as far as the version knows them, at and beneath what fd is. 0 or -1 with errno. */
int landlock_allow(const struct landlock *rules, int fd, uint64_t rights) MUST_CHECK;
/* For good; ends the rule set. 0 or -1 with errno. */
int landlock_enforce(struct landlock *rules) MUST_CHECK;

#endif
