/* SPDX-License-Identifier: ISC
 * The runner as the broker sees it: plan, fork, watch, result. The child's recipe is box_inside.c. */
#include "box/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_cgroup.h"
#include "box/box_gate.h"
#include "box/box_plan.h"
#include "box/box_watch.h"

static const char *const names[CONTROL_COUNT] = {
    [CONTROL_NAMESPACES] = "namespaces",     [CONTROL_NETWORK] = "network",
    [CONTROL_INPUTS] = "inputs",             [CONTROL_SCRATCH_ONLY] = "scratch-only",
    [CONTROL_MEMORY] = "memory",             [CONTROL_PROCESSES] = "processes",
    [CONTROL_CPUS] = "cpus",                 [CONTROL_FILE_SIZE] = "file-size",
    [CONTROL_SCRATCH_SIZE] = "scratch-size", [CONTROL_INODES] = "inodes",
    [CONTROL_OUTPUT] = "output",             [CONTROL_WALL] = "wall",
    [CONTROL_PRIVILEGE] = "privilege",       [CONTROL_SECCOMP] = "seccomp",
    [CONTROL_LANDLOCK] = "landlock",         [CONTROL_CLEANUP] = "cleanup"};

const char *control_name(enum control control)
{
    return (unsigned)control < CONTROL_COUNT ? names[control] : "unknown";
}

void box_control(struct box_result *result, enum control control, enum control_state state, const char *how)
{
    struct control_status *s = &result->controls[control];
    s->state = state;
    snprintf(s->how, sizeof s->how, "%s", how);
}

void box_controls(struct box_result *result, const struct run_limits *limits, const struct control_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].asked)
            box_control(result, rows[i].control, CONTROL_ENFORCED, rows[i].how);
    if (limits->memory_unenforced)
        box_control(result, CONTROL_MEMORY, CONTROL_UNENFORCED, "given up by the contract");
}

static void result_init(struct box_result *result)
{
    *result = (struct box_result){.scratch_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .watch_fd = -1};
}

void box_result_free(struct box_result *result)
{
    fd_close(&result->scratch_fd);
    fd_close(&result->stdout_fd);
    fd_close(&result->stderr_fd);
    fd_close(&result->watch_fd);
}

/* Kernel and distribution of the base "host". */
static void describe_host(struct box_result *result)
{
    struct utsname u;
    AUTO_FREE uint8_t *text = NULL;
    size_t len = 0;
    char id[64] = "unknown";
    AUTO_FD fd = open("/etc/os-release", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fd_read_all(fd, BOX_ETC_BYTES, &text, &len) == 0) {
        const char *p = strstr((const char *)text, "PRETTY_NAME=\"");
        if (p)
            snprintf(id, sizeof id, "%.*s", (int)strcspn(p + 13, "\"\n"), p + 13);
    }
    if (uname(&u) < 0)
        return;
    snprintf(result->base, sizeof result->base, "host: %s, %s %.40s %.16s", id, "Linux", u.release, u.machine);
}

/* What the set-up enforces where it succeeds; control groups add theirs, a failing step overwrites its line. */
static void state_controls(const struct box_plan *plan, struct box_result *result)
{
    const struct run_limits *l = &plan->run->limits;
    const struct control_row rows[] = {
        {CONTROL_NAMESPACES, true, "user, mount, pid, network, ipc, uts and cgroup namespaces; private /proc, /dev, /etc"},
        {CONTROL_NETWORK, true, plan->gate ? "network namespace with only its own loopback, and the relay of the fetch phase"
                                           : "network namespace with only its own loopback"},
        {CONTROL_INPUTS, true, "lower-only overlay, read-only, no setuid, no devices"},
        {CONTROL_SCRATCH_ONLY, true, "read-only root; /tmp and /dev/shm lead into the scratch"},
        {CONTROL_PROCESSES, l->has_processes, "RLIMIT_NPROC in the box's user namespace"},
        {CONTROL_FILE_SIZE, l->has_file, "RLIMIT_FSIZE"},
        {CONTROL_SCRATCH_SIZE, l->has_scratch, "size of the scratch's tmpfs"},
        {CONTROL_INODES, l->has_inodes, "inodes of the scratch's tmpfs"},
        {CONTROL_OUTPUT, l->has_output, "the broker counts the streams and kills"},
        {CONTROL_WALL, l->has_wall, "the broker's monotonic clock; pid 1 of the box is killed"},
        {CONTROL_PRIVILEGE, true, "no capabilities, no_new_privs, no further user namespaces"},
        {CONTROL_SECCOMP, true, "allow-list of system calls; other architectures kill"},
        {CONTROL_CLEANUP, true, "death of pid 1, read-only remount of the scratch, its unmount event"}};
    box_controls(result, l, rows, ARRAY_LEN(rows));
}

/* A private file without a name, and a read-only descriptor of it. */
static int capture_file(int dir, const char *name, int *write_fd, int *read_fd)
{
    *write_fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*write_fd < 0)
        return -1;
    *read_fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return unlinkat(dir, name, 0) < 0 || *read_fd < 0 ? -1 : 0;
}

