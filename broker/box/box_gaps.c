/* SPDX-License-Identifier: ISC
 * What is left where user namespaces are forbidden: Landlock and the filter alone. Each control that they do not give is
 * named as missing, with the reason, so that nobody takes the rest for a sandbox; no job is started in that tier. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "box/box_plan.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

enum { LANDLOCK_VERSION = 1, LANDLOCK_SCOPES_FROM = 6 };

static int landlock_version(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    return abi > 0 ? (int)abi : 0;
}

/* NULL: the control does not need a namespace. */
static const char *gap(enum control control, int landlock)
{
    switch (control) {
    case CONTROL_NETWORK:
        return "without a network namespace: Landlock has no say over UDP and over sockets by name";
    case CONTROL_INPUTS:
        return "without a mount namespace: no read-only view; Landlock leaves chmod, times and attributes";
    case CONTROL_SCRATCH_ONLY:
        return landlock ? "without a mount namespace: Landlock leaves chmod, times and attributes outside the scratch"
                        : "without a mount namespace, and this kernel has no Landlock";
    case CONTROL_PROCESSES:
        return "without a user namespace RLIMIT_NPROC counts every process of this user";
    case CONTROL_SCRATCH_SIZE:
    case CONTROL_INODES:
        return "without a user namespace no tmpfs of its own can bound the scratch";
    case CONTROL_PRIVILEGE:
        return landlock >= LANDLOCK_SCOPES_FROM
                   ? NULL
                   : "without a pid namespace: this kernel's Landlock does not hold signals to other processes";
    case CONTROL_CLEANUP:
        return "without a pid namespace and a tmpfs: no death of all with pid 1, no freeze, no unmount event";
    case CONTROL_NAMESPACES: /* named by the step that failed */
    case CONTROL_MEMORY:     /* control groups speak for themselves */
    case CONTROL_CPUS:
    case CONTROL_FILE_SIZE:
    case CONTROL_OUTPUT:
    case CONTROL_WALL:
    case CONTROL_SECCOMP:
    case CONTROL_LANDLOCK:
    case CONTROL_COUNT:
        return NULL;
    }
    return NULL;
}

void box_name_gaps(const struct box_plan *plan, struct box_result *result)
{
    char how[96];
    int landlock = landlock_version();
    if (result->controls[CONTROL_NAMESPACES].state != CONTROL_MISSING)
        return;
    for (int c = 0; c < CONTROL_COUNT; c++) {
        const char *missing = gap((enum control)c, landlock);
        bool there = result->controls[c].state == CONTROL_ENFORCED &&
                     !(c == CONTROL_PROCESSES && plan->pids_group); /* a control group counts without a namespace */
        if (missing && there)
            box_control(result, (enum control)c, CONTROL_MISSING, missing);
    }
    if (landlock)
        snprintf(how, sizeof how, "Landlock version %d would hold alone: no job is started behind it", landlock);
    else
        snprintf(how, sizeof how, "this kernel has none");
    box_control(result, CONTROL_LANDLOCK, landlock ? CONTROL_ENFORCED : CONTROL_UNENFORCED, how);
}
