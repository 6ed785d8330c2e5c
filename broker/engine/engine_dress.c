/* SPDX-License-Identifier: ISC
 * Broker and its child, as root, before the job is let go: what is mounted here cannot be unmounted by a job without
 * capabilities. The image is not trusted: no link of it is followed in a last component, and an input is covered only where
 * the object there is the pinned one. */
#include "engine/engine_dress.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "box/box_sys.h"
#include "engine/hold_dress.h"

enum { READ_ONLY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

struct dress_fault {
    int32_t control, error;
    char what[96];
};

static NORETURN void failed(int report, enum control control, const char *what)
{
    struct dress_fault f = {.control = (int32_t)control, .error = errno};
    snprintf(f.what, sizeof f.what, "%s", what);
    if (fd_write_full(report, &f, sizeof f) < 0)
        _exit(2);
    _exit(1);
}

static int cover_input(const struct box_input *in)
{
    struct stat st;
    char layers[2 * PATH_BYTES];
    AUTO_FD bind = open(in->at, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (bind < 0 || fstat(bind, &st) < 0)
        return -1;
    if (st.st_dev != in->dev || st.st_ino != in->ino) {
        errno = ESTALE;
        return -1;
    }
    snprintf(layers, sizeof layers, "%s:" ENGINE_HOME "/empty", in->at);
    AUTO_FD fs = sys_fsopen("overlay");
    if (fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "lowerdir", layers) < 0 ||
        sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        return -1;
    AUTO_FD mount_fd = sys_fsmount(fs, READ_ONLY);
    return mount_fd < 0 ? -1 : sys_attach(mount_fd, bind);
}

static NORETURN void dress(const struct engine_job *job, int namespace, int report)
{
    umask(0);
    if (setns(namespace, CLONE_NEWNS) < 0)
        failed(report, CONTROL_NAMESPACES, "entering the container's mount namespace");
    for (size_t i = 0; i < job->plan.inputs_n; i++)
        if (!job_off(job, CONTROL_INPUTS) && job->plan.inputs[i].directory && cover_input(&job->plan.inputs[i]) < 0)
            failed(report, CONTROL_INPUTS, "an overlay over an input");
    if (!job_off(job, CONTROL_SCRATCH_ONLY) &&
        (dress_lead("/scratch/.tmp", "/tmp") < 0 || dress_lead("/scratch/.shm", "/dev/shm") < 0))
        failed(report, CONTROL_SCRATCH_ONLY, "leading /tmp and /dev/shm into the scratch");
    if (!job_off(job, CONTROL_NAMESPACES) && dress_hide_kernel() < 0)
        failed(report, CONTROL_NAMESPACES, "hiding what the container shows of the kernel");
    _exit(0);
}

/* /tmp and /dev/shm of the job, in the scratch and within its caps. */
static int make_places(const struct engine_job *job)
{
    static const char *const places[] = {".tmp", ".shm"};
    int scratch = job->result->scratch_fd;
    bool root = job_off(job, CONTROL_PRIVILEGE) || job_off(job, CONTROL_SCRATCH_ONLY);
    uid_t uid = root ? 0 : job->plan.uid;
    gid_t gid = root ? 0 : job->plan.gid;
    if (fchown(scratch, uid, gid) < 0 || fchmod(scratch, 0700) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (mkdirat(scratch, places[i], 0700) < 0 || fchownat(scratch, places[i], uid, gid, AT_SYMLINK_NOFOLLOW) < 0)
            return -1;
    return 0;
}

int engine_dress(struct engine_job *job)
{
    struct dress_fault f;
    int ends[2], status = 0;
    char how[200];
    AUTO_FD namespace = openat(job->proc, "ns/mnt", O_RDONLY | O_CLOEXEC);
    if (namespace < 0 || make_places(job) < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return job_fault(job, errno, "the container's scratch could not be prepared");
    pid_t child = fork();
    if (child == 0)
        dress(job, namespace, ends[1]);
    close(ends[1]);
    AUTO_FD report = ends[0];
    bool told = child > 0 && fd_read_full(report, &f, sizeof f) == 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (!told)
        return job_fault(job, EIO, "the container's mounts could not be changed");
    f.what[sizeof f.what - 1] = 0;
    snprintf(how, sizeof how, "%s: %s", f.what, strerror(f.error));
    if (f.control >= 0 && f.control < CONTROL_COUNT)
        box_control(job->result, (enum control)f.control, CONTROL_MISSING, how);
    (void)job_fault(job, f.error, "%s", how);
    return 1;
}
