/* SPDX-License-Identifier: ISC
 * Landlock over the box's own layout: a second hold on what the mount table already says, and the only one on abstract
 * sockets and signals within the kernel's scopes. Where the kernel has none this is recorded, and the rest holds. */
#include "box/box_inside.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/fd.h"
#include "confine/confine_landlock.h"

static void allow(const struct box_plan *plan, const struct landlock *rules, const char *path, uint64_t rights)
{
    AUTO_FD fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || landlock_allow(rules, fd, rights) < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "adding a Landlock rule");
}

void inside_landlock(const struct box_plan *plan)
{
    char how[96];
    struct landlock rules;
    if (landlock_new(&rules, false) < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "creating a Landlock rule set");
    if (rules.abi == 0) {
        inside_send(plan, BOX_NOTE, 0, CONTROL_LANDLOCK, "", -1);
        return;
    }
    allow(plan, &rules, "/", LL_EXECUTE | LL_READ);
    allow(plan, &rules, "/dev", LL_READ | LL_WRITE_FILE | LL_TRUNCATE);
    allow(plan, &rules, "/scratch", rules.all);
    for (size_t i = 0; i < plan->inputs_n; i++)
        if (plan->inputs[i].copy)
            allow(plan, &rules, plan->inputs[i].at, plan->inputs[i].directory ? rules.all : (uint64_t)LL_FILE);
    if (landlock_enforce(&rules) < 0)
        inside_fail(plan, CONTROL_LANDLOCK, "restricting the job by Landlock");
    snprintf(how, sizeof how, "Landlock version %d: writes only in the scratch%s", rules.abi,
             rules.abi >= 6 ? "; abstract sockets and signals scoped" : "");
    inside_send(plan, BOX_NOTE, 0, CONTROL_LANDLOCK, how, -1);
}