static int two_ends(int ours_and_theirs[2], int *ours, int *theirs, bool we_read)
{
    if (pipe2(ours_and_theirs, O_CLOEXEC) < 0)
        return -1;
    *ours = ours_and_theirs[we_read ? 0 : 1];
    *theirs = ours_and_theirs[we_read ? 1 : 0];
    return 0;
}

static int open_channels(struct box_plan *plan, struct box_watch *w)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    w->control = pair[0];
    plan->control = pair[1];
    if (two_ends(pair, &w->go, &plan->go, false) < 0 || two_ends(pair, &w->out, &plan->out, true) < 0 ||
        two_ends(pair, &w->err, &plan->err, true) < 0)
        return -1;
    if (plan->dry)
        return 0;
    return capture_file(w->options->capture_dir_fd, "box-stdout", &w->out_file, &w->result->stdout_fd) < 0 ||
                   capture_file(w->options->capture_dir_fd, "box-stderr", &w->err_file, &w->result->stderr_fd) < 0
               ? -1
               : 0;
}

static int start(struct box_plan *plan, struct box_watch *w)
{
    if (open_channels(plan, w) < 0)
        return -1;
    w->supervisor = fork();
    if (w->supervisor < 0) {
        w->supervisor = 0;
        return -1;
    }
    if (w->supervisor == 0)
        box_inside(plan);
    fd_close(&plan->control);
    fd_close(&plan->go);
    fd_close(&plan->out);
    fd_close(&plan->err);
    return 0;
}

static void watch_close(struct box_watch *w)
{
    fd_close(&w->control);
    fd_close(&w->go);
    fd_close(&w->out);
    fd_close(&w->err);
    fd_close(&w->out_file);
    fd_close(&w->err_file);
}

void box_name_limits(struct box_result *result)
{
    struct statfs fs;
    if (result->end == BOX_TIMED_OUT)
        result->limits_hit |= 1u << CONTROL_WALL;
    if (result->end == BOX_OUTPUT_LIMIT)
        result->limits_hit |= 1u << CONTROL_OUTPUT;
    if (result->end == BOX_SIGNALLED && result->status == SIGXFSZ)
        result->limits_hit |= 1u << CONTROL_FILE_SIZE;
    if ((result->limits_hit & (1u << CONTROL_MEMORY)) && (result->end == BOX_EXITED || result->end == BOX_SIGNALLED))
        result->end = BOX_MEMORY_LIMIT;
    if (result->scratch_fd < 0 || fstatfs(result->scratch_fd, &fs) < 0)
        return;
    if (fs.f_blocks > 0 && fs.f_bfree == 0)
        result->limits_hit |= 1u << CONTROL_SCRATCH_SIZE;
    if (fs.f_files > 0 && fs.f_ffree <= BOX_OWN_DIRECTORIES) /* ours in the scratch are gone by now */
        result->limits_hit |= 1u << CONTROL_INODES;
}

static int run_plan(struct box_plan *plan, const struct box_options *options, struct box_result *result)
{
    struct box_watch w = {.options = options, .result = result, .control = -1, .go = -1, .out = -1, .err = -1,
                          .out_file = -1, .err_file = -1};
    struct box_cgroup cgroup;
    state_controls(plan, result);
    int rc = box_cgroup_open(&cgroup, plan, result);
    w.cgroup = &cgroup;
    for (size_t i = 0; i < cgroup.n; i++)
        plan->pids_group = plan->pids_group || (cgroup.homes[i].has & CG_PIDS) != 0;
    if (rc == 0)
        rc = start(plan, &w);
    if (rc == 0)
        rc = box_watch_setup(&w);
    if (rc == 0 && !plan->dry)
        rc = box_watch_job(&w);
    int saved = errno;
    box_watch_stop(&w);
    if (options->gate)
        gate_stop(options->gate);
    watch_close(&w);
    box_cgroup_read(&cgroup, result);
    result->residue = !box_cgroup_close(&cgroup);
    if (rc == 1 && w.no_namespaces)
        box_name_gaps(plan, result);
    if (rc == 0 && !plan->dry)
        box_name_limits(result);
    if (rc == 0 && !plan->dry && !box_plan_unchanged(plan)) {
        result->inputs_changed = true;
        snprintf(result->fault, sizeof result->fault, "inputs: the original of a copied input changed while the job ran");
    }
    if (rc != 0)
        result->quiesced = false;
    errno = saved;
    return rc;
}

static int box_do(const struct box_options *options, struct box_result *result, bool dry)
{
    struct box_plan plan;
    result_init(result);
    int rc = box_plan_init(&plan, options, result);
    plan.dry = dry;
    plan.off = options->off;
    if (rc == 0) {
        if (plan.base_host)
            describe_host(result);
        rc = run_plan(&plan, options, result);
    }
    int saved = errno;
    box_plan_free(&plan);
    if (dry)
        fd_close(&result->scratch_fd);
    errno = saved;
    return rc;
}

int box_check(const struct box_options *options, struct box_result *result)
{
    return box_do(options, result, true);
}

int box_run(const struct box_options *options, struct box_result *result)
{
    return box_do(options, result, false);
}
