/* SPDX-License-Identifier: ISC
 * What pid 1 and the job give up: capabilities and no_new_privs once every mount is made, limits last. Nothing here can be
 * taken back. */
#include "box/box_inside.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "box/box_sys.h"

/* Never raised above what we were given ourselves. */
static void limit(const struct box_plan *plan, enum control control, __rlimit_resource_t what, uint64_t value)
{
    struct rlimit now, wanted = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
    if (getrlimit(what, &now) < 0)
        inside_fail(plan, control, "reading a resource limit");
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted.rlim_max)
        wanted.rlim_cur = wanted.rlim_max = now.rlim_max;
    if (setrlimit(what, &wanted) < 0 || getrlimit(what, &now) < 0 || now.rlim_max != wanted.rlim_max)
        inside_fail(plan, control, "setting a resource limit");
}

void inside_limits(const struct box_plan *plan)
{
    const struct run_limits *l = &plan->run->limits;
    if (!(plan->off & (1u << CONTROL_PRIVILEGE))) /* 1, not 0: a host that pipes core files to a helper only stops at 1 */
        limit(plan, CONTROL_PRIVILEGE, RLIMIT_CORE, 1);
    limit(plan, CONTROL_PRIVILEGE, RLIMIT_MSGQUEUE, 0);
    limit(plan, CONTROL_PRIVILEGE, RLIMIT_NOFILE, BOX_OPEN_FILES);
    limit(plan, CONTROL_PRIVILEGE, RLIMIT_RTPRIO, 0); /* desktop users often may run before all others */
    limit(plan, CONTROL_PRIVILEGE, RLIMIT_NICE, 0);
    limit(plan, CONTROL_PRIVILEGE, RLIMIT_MEMLOCK, BOX_LOCKED_BYTES);
    if (l->has_file && !(plan->off & (1u << CONTROL_FILE_SIZE)))
        limit(plan, CONTROL_FILE_SIZE, RLIMIT_FSIZE, l->file);
    /* counted per user namespace, where the supervisor and pid 1 live as well. Behind a control group, which can tell that
     * it was hit, twice as wide: this limit also counts forks that are about to fail, one of every process at worst */
    if (l->has_processes && !(plan->off & (1u << CONTROL_PROCESSES)))
        limit(plan, CONTROL_PROCESSES, RLIMIT_NPROC, plan->pids_group ? 2 * l->processes + 10 : l->processes + 2);
}

static void drop_capabilities(const struct box_plan *plan)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                               SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
        inside_fail(plan, CONTROL_PRIVILEGE, "setting securebits");
    for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
        if (cap > 63)
            break;
    if (prctl(PR_CAPBSET_READ, 0, 0, 0, 0) != 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
        syscall(SYS_capset, &head, none) < 0)
        inside_fail(plan, CONTROL_PRIVILEGE, "dropping capabilities");
}

/* The mutant of the probes: every capability in the box's user namespace survives the exec. */
static void keep_capabilities(const struct box_plan *plan)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct own[2];
    if (syscall(SYS_capget, &head, own) < 0)
        inside_fail(plan, CONTROL_PRIVILEGE, "reading capabilities");
    for (int i = 0; i < 2; i++)
        own[i].inheritable = own[i].permitted;
    if (syscall(SYS_capset, &head, own) < 0)
        inside_fail(plan, CONTROL_PRIVILEGE, "keeping capabilities");
    for (unsigned long cap = 0; cap < 64; cap++)
        if (own[cap / 32].permitted & (1u << (cap % 32)))
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
}

void inside_lower(const struct box_plan *plan)
{
    if (plan->off & (1u << CONTROL_PRIVILEGE)) {
        keep_capabilities(plan);
        return;
    }
    drop_capabilities(plan);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        inside_fail(plan, CONTROL_PRIVILEGE, "setting no_new_privs");
}
