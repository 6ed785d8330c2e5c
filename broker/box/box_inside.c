/* SPDX-License-Identifier: ISC
 * The box child: supervisor (in the user namespace, keeps its capabilities for the freeze), pid 1 of the box (reaper, no
 * capabilities), job. A straight recipe; any surprise is reported and ends the process. Trusts the plan; the job starts
 * only after the broker has said so. */
#include "box/box_inside.h"

#include <errno.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_exec.h"
#include "box/box_gate.h"
#include "box/box_seccomp.h"
#include "box/box_sys.h"

void inside_send(const struct box_plan *plan, enum box_message_kind kind, int value, enum control control,
                 const char *text, int fd)
{
    struct box_message m = {.kind = (int32_t)kind, .value = value, .control = (int32_t)control, .error = errno};
    struct iovec iov = {.iov_base = &m, .iov_len = sizeof m};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } cmsg = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    snprintf(m.text, sizeof m.text, "%s", text);
    if (fd >= 0) {
        memcpy(CMSG_DATA(&cmsg.head), &fd, sizeof fd);
        msg.msg_control = &cmsg;
        msg.msg_controllen = sizeof cmsg.space;
    }
    if (sendmsg(plan->control, &msg, MSG_NOSIGNAL) != (ssize_t)sizeof m)
        _exit(1);
}

void inside_fail(const struct box_plan *plan, enum control control, const char *what)
{
    inside_send(plan, BOX_FAULT, plan->in_namespaces ? 0 : 1, control, what, -1);
    _exit(1);
}

static bool peer_is_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = 0};
    return poll(&p, 1, 0) != 0 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

/* Ends with its parent. Set after every change of credentials, which clear it. */
static void die_with_parent(const struct box_plan *plan, int parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        inside_fail(plan, CONTROL_CLEANUP, "tying the box to the broker's life");
    if (peer_is_gone(parent))
        _exit(1);
}

static int compare_int(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* /dev/null on 0 to 2 until the job gets its streams; our channels lie above, also where the broker had none of the
 * three. */
static void own_streams(struct box_plan *plan)
{
    int *const ours[] = {&plan->control, &plan->go, &plan->out, &plan->err, &plan->fetched};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (*ours[i] >= 0 && *ours[i] <= 2 && (*ours[i] = fcntl(*ours[i], F_DUPFD_CLOEXEC, 3)) < 0)
            _exit(1);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "opening /dev/null");
    for (int i = 0; i <= 2; i++)
        if (i != null && dup2(null, i) < 0)
            inside_fail(plan, CONTROL_NAMESPACES, "leaving the broker's streams");
}

/* The broker's descriptors are none of the box's business. */
static void close_others(const struct box_plan *plan)
{
    int keep[] = {plan->control, plan->go, plan->out, plan->err, plan->fetched};
    unsigned from = 3;
    qsort(keep, ARRAY_LEN(keep), sizeof keep[0], compare_int);
    for (size_t i = 0; i < ARRAY_LEN(keep); i++) {
        if (keep[i] < 0)
            continue;
        unsigned fd = (unsigned)keep[i];
        if (fd > from && sys_close_range(from, fd - 1, 0) < 0)
            inside_fail(plan, CONTROL_NAMESPACES, "closing the broker's descriptors");
        from = fd + 1;
    }
    if (sys_close_range(from, ~0u, 0) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "closing the broker's descriptors");
}

static void default_signals(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void write_proc(const struct box_plan *plan, const char *path, const char *text, enum control control,
                       const char *what)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fd_write_full(fd, text, strlen(text)) < 0)
        inside_fail(plan, control, what);
}

static void become_job_user(const struct box_plan *plan)
{
    if (plan->root && (setgroups(0, NULL) < 0 || setresgid(plan->gid, plan->gid, plan->gid) < 0 ||
                       setresuid(plan->uid, plan->uid, plan->uid) < 0))
        inside_fail(plan, CONTROL_NAMESPACES, "taking a reserved user id");
}

