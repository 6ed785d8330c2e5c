/* SPDX-License-Identifier: ISC
 * The agent alone: its broker is on another host, or may not look into this container. Frames on standard input and output;
 * the job writes into pipes of its own, has another user id and no capability, and cannot reach the agent's descriptors. What
 * root beside a container does from outside is done here before the job starts; afterwards everything that is left is killed,
 * the scratch made read-only, and only then read. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_inside.h"
#include "box/box_sys.h"
#include "engine/hold.h"
#include "engine/hold_dress.h"

struct far {
    struct hold *h;
    pid_t job;
    int scratch, writer;     /* writer: the mutant of the cleanup's probe; -1 */
    int failure, out, err;   /* our ends of the job's pipes */
    uint64_t deadline_ms, sent;
    bool ended, gone;        /* the job; the broker */
    int status;
    struct far_end end;
};

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- before the job ---------------------------------------------------------------------------------------------------- */

static NORETURN void unable(enum control control, const char *what)
{
    uint8_t frame[FAR_FAULT_BYTES + FAR_FAULT_WORDS];
    int error = errno;
    far_pair_encode((uint32_t)control, (uint32_t)error, frame);
    int n = snprintf((char *)frame + FAR_FAULT_BYTES, FAR_FAULT_WORDS, "%s", what);
    hold_send(FAR_FAULT, frame, FAR_FAULT_BYTES + (size_t)n);
    _exit(1);
}

static int set_inodes(int scratch, uint64_t inodes)
{
    char text[32];
    AUTO_FD fs = sys_fspick(scratch);
    snprintf(text, sizeof text, "%llu", (unsigned long long)inodes);
    return fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", text) < 0 ||
                   sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) < 0
               ? -1
               : 0;
}

/* To the job; where a daemon without root maps only some ids, the reserved one is none and the job gets the usual. */
static int give(struct hold *h, int dir)
{
    if (fchown(dir, h->uid, h->uid) == 0)
        return 0;
    if (errno != EINVAL)
        return -1;
    h->uid = FAR_UID;
    return fchown(dir, h->uid, h->uid);
}

static void make_place(struct far *f, const char *name)
{
    bool root = hold_off(f->h, CONTROL_PRIVILEGE) || hold_off(f->h, CONTROL_SCRATCH_ONLY);
    if (mkdirat(f->scratch, name, 0700) < 0)
        unable(CONTROL_SCRATCH_ONLY, "making /tmp and /dev/shm in the scratch");
    AUTO_FD dir = openat(f->scratch, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || (!root && give(f->h, dir) < 0))
        unable(CONTROL_SCRATCH_ONLY, "giving /tmp and /dev/shm to the job");
}

