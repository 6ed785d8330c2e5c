/* SPDX-License-Identifier: ISC
 * The worker's profile: resource limits here, the rest in the file of the system. */
#include "confine/confine.h"

#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "confine/confine_system.h"

struct limit {
    unsigned resource;
    rlim_t value;
};

static const struct limit worker_limits[] = {
#ifndef SP_SANITIZERS /* the shadow memory of ASan alone is terabytes of addresses */
    {RLIMIT_AS, WORKER_ADDRESS_SPACE},
#endif
    {RLIMIT_FSIZE, WORKER_SPOOL}, /* a child can write to its spool alone */
    {RLIMIT_CORE, 0},
    {RLIMIT_MEMLOCK, 0},
    {RLIMIT_NOFILE, WORKER_DESCRIPTORS},
    {RLIMIT_CPU, WORKER_CPU_SECONDS},
};

static int limits_apply(void)
{
    for (size_t i = 0; i < ARRAY_LEN(worker_limits); i++) {
        struct rlimit now, want = {worker_limits[i].value, worker_limits[i].value};
        if (getrlimit(worker_limits[i].resource, &now) != 0)
            return -1;
        if (now.rlim_max < want.rlim_max) /* already tighter: not ours to widen */
            want.rlim_cur = want.rlim_max = now.rlim_max;
        if (setrlimit(worker_limits[i].resource, &want) != 0)
            return -1;
    }
    return 0;
}

int confine_worker_parent(struct confinement *applied)
{
    *applied = (struct confinement){.parent = getpid()};
    if (system_lower(applied) != 0 || limits_apply() != 0)
        return -1;
    applied->rlimits = true;
    return 0;
}

int confine_worker_child(struct confinement *applied)
{
    return system_filter(applied);
}