/* The kernel gives no user namespace to a process whose / is no mount. */
static bool in_chroot(void)
{
    struct statx st;
    return statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &st) == 0 && (st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
           !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static const char *why_no_namespaces(int error)
{
    return error == ENOSPC   ? "creating namespaces (user.max_user_namespaces is used up or 0)"
           : error != EPERM  ? "creating namespaces"
           : in_chroot()     ? "creating namespaces (in a chroot, where / is no mount)"
                             : "creating namespaces (this system or container forbids them)";
}

static void own_namespaces(const struct box_plan *plan)
{
    char map[64];
    int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                CLONE_NEWCGROUP;
    prctl(PR_SET_DUMPABLE, 1); /* /proc/self/uid_map belongs to root otherwise */
    if (plan->off & (1u << CONTROL_NETWORK))
        flags &= ~CLONE_NEWNET;
    if (plan->off & (1u << CONTROL_NAMESPACES))
        flags &= ~CLONE_NEWPID;
    if (unshare(flags) < 0) {
        int error = errno;
        const char *why = why_no_namespaces(error);
        errno = error;
        inside_fail(plan, CONTROL_NAMESPACES, why);
    }
    write_proc(plan, "/proc/self/setgroups", "deny", CONTROL_NAMESPACES, "fixing the groups of the user namespace");
    snprintf(map, sizeof map, "1000 %u 1", plan->uid);
    write_proc(plan, "/proc/self/uid_map", map, CONTROL_NAMESPACES, "mapping the user of the user namespace");
    snprintf(map, sizeof map, "1000 %u 1", plan->gid);
    write_proc(plan, "/proc/self/gid_map", map, CONTROL_NAMESPACES, "mapping the group of the user namespace");
    if (!(plan->off & (1u << CONTROL_PRIVILEGE)))
        write_proc(plan, "/proc/sys/user/max_user_namespaces", "0", CONTROL_PRIVILEGE,
                   "forbidding further user namespaces in /proc/sys/user");
    if (sethostname("box", 3) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "naming the box");
}

static void loopback_up(const struct box_plan *plan)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (plan->off & (1u << CONTROL_NETWORK))
        return;
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0)
        inside_fail(plan, CONTROL_NETWORK, "bringing up the box's own loopback");
}

/* The fetch phase's way out: we listen, and the broker's relay answers from where there is a network. */
static void open_gate(const struct box_plan *plan)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(GATE_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    AUTO_FD fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || listen(fd, SOMAXCONN) < 0)
        inside_fail(plan, CONTROL_NETWORK, "opening the fetch phase's way out");
    inside_send(plan, BOX_GATE, 0, CONTROL_NETWORK, "", fd);
}

/* One byte of leave from the broker; its end of the pipe closing means that there will be none. */
static void await_leave(const struct box_plan *plan)
{
    char byte;
    if (fd_read_full(plan->go, &byte, 1) < 0)
        _exit(1);
}

static void standard_streams(const struct box_plan *plan)
{
    AUTO_FD null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "opening /dev/null in the box");
    if (dup2(null, 0) < 0 || dup2(plan->out, 1) < 0 || dup2(plan->err, 2) < 0)
        inside_fail(plan, CONTROL_OUTPUT, "placing the standard streams");
}

static NORETURN void run_job(const struct box_plan *plan)
{
    if (setsid() < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "a session of its own");
    standard_streams(plan);
    /* where memory runs out the job goes first, not pid 1 of the box; its /proc is its own only while it can be dumped */
    prctl(PR_SET_DUMPABLE, 1);
    write_proc(plan, "/proc/self/oom_score_adj", "1000", CONTROL_MEMORY, "offering the job to the out-of-memory killer");
    umask(022);
    if (chdir("/scratch") < 0)
        inside_fail(plan, CONTROL_SCRATCH_ONLY, "entering the scratch");
    if (sys_close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0 || (plan->off & BOX_OFF_DESCRIPTORS ? dup2(0, 9) : 0) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "closing all descriptors at exec");
    if (plan->off & (1u << CONTROL_NAMESPACES)) /* without a process namespace nobody else would end it */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    inside_limits(plan);
    if (!(plan->off & (1u << CONTROL_LANDLOCK)))
        inside_landlock(plan);
    if (!(plan->off & (1u << CONTROL_SECCOMP)))
        inside_seccomp(plan);
    inside_send(plan, BOX_READY, 0, CONTROL_NAMESPACES, "", -1);
    await_leave(plan);
    exec_search(plan->argv, plan->envp);
    inside_send(plan, BOX_EXEC, errno, CONTROL_NAMESPACES, plan->argv[0], -1);
    _exit(127);
}

