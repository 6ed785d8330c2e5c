/* SPDX-License-Identifier: ISC
 * What would provide a control that is missing, and how its owner can check. */
#include "probe/probe.h"

static const char *const plans[CONTROL_COUNT] = {
    [CONTROL_NAMESPACES] = "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 and "
                           "kernel.apparmor_restrict_unprivileged_userns=0, or run as root; in a container add "
                           "--security-opt seccomp=unconfined --security-opt systempaths=unconfined; instead of a chroot "
                           "use bwrap or systemd-nspawn with their own mount of /. Check: unshare -Urmpf --mount-proc true",
    [CONTROL_NETWORK] = "a kernel with network namespaces. Check: unshare -Urn true",
    [CONTROL_INPUTS] = "overlayfs in user namespaces (Linux 5.11, module overlay loaded), and inputs without other filesystems "
                       "mounted inside. Check: grep overlay /proc/filesystems",
    [CONTROL_SCRATCH_ONLY] = "the mount calls of Linux 5.12 (mount_setattr)",
    [CONTROL_MEMORY] = "run as root, or in a delegated control group: systemd-run --user --scope -p Delegate=yes sallyport ...; "
                       "or say 'memory: unenforced' in the contract. Check: cat /sys/fs/cgroup/cgroup.controllers",
    [CONTROL_PROCESSES] = "an ordinary user id for the job: run as root with unused ids, or as an ordinary user",
    [CONTROL_CPUS] = "run as root, or in a delegated control group with the controller cpu; or leave 'cpus' out",
    [CONTROL_FILE_SIZE] = "RLIMIT_FSIZE, which every Linux has: look at the fault",
    [CONTROL_SCRATCH_SIZE] = "tmpfs in user namespaces (Linux 5.2 with fsopen)",
    [CONTROL_INODES] = "tmpfs in user namespaces (Linux 5.2 with fsopen)",
    [CONTROL_OUTPUT] = "the broker itself: look at the fault",
    [CONTROL_WALL] = "the broker itself: look at the fault",
    [CONTROL_PRIVILEGE] = "a kernel that lets a process drop its capabilities, and /proc/sys/user that can be written; in a "
                          "container add --security-opt systempaths=unconfined. Check: test -w /proc/sys/user/max_user_namespaces",
    [CONTROL_SECCOMP] = "a kernel with CONFIG_SECCOMP_FILTER on x86-64 or arm64. Check: grep Seccomp /proc/self/status",
    [CONTROL_LANDLOCK] = "a kernel with CONFIG_SECURITY_LANDLOCK and landlock in its lsm= list",
    [CONTROL_CLEANUP] = "inotify, and /proc of the broker's own process namespace",
};

const char *probe_plan(enum control control)
{
    return (unsigned)control < CONTROL_COUNT && plans[control] ? plans[control] : "";
}
