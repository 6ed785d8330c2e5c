/* SPDX-License-Identifier: ISC
 * The probes as data, and how the limits' runs are judged from outside. A mutant also leaves out what stands behind its
 * control (Landlock behind the mounts, the filter behind the capabilities), or it would prove the wrong thing. */
#include "probe/probe_rows.h"

#include "base/limits.h"

#define OFF_NET (OFF(CONTROL_NETWORK) | OFF(CONTROL_LANDLOCK))
#define OFF_IN (OFF(CONTROL_INPUTS) | OFF(CONTROL_LANDLOCK))
#define OFF_ROOT (OFF(CONTROL_SCRATCH_ONLY) | OFF(CONTROL_LANDLOCK))
#define OFF_NS (OFF(CONTROL_NAMESPACES) | OFF(CONTROL_LANDLOCK))
#define OFF_CALLS OFF(CONTROL_SECCOMP)
#define OFF_PRIVILEGE (OFF(CONTROL_PRIVILEGE) | OFF(CONTROL_SECCOMP) | OFF(CONTROL_LANDLOCK))
#define OFF_LEAKS (BOX_OFF_DESCRIPTORS | OFF_ENVIRONMENT | OFF_SOCKET)

const struct static_row static_rows[] = {
    {"tcp4", CONTROL_NETWORK, OFF_NET, REACHED_TCP4, 0},
    {"tcp6", CONTROL_NETWORK, OFF_NET, REACHED_TCP6, ROW_TCP6},
    {"udp4", CONTROL_NETWORK, OFF_NET, REACHED_UDP4, 0},
    {"udp6", CONTROL_NETWORK, OFF_NET, REACHED_UDP6, ROW_UDP6},
    {"abstract", CONTROL_NETWORK, OFF_NET, REACHED_ABSTRACT, 0},
    {"hosts", CONTROL_NETWORK, OFF_NET, REACHED_TCP4, 0},
    {"hosts6", CONTROL_NETWORK, OFF_NET, REACHED_TCP6, ROW_TCP6},
    {"resolve", CONTROL_NETWORK, OFF_NET, REACHED_DNS, 0},
    {"host-name", CONTROL_NETWORK, OFF_NET, REACHED_TCP4, 0},
    {"rebinding", CONTROL_NETWORK, OFF_NET, REACHED_TCP4, 0},
    {"public", CONTROL_NETWORK, OFF_NET, 0, ROW_PUBLIC},
    {"icmp", CONTROL_NETWORK, OFF_NET, 0, ROW_MAY_LACK},
    {"metadata", CONTROL_NETWORK, OFF_PRIVILEGE, 0, 0},
    {"metadata6", CONTROL_NETWORK, OFF_PRIVILEGE, 0, ROW_TCP6},
    {"raw", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"packet", CONTROL_SECCOMP, OFF_PRIVILEGE, 0, ROW_MAY_LACK},
    {"vsock", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"input-write", CONTROL_INPUTS, OFF_IN, REACHED_INPUT, 0},
    {"input-meta", CONTROL_INPUTS, OFF_IN, REACHED_INPUT, 0},
    {"input-remount", CONTROL_INPUTS, OFF_PRIVILEGE, 0, 0},
    {"input-socket", CONTROL_INPUTS, OFF_IN, REACHED_SOCKET, ROW_SAME_HOST},
    {"input-fifo", CONTROL_INPUTS, OFF_IN, REACHED_FIFO, ROW_SAME_HOST},
    {"input-lock", CONTROL_INPUTS, OFF_IN, 0, ROW_SAME_HOST},
    {"scratch-only", CONTROL_SCRATCH_ONLY, OFF_ROOT, 0, 0},
    {"proc", CONTROL_NAMESPACES, OFF_NS, 0, 0},
    {"signal", CONTROL_NAMESPACES, OFF_NS, REACHED_SIGNAL, 0},
    {"kill-all", CONTROL_NAMESPACES, OFF_NS, REACHED_SIGNAL, 0},
    {"pidfd", CONTROL_NAMESPACES, OFF_NS, REACHED_SIGNAL, 0},
    {"sockets", CONTROL_NAMESPACES, OFF_LEAKS, 0, 0},
    {"environment", CONTROL_NAMESPACES, OFF_LEAKS, 0, 0},
    {"descriptors", CONTROL_NAMESPACES, OFF_LEAKS, 0, 0},
    {"capabilities", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"no-new-privs", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, ROW_NNP},
    {"namespace", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"proc-root", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"ptrace-outside", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"mount", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, 0},
    {"setuid", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, ROW_NNP},
    {"core", CONTROL_PRIVILEGE, OFF_PRIVILEGE, 0, ROW_MAY_LACK},
    {"ptrace", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"keyring", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"io-uring", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"huge-pages", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"protocols", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"bpf", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"perf", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"userfaultfd", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"terminal", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"vm-read", CONTROL_SECCOMP, OFF_CALLS, 0, 0},
    {"i386", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
    {"x32", CONTROL_SECCOMP, OFF_CALLS, 0, ROW_MAY_LACK},
};
const size_t static_rows_n = ARRAY_LEN(static_rows);

#define SETTER(name, field, flag)                                                                                               \
    static void set_##name(struct run_limits *l, uint64_t size)                                                                 \
    {                                                                                                                           \
        l->field = size;                                                                                                        \
        l->flag = true;                                                                                                         \
    }                                                                                                                           \
    static bool asked_##name(const struct run_limits *l)                                                                        \
    {                                                                                                                           \
        return l->flag;                                                                                                         \
    }
SETTER(memory, memory, has_memory)
SETTER(processes, processes, has_processes)
SETTER(cpus, cpus_milli, has_cpus)
SETTER(file, file, has_file)
SETTER(scratch, scratch, has_scratch)
SETTER(inodes, inodes, has_inodes)
SETTER(output, output, has_output)
SETTER(wall, wall_ms, has_wall)

static void set_nothing(struct run_limits *l, uint64_t size)
{
    (void)l;
    (void)size;
}

static bool asked_always(const struct run_limits *l)
{
    (void)l;
    return true;
}

static enum attempt its_word(const struct probe_run *run, uint64_t size)
{
    (void)size;
    return run->said;
}

/* Killed for memory, or told that there is none. */
static enum attempt judge_memory(const struct probe_run *run, uint64_t size)
{
    (void)size;
    return run->said == ATTEMPT_OPEN ? ATTEMPT_OPEN
           : run->result->end == BOX_MEMORY_LIMIT || run->said == ATTEMPT_HELD ? ATTEMPT_HELD
                                                                               : ATTEMPT_NONE;
}

static enum attempt judge_cpus(const struct probe_run *run, uint64_t size)
{
    (void)size;
    return run->result->limits_hit & (1u << CONTROL_CPUS) ? ATTEMPT_HELD : ATTEMPT_OPEN;
}

static enum attempt judge_output(const struct probe_run *run, uint64_t size)
{
    if (run->result->stdout_bytes + run->result->stderr_bytes > size)
        return ATTEMPT_OPEN;
    return run->result->end == BOX_OUTPUT_LIMIT ? ATTEMPT_HELD : ATTEMPT_NONE;
}

static enum attempt judge_wall(const struct probe_run *run, uint64_t size)
{
    if (run->said == ATTEMPT_OPEN || run->result->elapsed_ms > 3 * size)
        return ATTEMPT_OPEN;
    return run->result->end == BOX_TIMED_OUT && run->result->quiesced && run->ended == 0 ? ATTEMPT_HELD : ATTEMPT_NONE;
}

static enum attempt judge_cleanup(const struct probe_run *run, uint64_t size)
{
    (void)size;
    return run->result->quiesced && run->ended == 0 ? ATTEMPT_HELD : ATTEMPT_OPEN;
}

const struct limit_row limit_rows[] = {
    {"memory-anon", CONTROL_MEMORY, 16 * MIB, set_memory, asked_memory, judge_memory},
    {"memory-memfd", CONTROL_MEMORY, 16 * MIB, set_memory, asked_memory, judge_memory},
    {"memory-shared", CONTROL_MEMORY, 16 * MIB, set_memory, asked_memory, judge_memory},
    {"memory-sysv", CONTROL_MEMORY, 16 * MIB, set_memory, asked_memory, judge_memory},
    {"processes", CONTROL_PROCESSES, 24, set_processes, asked_processes, its_word},
    {"cpus", CONTROL_CPUS, 100, set_cpus, asked_cpus, judge_cpus},
    {"file-size", CONTROL_FILE_SIZE, MIB, set_file, asked_file, its_word},
    {"scratch-size", CONTROL_SCRATCH_SIZE, 4 * MIB, set_scratch, asked_scratch, its_word},
    {"inodes", CONTROL_INODES, 128, set_inodes, asked_inodes, its_word},
    {"output", CONTROL_OUTPUT, 256 * KIB, set_output, asked_output, judge_output},
    {"wall", CONTROL_WALL, 400, set_wall, asked_wall, judge_wall},
    {"daemon", CONTROL_CLEANUP, 0, set_nothing, asked_always, judge_cleanup},
};
const size_t limit_rows_n = ARRAY_LEN(limit_rows);
