/* SPDX-License-Identifier: ISC
 * An engine may drop a limit with a warning on standard error: so each is read back from where the kernel keeps it, before
 * the job is let go. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_sys.h"
#include "engine/engine_job.h"

enum { TMPFS_TYPE = 0x01021994 }; /* statfs(2) */

int job_missing(struct engine_job *job, enum control control, const char *how)
{
    box_control(job->result, control, CONTROL_MISSING, how);
    (void)job_fault(job, ENOTSUP, "%s: %s", control_name(control), how);
    return 1;
}

void job_not_lowered(struct engine_job *job, unsigned control, int error)
{
    char how[96];
    snprintf(how, sizeof how, "the agent could not set it up for the job: %.40s", strerror(error));
    job->result->end = BOX_SETUP_FAILED;
    (void)job_missing(job, control < CONTROL_COUNT ? (enum control)control : CONTROL_NAMESPACES, how);
}

bool job_lacks_control(const struct engine_job *job)
{
    return job->result->end == BOX_SETUP_FAILED && !job->result->not_started;
}

int job_held(struct engine_job *job, const struct held_limits *held)
{
    const struct run_limits *l = &job->plan.run->limits;
    if (l->has_memory && !job_off(job, CONTROL_MEMORY)) {
        if (held->memory > l->memory)
            return job_missing(job, CONTROL_MEMORY, "the engine set no memory limit, or a larger one");
        if (held->swaps)
            return job_missing(job, CONTROL_MEMORY, "the engine lets the job swap beyond its memory");
    }
    if (l->has_processes && !job_off(job, CONTROL_PROCESSES) && held->processes > l->processes + 1)
        return job_missing(job, CONTROL_PROCESSES, "the engine set no limit of processes, or a larger one");
    if (l->has_cpus && !job_off(job, CONTROL_CPUS) && held->cpus_milli > l->cpus_milli)
        return job_missing(job, CONTROL_CPUS, "the engine set no limit of processors, or a larger one");
    return 0;
}

/* The kernel rounds a size up to whole pages. */
int job_scratch_held(struct engine_job *job, const struct held_scratch *held)
{
    const struct run_limits *l = &job->plan.run->limits;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (held->type != TMPFS_TYPE)
        return job_missing(job, CONTROL_SCRATCH_ONLY, "/scratch of the container is no tmpfs of its own");
    if (l->has_inodes && !job_off(job, CONTROL_INODES) && held->inodes > l->inodes)
        return job_missing(job, CONTROL_INODES, "the scratch's number of inodes could not be set");
    if (l->has_scratch && !job_off(job, CONTROL_SCRATCH_SIZE) && held->bytes > l->scratch + page)
        return job_missing(job, CONTROL_SCRATCH_SIZE, "the scratch is larger than what was asked for");
    return 0;
}

static bool exists(int dir, const char *name)
{
    return faccessat(dir, name, F_OK, 0) == 0;
}

