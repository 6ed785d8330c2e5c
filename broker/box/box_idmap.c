/* SPDX-License-Identifier: ISC
 * Inputs for a job with a reserved user id: a detached view of each in which the owner of the input is the job's user, so
 * that what only its owner may read can be read, and nothing else changes hands. Runs as root in the supervisor, in a
 * mount namespace of its own, before it gives up its id. */
#include "box/box_inside.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_sys.h"

static bool write_map(pid_t pid, const char *file, uint32_t from, uint32_t to)
{
    char path[64], map[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    snprintf(map, sizeof map, "%u %u 1", from, to);
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && fd_write_full(fd, map, strlen(map)) == 0;
}

/* A user namespace that exists only as a mapping; -1 where it cannot be made. */
static int mapping(const struct box_plan *plan, const struct box_input *in)
{
    char path[64], byte = 0;
    int up[2];
    if (pipe2(up, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWUSER) < 0 || write(up[1], &byte, 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(up[1]);
    int fd = -1;
    if (pid > 0 && fd_read_full(up[0], &byte, 1) == 0 && write_map(pid, "uid_map", in->uid, plan->uid) &&
        write_map(pid, "gid_map", in->gid, plan->gid)) {
        snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    close(up[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    return fd;
}

static void pin_input(const struct box_plan *plan, struct box_input *in)
{
    struct stat st;
    AUTO_FD dir = inside_open_input(plan, in);
    in->lower = sys_clone_tree(dir, 0);
    if (in->lower < 0 || fstat(dir, &st) < 0)
        inside_fail(plan, CONTROL_INPUTS, "a private view of an input");
    AUTO_FD userns = mapping(plan, in);
    unsigned fixed = plan->off & (1u << CONTROL_INPUTS) ? 0 : MOUNT_ATTR_RDONLY;
    if (sys_mount_attr(in->lower, 0, fixed | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) < 0)
        inside_fail(plan, CONTROL_INPUTS, "a read-only view of an input");
    if (userns >= 0 && sys_mount_idmap(in->lower, userns) == 0)
        return;
    /* some filesystems cannot be mapped: then what everybody may read is what the job can read */
    if ((st.st_mode & 05) != 05)
        inside_fail(plan, CONTROL_INPUTS, "an input that only its owner may read, on a filesystem without id mapping; "
                                          "chmod o+rX it");
}

void inside_pin_inputs(struct box_plan *plan)
{
    if (unshare(CLONE_NEWNS) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, errno == EPERM ? "creating a mount namespace (a container's root may not: use --user)"
                                                             : "creating a mount namespace as root");
    inside_private_mounts(plan);
    plan->own_dev = inside_own_devices();
    for (size_t i = 0; i < plan->inputs_n; i++)
        if (!plan->inputs[i].fetched)
            pin_input(plan, &plan->inputs[i]);
    if (!plan->base_host)
        pin_input(plan, &plan->base);
}
