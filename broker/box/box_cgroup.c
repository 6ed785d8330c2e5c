/* SPDX-License-Identifier: ISC
 * Making a box's control groups. Runs in the broker before the fork. Whatever the contract asks for is written and read
 * back; a limit that reads back differently counts as missing. */
#include "box/box_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"

int cgroup_write(int dir, const char *file, const char *text)
{
    AUTO_FD fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -1 : fd_write_full(fd, text, strlen(text));
}

bool cgroup_read(int dir, const char *file, char *out, size_t size)
{
    AUTO_FD fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (n < 0)
        return false;
    while (n > 0 && out[n - 1] == '\n')
        n--;
    out[n] = 0;
    return true;
}

static bool has_controllers(int dir, const char *file, unsigned wanted)
{
    static const char *const words[] = {"memory", "pids", "cpu"};
    char text[512], *save = NULL;
    unsigned have = 0;
    if (!cgroup_read(dir, file, text, sizeof text))
        return false;
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        for (unsigned i = 0; i < ARRAY_LEN(words); i++)
            if (strcmp(w, words[i]) == 0)
                have |= 1u << i;
    return (have & wanted) == wanted;
}

static bool may_create(int dir)
{
    return faccessat(dir, ".", W_OK, AT_EACCESS) == 0 && faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) == 0;
}

static int switch_controllers(int dir, unsigned which, char sign)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s%s", which & CG_MEMORY ? (sign == '+' ? "+memory " : "-memory ") : "",
             which & CG_PIDS ? (sign == '+' ? "+pids " : "-pids ") : "",
             which & CG_CPU ? (sign == '+' ? "+cpu" : "-cpu") : "");
    return cgroup_write(dir, "cgroup.subtree_control", text);
}

/* Every process of one group into another; the delegation covers both. */
static void move_all(int from, int to)
{
    AUTO_FREE uint8_t *text = NULL;
    size_t len;
    char *save = NULL;
    AUTO_FD fd = openat(from, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fd_read_all(fd, BOX_PROC_BYTES, &text, &len) < 0)
        return;
    for (char *pid = strtok_r((char *)text, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save))
        if (cgroup_write(to, "cgroup.procs", pid) < 0)
            continue; /* it ended, or the kernel will say below that the group is not empty */
}

void cgroup_restore(struct box_cgroup *cg)
{
    for (size_t i = 0; i < cg->n; i++) {
        struct cgroup_home *h = &cg->homes[i];
        if (!h->v2 || h->parent < 0)
            continue;
        if (cg->enabled && switch_controllers(h->parent, cg->enabled, '-') < 0)
            continue; /* somebody else uses them by now */
        cg->enabled = 0;
        if (cg->leaf >= 0) {
            char name[CG_NAME + 8];
            snprintf(name, sizeof name, "%s-broker", cg->name);
            move_all(cg->leaf, h->parent);
            unlinkat(h->parent, name, AT_REMOVEDIR);
            fd_close(&cg->leaf);
        }
    }
}

/* A delegated group holds us and our workers, and a group with processes cannot hand controllers to its children: so all of
 * them step aside, for as long as the box lives. */
static bool step_aside(struct box_cgroup *cg, int own, unsigned wanted)
{
    char name[CG_NAME + 8];
    snprintf(name, sizeof name, "%s-broker", cg->name);
    if (mkdirat(own, name, 0755) < 0)
        return false;
    cg->leaf = openat(own, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int tries = 0; cg->leaf >= 0 && tries < 5; tries++) { /* somebody may have forked in between */
        move_all(own, cg->leaf);
        if (switch_controllers(own, wanted, '+') == 0) {
            cg->enabled = wanted;
            return true;
        }
    }
    if (cg->leaf >= 0)
        move_all(cg->leaf, own);
    unlinkat(own, name, AT_REMOVEDIR);
    fd_close(&cg->leaf);
    return false;
}