static int find_groups(struct engine_job *job)
{
    struct cgroup_site sites[CG_HOMES];
    AUTO_FREE uint8_t *mounts = NULL, *groups = NULL;
    size_t len;
    AUTO_FD m = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    AUTO_FD g = openat(job->proc, "cgroup", O_RDONLY | O_CLOEXEC);
    if (m < 0 || g < 0 || fd_read_all(m, 4 * BOX_PROC_BYTES, &mounts, &len) < 0 ||
        fd_read_all(g, BOX_PROC_BYTES, &groups, &len) < 0)
        return -1;
    size_t n = cgroup_sites((const char *)mounts, (const char *)groups, sites, ARRAY_LEN(sites));
    for (size_t i = 0; i < n; i++) {
        struct cgroup_home *h = &job->cgroup.homes[job->cgroup.n];
        *h = (struct cgroup_home){.parent = -1, .v2 = sites[i].v2,
                                  .dir = open(sites[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        if (h->dir < 0)
            continue;
        h->has = (exists(h->dir, h->v2 ? "memory.max" : "memory.limit_in_bytes") ? CG_MEMORY : 0u) |
                 (exists(h->dir, "pids.max") ? CG_PIDS : 0u) |
                 (exists(h->dir, h->v2 ? "cpu.max" : "cpu.cfs_quota_us") ? CG_CPU : 0u);
        job->cgroup.n++;
    }
    return 0;
}

/* The number in the first group that has the file; UINT64_MAX: no limit, or no such file. */
static uint64_t number_of(const struct engine_job *job, const char *v2, const char *v1)
{
    char text[64];
    for (size_t i = 0; i < job->cgroup.n; i++) {
        const struct cgroup_home *h = &job->cgroup.homes[i];
        if (cgroup_read(h->dir, h->v2 ? v2 : v1, text, sizeof text))
            return text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
    }
    return UINT64_MAX;
}

/* Quota of a period, in thousandths of a processor. */
static uint64_t processors(const struct engine_job *job)
{
    char text[64];
    unsigned long long quota, period;
    for (size_t i = 0; i < job->cgroup.n; i++) {
        const struct cgroup_home *h = &job->cgroup.homes[i];
        if (h->v2 && cgroup_read(h->dir, "cpu.max", text, sizeof text))
            return sscanf(text, "%llu %llu", &quota, &period) == 2 && period ? quota * 1000 / period : UINT64_MAX;
    }
    quota = number_of(job, "", "cpu.cfs_quota_us");
    period = number_of(job, "", "cpu.cfs_period_us");
    return quota == UINT64_MAX || period == 0 || period == UINT64_MAX ? UINT64_MAX : quota * 1000 / period;
}

/* Version 2 counts swap alone, version 1 memory and swap together; a kernel without the file does not swap per group. */
static bool may_swap(const struct engine_job *job, uint64_t memory)
{
    char text[64];
    for (size_t i = 0; i < job->cgroup.n; i++) {
        const struct cgroup_home *h = &job->cgroup.homes[i];
        if (h->v2 && cgroup_read(h->dir, "memory.swap.max", text, sizeof text))
            return strcmp(text, "0") != 0;
        if (!h->v2 && cgroup_read(h->dir, "memory.memsw.limit_in_bytes", text, sizeof text))
            return strtoull(text, NULL, 10) > memory;
    }
    return false;
}

int engine_limits(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    if (find_groups(job) < 0)
        return job_missing(job, CONTROL_CLEANUP, "the container's control groups cannot be read");
    return job_held(job, &(struct held_limits){.memory = number_of(job, "memory.max", "memory.limit_in_bytes"),
                                               .processes = number_of(job, "pids.max", "pids.max"),
                                               .cpus_milli = processors(job),
                                               .swaps = may_swap(job, l->memory)});
}

/* podman's tmpfs takes no number of inodes; a tmpfs that has one can be given another. */
static int set_inodes(int scratch, uint64_t inodes)
{
    char text[32];
    AUTO_FD fs = sys_fspick(scratch);
    snprintf(text, sizeof text, "%" PRIu64, inodes);
    return fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", text) < 0 ||
                   sys_fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL) < 0
               ? -1
               : 0;
}

int engine_scratch_limits(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    struct statfs fs;
    int scratch = job->result->scratch_fd;
    if (fstatfs(scratch, &fs) < 0)
        fs = (struct statfs){0};
    bool too_many = l->has_inodes && !job_off(job, CONTROL_INODES) && fs.f_files > l->inodes;
    if (fs.f_type == TMPFS_TYPE && too_many && set_inodes(scratch, l->inodes) == 0)
        (void)fstatfs(scratch, &fs); /* where it fails, fs still says too many */
    return job_scratch_held(job, &(struct held_scratch){.type = (uint64_t)fs.f_type, .inodes = fs.f_files,
                                                        .bytes = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize});
}

void engine_controls(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    const struct control_row rows[] = {
        {CONTROL_NAMESPACES, true, "the engine's namespaces; the kernel's own files in /proc and /sys are covered"},
        {CONTROL_NETWORK, true, "--network none: only the container's own loopback"},
        {CONTROL_INPUTS, true, "lower-only overlay over a read-only bind; single files are copies"},
        {CONTROL_SCRATCH_ONLY, true, "--read-only, --ipc none; /tmp and /dev/shm lead into the scratch"},
        {CONTROL_MEMORY, l->has_memory, "the engine's control group, read back; no swap"},
        {CONTROL_PROCESSES, l->has_processes, "the engine's control group, read back"},
        {CONTROL_CPUS, l->has_cpus, "the engine's control group, read back"},
        {CONTROL_FILE_SIZE, l->has_file, "RLIMIT_FSIZE, set by the agent"},
        {CONTROL_SCRATCH_SIZE, l->has_scratch, "size of the scratch's tmpfs, read back"},
        {CONTROL_INODES, l->has_inodes, "inodes of the scratch's tmpfs, read back"},
        {CONTROL_OUTPUT, l->has_output, "the broker counts the streams and kills; the engine keeps no log"},
        {CONTROL_WALL, l->has_wall, "the broker's monotonic clock; killed by process descriptor and id"},
        {CONTROL_PRIVILEGE, true, "no capabilities, no_new_privs, a user id of its own"},
        {CONTROL_SECCOMP, true, "our allow-list of system calls, loaded by the agent, within the engine's own"},
        {CONTROL_LANDLOCK, true, "loaded by the agent where the kernel has it; the other controls hold alone"},
        {CONTROL_CLEANUP, true, "death of pid 1, read-only remount of the scratch, its unmount event, container gone"}};
    box_controls(job->result, l, rows, ARRAY_LEN(rows));
}
