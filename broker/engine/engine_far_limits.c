/* SPDX-License-Identifier: ISC
 * The limits of a container elsewhere, before its job is let go: what the engine says of itself, and what the agent found in
 * the container's own control groups. Both must hold; a number that the agent could not read leaves the engine's word. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "engine/engine_job.h"
#include "engine/far_wire.h"

/* "<nil>", "-1" and 0 are no limit. */
static uint64_t number(const char *text)
{
    uint64_t v = text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : 0;
    return v ? v : UINT64_MAX;
}

struct engine_word {
    uint64_t memory, memory_swap, processes, cpus_milli;
    bool read_only, no_network;
};

static bool ask(struct engine_job *job, struct engine_word *w)
{
    char format[256], answer[4096], memory[32], swap[32], pids[32], cpus[32], read_only[8], network[32], runtime[64] = "";
    struct client_words words = {0};
    snprintf(format, sizeof format,
             "--format={{.HostConfig.Memory}}|{{.HostConfig.MemorySwap}}|{{.HostConfig.PidsLimit}}|{{.HostConfig.NanoCpus}}|"
             "{{.HostConfig.ReadonlyRootfs}}|{{.HostConfig.NetworkMode}}|{{.%s}}",
             strcmp(job->engine->client.name, "docker") == 0 ? "HostConfig.Runtime" : "OCIRuntime");
    const char *const asked[] = {"container", "inspect", format, job->id};
    for (size_t i = 0; i < ARRAY_LEN(asked); i++)
        client_word(&words, asked[i]);
    if (client_ask(&job->engine->client, &words, answer, sizeof answer) != 0 ||
        sscanf(client_first_line(answer), "%31[^|]|%31[^|]|%31[^|]|%31[^|]|%7[^|]|%31[^|]|%63s", memory, swap, pids, cpus, read_only, network,
               runtime) < 6)
        return false;
    memcpy(job->engine->runtime, runtime, sizeof runtime);
    *w = (struct engine_word){.memory = number(memory), .memory_swap = number(swap), .processes = number(pids),
                              .cpus_milli = number(cpus), .read_only = strcmp(read_only, "true") == 0,
                              .no_network = strcmp(network, "none") == 0};
    w->cpus_milli = w->cpus_milli == UINT64_MAX ? UINT64_MAX : w->cpus_milli / 1000000;
    return true;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void state_controls(struct engine_job *job)
{
    const struct run_limits *l = &job->plan.run->limits;
    const struct control_row rows[] = {
        {CONTROL_NAMESPACES, true, "the engine's namespaces; the agent covers the kernel's files in /proc and /sys"},
        {CONTROL_NETWORK, true, "--network none, as the engine says: only the container's own loopback"},
        {CONTROL_INPUTS, true, "copies in read-only volumes on the daemon's host; no socket or FIFO among them"},
        {CONTROL_SCRATCH_ONLY, true, "--read-only, --ipc none; the agent leads /tmp and /dev/shm into the scratch"},
        {CONTROL_MEMORY, l->has_memory, "the engine's control group, as engine and agent say; no swap"},
        {CONTROL_PROCESSES, l->has_processes, "the engine's control group, as engine and agent say"},
        {CONTROL_CPUS, l->has_cpus, "the engine's control group, as engine and agent say"},
        {CONTROL_FILE_SIZE, l->has_file, "RLIMIT_FSIZE, set by the agent"},
        {CONTROL_SCRATCH_SIZE, l->has_scratch, "size of the scratch's tmpfs, as the agent found it"},
        {CONTROL_INODES, l->has_inodes, "inodes of the scratch's tmpfs, set and found by the agent"},
        {CONTROL_OUTPUT, l->has_output, "the agent counts and kills, and the broker behind it; the engine keeps no log"},
        {CONTROL_WALL, l->has_wall, "the agent's clock; five seconds behind it the broker's, killing by id"},
        {CONTROL_PRIVILEGE, true, "another user than the agent's, no capabilities, no_new_privs"},
        {CONTROL_SECCOMP, true, "our allow-list of system calls, loaded by the agent, within the engine's own"},
        {CONTROL_LANDLOCK, true, "loaded by the agent where the kernel has it; the other controls hold alone"},
        {CONTROL_CLEANUP, true, "on the agent's word: all dead, scratch read-only; the engine knows of nothing left"}};
    box_controls(job->result, l, rows, ARRAY_LEN(rows));
}

int far_limits(struct engine_job *job, const struct far_hello *found)
{
    const struct run_limits *l = &job->plan.run->limits;
    struct engine_word said;
    if (!ask(job, &said))
        return job_fault(job, EIO, "%s does not say what the container is held to", job->engine->client.name);
    state_controls(job);
    if (!said.no_network && !job_off(job, CONTROL_NETWORK))
        return job_missing(job, CONTROL_NETWORK, "the engine gave the container a network");
    if (!said.read_only && !job_off(job, CONTROL_SCRATCH_ONLY))
        return job_missing(job, CONTROL_SCRATCH_ONLY, "the engine left the container's root writable");
    int rc = job_scratch_held(job, &(struct held_scratch){.type = found->scratch_type, .bytes = found->scratch_bytes,
                                                          .inodes = found->scratch_inodes});
    if (rc != 0)
        return rc;
    return job_held(job, &(struct held_limits){.memory = larger(found->memory, said.memory),
                                               .processes = larger(found->processes, said.processes),
                                               .cpus_milli = larger(found->cpus_milli, said.cpus_milli),
                                               .swaps = larger(found->memory_swap, said.memory_swap) > l->memory});
}