/* Does systemd say that this group is ours to divide? Then nobody else switches its controllers, while those of a group
 * above belong to a manager that may take them away again. */
static bool is_delegated(int dir)
{
    static const char *const names[] = {"user.delegate", "trusted.delegate"};
    char value = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (fgetxattr(dir, names[i], &value, 1) == 1 && value == '1')
            return true;
    return false;
}

/* A v2 group below which ours can have the wanted controllers; -1: none. Nothing is switched on above our own group but
 * in the root, and that is taken back. */
static int v2_parent(struct box_cgroup *cg, const struct cgroup_site *site, unsigned wanted)
{
    char path[sizeof site->path];
    snprintf(path, sizeof path, "%s", site->path);
    AUTO_FD own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int out = -1;
    if (own < 0)
        return -1;
    bool is_root = faccessat(own, "cgroup.type", F_OK, 0) < 0;
    if (wanted == 0 || (is_root && may_create(own) && (has_controllers(own, "cgroup.subtree_control", wanted)))) {
        out = may_create(own) ? own : -1;
    } else if (is_root && may_create(own) && has_controllers(own, "cgroup.controllers", wanted) &&
               switch_controllers(own, wanted, '+') == 0) {
        cg->enabled = wanted;
        out = own;
    }
    if (out < 0 && !is_root && is_delegated(own) && may_create(own) && has_controllers(own, "cgroup.controllers", wanted) &&
        step_aside(cg, own, wanted))
        out = own;
    if (out >= 0) {
        own = -1;
        return out;
    }
    for (char *slash; strlen(path) > strlen(site->mount) && (slash = strrchr(path, '/')) != NULL;) {
        *slash = 0;
        AUTO_FD up = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (up >= 0 && may_create(up) && has_controllers(up, "cgroup.subtree_control", wanted)) {
            out = up;
            up = -1;
            return out;
        }
    }
    if (may_create(own) && has_controllers(own, "cgroup.controllers", wanted) && step_aside(cg, own, wanted)) {
        out = own;
        own = -1;
    }
    return out;
}

static int set_checked(int dir, const char *file, uint64_t value, uint64_t slack)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64, value);
    if (cgroup_write(dir, file, text) < 0 || !cgroup_read(dir, file, text, sizeof text))
        return -1;
    uint64_t got = strtoull(text, NULL, 10);
    if (got > value || value - got > slack) {
        errno = ERANGE;
        return -1;
    }
    return 0;
}

static int set_memory(const struct cgroup_home *h, uint64_t value)
{
    const char *hard = h->v2 ? "memory.max" : "memory.limit_in_bytes";
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (set_checked(h->dir, hard, value, page) < 0)
        return -1;
    /* v1 counts what waits in sockets of the internet apart; version 2 counts it with the rest */
    if (!h->v2 && faccessat(h->dir, "memory.kmem.tcp.limit_in_bytes", F_OK, 0) == 0 &&
        set_checked(h->dir, "memory.kmem.tcp.limit_in_bytes", value, page) < 0)
        return -1;
    if (!h->v2) /* without swap accounting there is no such file; then swapping is forbidden instead */
        return faccessat(h->dir, "memory.memsw.limit_in_bytes", F_OK, 0) == 0
                   ? set_checked(h->dir, "memory.memsw.limit_in_bytes", value, page)
                   : set_checked(h->dir, "memory.swappiness", 0, 0);
    if (faccessat(h->dir, "memory.swap.max", F_OK, 0) == 0 && set_checked(h->dir, "memory.swap.max", 0, 0) < 0)
        return -1;
    return set_checked(h->dir, "memory.oom.group", 1, 0);
}