/* Engines mount volumes with set-user-id programs and devices in force. */
static void lower_places(const struct hold *h)
{
    uint64_t set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (hold_off(h, CONTROL_INPUTS) ? 0 : MOUNT_ATTR_RDONLY);
    for (size_t i = 0; i < h->places_n && !hold_off(h, CONTROL_PRIVILEGE); i++) {
        AUTO_FD at = open(h->places[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (at < 0 || sys_mount_attr(at, 0, set) < 0)
            unable(CONTROL_INPUTS, "lowering the inputs' mounts");
    }
}

static void dress(struct far *f)
{
    struct hold *h = f->h;
    bool root = hold_off(h, CONTROL_PRIVILEGE) || hold_off(h, CONTROL_SCRATCH_ONLY);
    umask(0);
    f->scratch = open("/scratch", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->scratch < 0)
        unable(CONTROL_SCRATCH_ONLY, "opening /scratch");
    if (h->inodes && set_inodes(f->scratch, h->inodes) < 0)
        unable(CONTROL_INODES, "setting the scratch's number of inodes");
    make_place(f, ".tmp");
    make_place(f, ".shm");
    if (hold_off(h, CONTROL_CLEANUP)) /* somebody can still write */
        f->writer = openat(f->scratch, ".writer", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    lower_places(h);
    if (fchmod(f->scratch, 0700) < 0 || (!root && give(h, f->scratch) < 0))
        unable(CONTROL_SCRATCH_ONLY, "giving the scratch to the job");
    if (!hold_off(h, CONTROL_SCRATCH_ONLY) &&
        (dress_lead("/scratch/.tmp", "/tmp") < 0 || dress_lead("/scratch/.shm", "/dev/shm") < 0))
        unable(CONTROL_SCRATCH_ONLY, "leading /tmp and /dev/shm into the scratch");
}

/* --- the job's user ---------------------------------------------------------------------------------------------------- */

static void raise_permitted(const struct hold *h, uint32_t keep)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct caps[2];
    if (syscall(SYS_capget, &head, caps) < 0)
        inside_fail(&h->plan, CONTROL_PRIVILEGE, "reading capabilities");
    for (int i = 0; i < 2; i++) {
        caps[i].permitted &= i == 0 ? keep : keep == UINT32_MAX ? UINT32_MAX : 0;
        caps[i].effective = caps[i].permitted;
        caps[i].inheritable = 0;
    }
    if (syscall(SYS_capset, &head, caps) < 0)
        inside_fail(&h->plan, CONTROL_PRIVILEGE, "setting capabilities");
}

void hold_become_job(const struct hold *h)
{
    bool root = hold_off(h, CONTROL_PRIVILEGE) || hold_off(h, CONTROL_SCRATCH_ONLY);
    if (!root) {
        if (setgroups(0, NULL) < 0 && getgroups(0, NULL) != 0)
            inside_fail(&h->plan, CONTROL_PRIVILEGE, "leaving all groups");
        if (setresgid(h->uid, h->uid, h->uid) < 0 || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
            setresuid(h->uid, h->uid, h->uid) < 0)
            inside_fail(&h->plan, CONTROL_PRIVILEGE, "taking the job's user id");
        raise_permitted(h, UINT32_MAX); /* for as long as the rest takes to be given up for good */
    }
    inside_lower(&h->plan);
}

/* --- while it runs ------------------------------------------------------------------------------------------------------ */

/* True: there may be more. Over its limit the output is cut, and the job ends. */
static bool pump(struct far *f, int *pipe_fd, enum far_type type)
{
    static uint8_t block[FAR_CHUNK];
    ssize_t n = *pipe_fd < 0 ? 0 : read(*pipe_fd, block, sizeof block);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (n <= 0) {
        fd_close(pipe_fd);
        return false;
    }
    uint64_t room = f->h->output && !hold_off(f->h, CONTROL_OUTPUT) ? f->h->output - f->sent : UINT64_MAX;
    bool over = (uint64_t)n > room;
    size_t take = over ? (size_t)room : (size_t)n;
    if (take > 0)
        hold_send(type, block, take);
    f->sent += take;
    if (over && f->end.how != FAR_TOO_MUCH_OUTPUT) {
        f->end = (struct far_end){.how = FAR_TOO_MUCH_OUTPUT};
        f->ended = true;
    }
    return !over;
}

static void reap(struct far *f)
{
    int one = 0;
    pid_t pid;
    while (!f->ended && (pid = waitpid(-1, &one, WNOHANG)) > 0)
        if (pid == f->job) {
            f->ended = true;
            f->status = one;
        }
}

/* Any word of the broker's while the job runs, or its end, is the end of everything. */
static void serve(struct far *f, const sigset_t *open_mask)
{
    while (!f->ended && !f->gone) {
        struct pollfd p[] = {{.fd = 0, .events = POLLIN}, {.fd = f->out, .events = POLLIN}, {.fd = f->err, .events = POLLIN}};
        uint64_t now = clock_ms(), left = f->deadline_ms > now ? f->deadline_ms - now : 0;
        struct timespec wait_time = {.tv_sec = (time_t)(left / 1000), .tv_nsec = (long)(left % 1000) * 1000000};
        reap(f);
        if (f->ended)
            return;
        if (left == 0) {
            f->end = (struct far_end){.how = FAR_TIMED_OUT};
            f->ended = true;
            return;
        }
        if (ppoll(p, ARRAY_LEN(p), f->deadline_ms == UINT64_MAX ? NULL : &wait_time, open_mask) <= 0)
            continue;
        f->gone = p[0].revents != 0;
        if (p[1].revents)
            (void)pump(f, &f->out, FAR_OUT);
        if (p[2].revents)
            (void)pump(f, &f->err, FAR_ERR);
    }
}

static void name_end(struct far *f)
{
    struct hold_failure failure;
    if (f->end.how != 0)
        return;
    if (read(f->failure, &failure, sizeof failure) == sizeof failure)
        f->end = (struct far_end){.how = failure.control < 0 ? FAR_NO_EXEC : FAR_NOT_LOWERED,
                                  .value = far_lacks((uint32_t)failure.control, (uint32_t)failure.error)};
    else if (WIFSIGNALED(f->status))
        f->end = (struct far_end){.how = FAR_SIGNALLED, .value = (uint32_t)WTERMSIG(f->status)};
    else
        f->end = (struct far_end){.how = FAR_EXITED, .value = (uint32_t)WEXITSTATUS(f->status)};
}

/* --- after it ----------------------------------------------------------------------------------------------------------- */

/* Who is left beside us, by what /proc shows; where it shows nothing, somebody. */
static uint32_t count_left(void)
{
    uint32_t n = 0;
    DIR *d = opendir("/proc");
    if (!d)
        return UINT32_MAX;
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] >= '0' && e->d_name[0] <= '9';
    closedir(d);
    return n > 0 ? n - 1 : UINT32_MAX;
}

/* Read-only for good: the kernel refuses while any descriptor or shared mapping could still write. errno, or 0. */
static uint32_t freeze(const struct far *f)
{
    uint64_t deadline = clock_ms() + (f->writer >= 0 ? 20u : BOX_FREEZE_MS);
    AUTO_FD fs = sys_fspick(f->scratch);
    while (fs >= 0) {
        struct timespec pause = {.tv_nsec = 2000000};
        if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "ro", NULL) == 0 &&
            sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) == 0)
            return 0;
        if (errno != EBUSY || clock_ms() >= deadline)
            break;
        nanosleep(&pause, NULL);
    }
    return (uint32_t)errno;
}