/* pid 1: reaps what is orphaned; when it ends the kernel ends everything in the box. */
static NORETURN void run_init(const struct box_plan *plan, int root, int supervisor)
{
    int status = 0;
    die_with_parent(plan, supervisor);
    inside_pivot(plan, root);
    inside_lower(plan);
    await_leave(plan); /* the broker has put this process into its cgroups */
    if (!(plan->off & (1u << CONTROL_PRIVILEGE))) /* the job has its user id, and must not reach into it */
        prctl(PR_SET_DUMPABLE, 0);
    pid_t job = fork();
    if (job < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "starting the job");
    if (job == 0)
        run_job(plan);
    sys_close_range((unsigned)root, (unsigned)root, 0);
    for (;;) {
        pid_t pid = waitpid(-1, &status, 0);
        if (pid == job)
            break;
        if (pid < 0 && errno != EINTR)
            _exit(1);
    }
    if (plan->off & (1u << CONTROL_NAMESPACES)) /* the mutant without a process namespace: nobody else would */
        kill(-job, SIGKILL);
    inside_send(plan, BOX_EXIT, status, CONTROL_NAMESPACES, "", -1);
    _exit(0);
}

/* Read-only for good: the kernel refuses while any descriptor or shared mapping could still write. */
static int freeze(int scratch, unsigned patience_ms)
{
    AUTO_FD fs = sys_fspick(scratch);
    if (fs < 0)
        return errno;
    for (unsigned ms = 0;; ms += 2) {
        struct timespec pause = {.tv_nsec = 2000000};
        if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "ro", NULL) == 0 &&
            sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) == 0)
            return 0;
        if (errno != EBUSY || ms >= patience_ms)
            return errno;
        nanosleep(&pause, NULL);
    }
}

/* Waits for the end of the box, or for the broker's word or death, and kills it then. */
static void supervise(const struct box_plan *plan, pid_t init)
{
    AUTO_FD pidfd = sys_pidfd_open(init);
    if (pidfd < 0)
        inside_fail(plan, CONTROL_CLEANUP, "watching the box");
    struct pollfd watch[] = {{.fd = plan->control, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
    while (poll(watch, ARRAY_LEN(watch), -1) < 0)
        if (errno != EINTR)
            break;
    kill(init, SIGKILL);
    while (waitpid(init, NULL, 0) < 0)
        if (errno != EINTR)
            _exit(1);
}

void box_inside(struct box_plan *plan)
{
    int scratch = -1, alive[2];
    default_signals();
    own_streams(plan);
    close_others(plan);
    umask(0);
    if (setsid() < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "a session of its own");
    if (plan->root)
        inside_pin_inputs(plan);
    become_job_user(plan);
    own_namespaces(plan);
    die_with_parent(plan, plan->control);
    loopback_up(plan);
    if (plan->gate)
        open_gate(plan);
    plan->in_namespaces = true;
    int root = inside_mounts(plan, &scratch);
    if (pipe2(alive, O_CLOEXEC) < 0)
        inside_fail(plan, CONTROL_CLEANUP, "tying the box to its supervisor");
    pid_t init = fork();
    if (init < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "starting the first process of the box");
    if (init == 0) {
        close(alive[1]);
        close(scratch);
        run_init(plan, root, alive[0]);
    }
    close(plan->go);
    close(plan->out);
    close(plan->err);
    inside_send(plan, BOX_INIT, init, CONTROL_NAMESPACES, "", -1);
    supervise(plan, init);
    unlinkat(scratch, ".tmp", AT_REMOVEDIR);
    unlinkat(scratch, ".shm", AT_REMOVEDIR);
    bool writer = (plan->off & (1u << CONTROL_CLEANUP)) != 0;
    AUTO_FD file = writer ? openat(scratch, ".writer", O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    inside_send(plan, BOX_FROZEN, freeze(scratch, file >= 0 ? 20 : BOX_FREEZE_MS), CONTROL_CLEANUP, "", -1);
    _exit(0);
}