/* v1: microseconds of each tenth of a second. */
static int set_cpu(const struct cgroup_home *h, uint64_t milli)
{
    const uint64_t period = 100000;
    uint64_t quota = milli * period / 1000;
    char text[64], want[64];
    if (quota < 1000)
        quota = 1000; /* the kernel's own minimum */
    if (!h->v2)
        return set_checked(h->dir, "cpu.cfs_period_us", period, 0) < 0 ? -1
                                                                       : set_checked(h->dir, "cpu.cfs_quota_us", quota, 0);
    snprintf(want, sizeof want, "%" PRIu64 " %" PRIu64, quota, period);
    if (cgroup_write(h->dir, "cpu.max", want) < 0 || !cgroup_read(h->dir, "cpu.max", text, sizeof text))
        return -1;
    errno = ERANGE;
    return strcmp(text, want) == 0 ? 0 : -1;
}

static int set_limits(const struct box_plan *plan, const struct cgroup_home *h)
{
    const struct run_limits *l = &plan->run->limits;
    if ((h->has & CG_MEMORY) && set_memory(h, l->memory) < 0)
        return -1;
    if ((h->has & CG_PIDS) && set_checked(h->dir, "pids.max", l->processes + 1, 0) < 0) /* and pid 1 of the box */
        return -1;
    if ((h->has & CG_CPU) && set_cpu(h, l->cpus_milli) < 0)
        return -1;
    return 0;
}