static void tell_end(struct far *f)
{
    uint8_t end[FAR_END_BYTES], quiet[FAR_QUIET_BYTES];
    struct rusage use;
    struct far_quiet q = {0};
    while (pump(f, &f->out, FAR_OUT) || pump(f, &f->err, FAR_ERR)) /* what the dead left in the pipes */
        ;
    far_end_encode(&f->end, end);
    hold_send(FAR_END, end, sizeof end);
    q.left = getpid() == 1 ? count_left() : 0;
    q.unfrozen = freeze(f);
    hold_met(f->scratch, &q);
    if (getrusage(RUSAGE_CHILDREN, &use) == 0)
        q.cpu_ms = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 +
                   (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
    far_quiet_encode(&q, quiet);
    hold_send(FAR_QUIET, quiet, sizeof quiet);
}

/* Before there is a job. */
static NORETURN void not_started(void)
{
    struct far_end e = {.how = FAR_NOT_LOWERED, .value = far_lacks(CONTROL_NAMESPACES, (uint32_t)errno)};
    uint8_t end[FAR_END_BYTES];
    far_end_encode(&e, end);
    hold_send(FAR_END, end, sizeof end);
    _exit(1);
}

static void start_job(struct far *f)
{
    int failure[2], out[2], err[2];
    if (pipe2(failure, O_CLOEXEC | O_NONBLOCK) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0 ||
        fcntl(out[0], F_SETFL, O_NONBLOCK) < 0 || fcntl(err[0], F_SETFL, O_NONBLOCK) < 0)
        not_started();
    f->job = fork();
    if (f->job < 0)
        not_started();
    if (f->job == 0)
        hold_job(f->h, failure[1], out[1], err[1]);
    close(failure[1]);
    close(out[1]);
    close(err[1]);
    f->failure = failure[0];
    f->out = out[0];
    f->err = err[0];
    /* what is still needed: to kill another user's processes, read its files, and make its scratch read-only */
    raise_permitted(f->h, 1u << CAP_KILL | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_SYS_ADMIN);
}

int hold_far(struct hold *h, const sigset_t *open_mask)
{
    static struct far f;
    struct far_hello hello = {.version = FAR_VERSION};
    uint8_t frame[FAR_HELLO_BYTES], go[FAR_HEAD], wanted[FAR_HEAD];
    f = (struct far){.h = h, .writer = -1, .deadline_ms = UINT64_MAX};
    signal(SIGPIPE, SIG_IGN);
    dress(&f);
    hold_measure(f.scratch, &hello);
    if (!hold_off(h, CONTROL_NAMESPACES) && dress_hide_kernel() < 0)
        unable(CONTROL_NAMESPACES, "hiding what the container shows of the kernel");
    hello.uid = h->uid;
    far_hello_encode(&hello, frame);
    hold_send(FAR_HELLO, frame, sizeof frame);
    far_head(wanted, FAR_GO, 0);
    if (fd_read_full(0, go, sizeof go) < 0 || memcmp(go, wanted, sizeof go) != 0)
        return 0;
    if (h->wall_ms && !hold_off(h, CONTROL_WALL))
        f.deadline_ms = clock_ms() + h->wall_ms;
    start_job(&f);
    serve(&f, open_mask);
    if (f.gone)
        return 0; /* and with us all that runs here */
    hold_kill_rest(h, f.job);
    name_end(&f);
    tell_end(&f);
    hold_list(f.scratch);
    hold_serve(f.scratch);
    return 0;
}
