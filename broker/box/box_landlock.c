/* SPDX-License-Identifier: ISC
 * Landlock over the box's own layout: a second hold on what the mount table already says, and the only one on abstract
 * sockets and signals within the kernel's scopes. Where the kernel has none this is recorded, and the rest holds. */
#include "box/box_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "box/box_sys.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* Own copies of the kernel's layout (linux/landlock.h), so that an older header does not lower what is asked for. */
struct ruleset {
    uint64_t fs, net, scoped;
};
struct beneath {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

enum {
    LL_EXECUTE = 1 << 0,
    LL_WRITE_FILE = 1 << 1,
    LL_READ_FILE = 1 << 2,
    LL_READ_DIR = 1 << 3,
    LL_TRUNCATE = 1 << 14,
    LL_IOCTL_DEV = 1 << 15,
    LL_READ = LL_READ_FILE | LL_READ_DIR,
    LL_FILE = LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | LL_TRUNCATE | LL_IOCTL_DEV, /* what a single file knows */
    LL_SCOPES = 3, /* abstract sockets, signals */
    LL_VERSION = 1 << 0,
    LL_RULE_BENEATH = 1
};

/* Greatest set of access rights by version: 1, 2 REFER, 3 TRUNCATE, 5 IOCTL_DEV. */
static uint64_t rights(int abi)
{
    unsigned bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
    return ((uint64_t)1 << bits) - 1;
}

static void allow(const struct box_plan *plan, int rules, const char *path, uint64_t access)
{
    AUTO_FD fd = open(path, O_PATH | O_CLOEXEC);
    struct beneath rule = {.allowed = access, .fd = fd};
    if (fd < 0 || syscall(SYS_landlock_add_rule, rules, LL_RULE_BENEATH, &rule, 0) < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "adding a Landlock rule");
}

void inside_landlock(const struct box_plan *plan)
{
    char how[96];
    int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LL_VERSION);
    if (abi < 1) {
        inside_send(plan, BOX_NOTE, 0, CONTROL_LANDLOCK, "", -1);
        return;
    }
    uint64_t all = rights(abi);
    struct ruleset wanted = {.fs = all, .scoped = abi >= 6 ? LL_SCOPES : 0};
    size_t size = abi >= 6 ? sizeof wanted : abi >= 4 ? 16 : 8;
    AUTO_FD rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    if (rules < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "creating a Landlock rule set");
    allow(plan, rules, "/", (LL_EXECUTE | LL_READ) & all);
    allow(plan, rules, "/dev", (LL_READ | LL_WRITE_FILE | LL_TRUNCATE) & all);
    allow(plan, rules, "/scratch", all);
    for (size_t i = 0; i < plan->inputs_n; i++)
        if (plan->inputs[i].copy)
            allow(plan, rules, plan->inputs[i].at, plan->inputs[i].directory ? all : LL_FILE & all);
    if (syscall(SYS_landlock_restrict_self, rules, 0) < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "restricting the job by Landlock");
    snprintf(how, sizeof how, "Landlock version %d: writes only in the scratch%s", abi,
             abi >= 6 ? "; abstract sockets and signals scoped" : "");
    inside_send(plan, BOX_NOTE, 0, CONTROL_LANDLOCK, how, -1);
}
