/* SPDX-License-Identifier: ISC
 * The agent's look at its own control groups, of either version, and at the scratch: what the kernel holds the container to,
 * whatever the engine was told. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/hold.h"

#define GROUPS "/sys/fs/cgroup/"

/* What is read again after the job, when /sys is covered: the files stay open. */
enum counter { COUNTER_OOM, COUNTER_THROTTLED, COUNTER_PIDS, COUNTER_PEAK, COUNTERS };
static const struct {
    const char *v2, *v1, *key;
} counters[COUNTERS] = {[COUNTER_OOM] = {GROUPS "memory.events", GROUPS "memory/memory.oom_control", "oom_kill "},
                        [COUNTER_THROTTLED] = {GROUPS "cpu.stat", GROUPS "cpu/cpu.stat", "nr_throttled "},
                        [COUNTER_PIDS] = {GROUPS "pids.events", GROUPS "pids/pids.events", "max "},
                        [COUNTER_PEAK] = {GROUPS "memory.peak", GROUPS "memory/memory.max_usage_in_bytes", ""}};

struct open_counters {
    int fd[COUNTERS];
};

static struct open_counters *opened(void)
{
    static struct open_counters o; /* zero is standard input, which none of them is */
    return &o;
}

static bool read_text(int fd, char *out, size_t size)
{
    ssize_t n = fd < 0 ? -1 : pread(fd, out, size - 1, 0);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* The first of two files that is there. */
static bool read_either(const char *v2, const char *v1, char *out, size_t size, bool *is_v2)
{
    AUTO_FD new = open(v2, O_RDONLY | O_CLOEXEC);
    AUTO_FD old = new < 0 ? open(v1, O_RDONLY | O_CLOEXEC) : -1;
    *is_v2 = new >= 0;
    return read_text(new >= 0 ? new : old, out, size);
}

static uint64_t limit_of(const char *v2, const char *v1)
{
    char text[64];
    bool is_v2;
    if (!read_either(v2, v1, text, sizeof text, &is_v2))
        return 0;
    return text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* Memory and swap together, as version 1 counts. Where swap is not counted at all, memory alone. */
static uint64_t memory_and_swap(uint64_t memory)
{
    uint64_t swap = limit_of(GROUPS "memory.swap.max", "/nonexistent");
    if (access(GROUPS "memory.max", F_OK) == 0)
        return swap == UINT64_MAX || memory == UINT64_MAX ? UINT64_MAX : memory + swap;
    uint64_t both = limit_of("/nonexistent", GROUPS "memory/memory.memsw.limit_in_bytes");
    return both ? both : memory;
}

static uint64_t processors(void)
{
    char text[64];
    bool is_v2;
    unsigned long long quota = 0, period = 0;
    if (!read_either(GROUPS "cpu.max", GROUPS "cpu/cpu.cfs_quota_us", text, sizeof text, &is_v2))
        return 0;
    if (text[0] < '0' || text[0] > '9')
        return UINT64_MAX;
    if (is_v2)
        return sscanf(text, "%llu %llu", &quota, &period) == 2 && period ? quota * 1000 / period : UINT64_MAX;
    quota = strtoull(text, NULL, 10);
    uint64_t v1 = limit_of("/nonexistent", GROUPS "cpu/cpu.cfs_period_us");
    return v1 && v1 != UINT64_MAX ? quota * 1000 / v1 : 0;
}

void hold_measure(int scratch, struct far_hello *out)
{
    struct statfs fs;
    for (size_t i = 0; i < COUNTERS; i++) {
        int fd = open(counters[i].v2, O_RDONLY | O_CLOEXEC);
        opened()->fd[i] = fd >= 0 ? fd : open(counters[i].v1, O_RDONLY | O_CLOEXEC);
    }
    if (fstatfs(scratch, &fs) == 0) {
        out->scratch_type = (uint64_t)fs.f_type;
        out->scratch_bytes = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
        out->scratch_inodes = (uint64_t)fs.f_files;
    }
    out->memory = limit_of(GROUPS "memory.max", GROUPS "memory/memory.limit_in_bytes");
    out->memory_swap = memory_and_swap(out->memory);
    out->processes = limit_of(GROUPS "pids.max", GROUPS "pids/pids.max");
    out->cpus_milli = processors();
}

static uint64_t count(enum counter which)
{
    char text[1024];
    if (!read_text(opened()->fd[which], text, sizeof text))
        return 0;
    const char *at = strstr(text, counters[which].key);
    return at ? strtoull(at + strlen(counters[which].key), NULL, 10) : 0;
}

void hold_met(int scratch, struct far_quiet *out)
{
    struct statfs fs;
    out->memory_peak = count(COUNTER_PEAK);
    out->hit = (count(COUNTER_OOM) ? 1u << CONTROL_MEMORY : 0) | (count(COUNTER_THROTTLED) ? 1u << CONTROL_CPUS : 0) |
               (count(COUNTER_PIDS) ? 1u << CONTROL_PROCESSES : 0);
    if (fstatfs(scratch, &fs) == 0)
        out->hit |= (fs.f_blocks > 0 && fs.f_bfree == 0 ? 1u << CONTROL_SCRATCH_SIZE : 0) |
                    (fs.f_files > 0 && fs.f_ffree == 0 ? 1u << CONTROL_INODES : 0);
}