static void note_controls(const struct cgroup_home *h, struct box_result *result)
{
    static const struct {
        unsigned bit;
        enum control control;
        const char *how[2];
    } table[] = {{CG_MEMORY, CONTROL_MEMORY, {"cgroup v1 memory.limit_in_bytes, with swap", "cgroup v2 memory.max, no swap"}},
                 {CG_PIDS, CONTROL_PROCESSES, {"cgroup v1 pids.max, and RLIMIT_NPROC", "cgroup v2 pids.max, and RLIMIT_NPROC"}},
                 {CG_CPU, CONTROL_CPUS, {"cgroup v1 cpu.cfs_quota_us", "cgroup v2 cpu.max"}}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (h->has & table[i].bit)
            box_control(result, table[i].control, CONTROL_ENFORCED, table[i].how[h->v2 ? 1 : 0]);
}

/* Finds a parent in one hierarchy; what it will be used for is taken out of *wanted. */
static void choose_home(struct box_cgroup *cg, const struct cgroup_site *site, unsigned *wanted)
{
    struct cgroup_home h = {.parent = -1, .dir = -1, .v2 = site->v2};
    h.has = site->v2 ? *wanted : *wanted & site->controllers;
    if (!site->v2 && h.has == 0)
        return;
    if (!site->v2) {
        h.parent = open(site->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (h.parent >= 0 && !may_create(h.parent))
            fd_close(&h.parent);
    } else {
        /* processes have a limit of their own without it: not worth losing the others */
        h.parent = v2_parent(cg, site, h.has);
        if (h.parent < 0 && (h.has & CG_PIDS)) {
            h.has &= ~(unsigned)CG_PIDS;
            h.parent = v2_parent(cg, site, h.has);
        }
        if (h.parent < 0 && h.has) {
            h.has = 0;
            h.parent = v2_parent(cg, site, 0);
        }
        h.has |= CG_KILL;
    }
    if (h.parent < 0)
        return;
    *wanted &= ~h.has;
    cg->homes[cg->n++] = h;
}

static int read_text(const char *path, char **out)
{
    size_t len;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -1 : fd_read_all(fd, BOX_PROC_BYTES, (uint8_t **)out, &len);
}

static unsigned wanted_by(const struct box_plan *plan)
{
    const struct run_limits *l = &plan->run->limits;
    unsigned wanted = (l->has_memory ? CG_MEMORY : 0u) | (l->has_processes ? CG_PIDS : 0u) | (l->has_cpus ? CG_CPU : 0u);
    if (plan->off & (1u << CONTROL_MEMORY))
        wanted &= ~(unsigned)CG_MEMORY;
    if (plan->off & (1u << CONTROL_PROCESSES))
        wanted &= ~(unsigned)CG_PIDS;
    if (plan->off & (1u << CONTROL_CPUS))
        wanted &= ~(unsigned)CG_CPU;
    return wanted;
}

static int choose_homes(struct box_cgroup *cg, unsigned *wanted)
{
    AUTO_FREE char *mounts = NULL;
    AUTO_FREE char *own = NULL;
    struct cgroup_site sites[16];
    if (read_text("/proc/self/mountinfo", &mounts) < 0 || read_text("/proc/self/cgroup", &own) < 0)
        return -1;
    size_t n = cgroup_sites(mounts, own, sites, ARRAY_LEN(sites));
    for (int v2 = 0; v2 <= 1; v2++) /* a controller is bound to one version: v1 first, v2 has what is left */
        for (size_t i = 0; i < n && cg->n < CG_HOMES; i++)
            if (sites[i].v2 == (v2 == 1))
                choose_home(cg, &sites[i], wanted);
    return 0;
}

static int missing(const struct box_plan *plan, struct box_result *result, unsigned left)
{
    const struct run_limits *l = &plan->run->limits;
    enum control first = CONTROL_COUNT;
    const char *why = "no control group that this user may create has it";
    if ((left & CG_CPU) && l->has_cpus) {
        first = CONTROL_CPUS;
        box_control(result, CONTROL_CPUS, CONTROL_MISSING, why);
    }
    if ((left & CG_MEMORY) && l->has_memory && !l->memory_unenforced) {
        first = CONTROL_MEMORY;
        box_control(result, CONTROL_MEMORY, CONTROL_MISSING, why);
    }
    if (first == CONTROL_COUNT)
        return 0;
    snprintf(result->fault, sizeof result->fault,
             "%s: %s; run as root, or in a delegated group (systemd-run --user --scope -p Delegate=yes), or %s",
             control_name(first), why,
             first == CONTROL_MEMORY ? "say 'memory: unenforced' in the contract" : "leave 'cpus' out of the contract");
    return 1;
}

static int make_home(struct box_cgroup *cg, struct cgroup_home *h)
{
    if (mkdirat(h->parent, cg->name, 0755) < 0)
        return -1;
    h->dir = openat(h->parent, cg->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return h->dir < 0 ? -1 : 0;
}

int box_cgroup_open(struct box_cgroup *cg, const struct box_plan *plan, struct box_result *result)
{
    unsigned wanted = wanted_by(plan);
    struct timespec now;
    *cg = (struct box_cgroup){.leaf = -1, .janitor_pipe = -1};
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(cg->name, sizeof cg->name, "sallyport-%d-%08lx", getpid(), (unsigned long)now.tv_nsec);
    if (choose_homes(cg, &wanted) < 0)
        return -1;
    if (missing(plan, result, wanted))
        return 1;
    if (cg->n > 0 && cgroup_janitor(cg) < 0)
        return -1;
    for (size_t i = 0; i < cg->n; i++) {
        struct cgroup_home *h = &cg->homes[i];
        if (make_home(cg, h) < 0 || set_limits(plan, h) < 0) {
            enum control c = h->has & CG_MEMORY ? CONTROL_MEMORY : h->has & CG_CPU ? CONTROL_CPUS : CONTROL_PROCESSES;
            box_control(result, c, CONTROL_MISSING, strerror(errno));
            snprintf(result->fault, sizeof result->fault, "%s: the limits of a control group cannot be set: %s",
                     control_name(c), strerror(errno));
            return 1;
        }
        note_controls(h, result);
    }
    return 0;
}

int box_cgroup_place(const struct box_cgroup *cg, pid_t pid)
{
    char text[16];
    snprintf(text, sizeof text, "%d", pid);
    for (size_t i = 0; i < cg->n; i++)
        if (cgroup_write(cg->homes[i].dir, "cgroup.procs", text) < 0)
            return -1;
    return 0;
}
