/* SPDX-License-Identifier: ISC
 * sallyport-probe KEY=VALUE ... -- NAME ...: runs the named probes one after the other, each in a process of its own.
 * sallyport-probe oracle: is what they must not reach (probe_oracle.c). */
#include "probe/probe_inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct probe_entry entries[] = {
    {"tcp4", probe_tcp4},
    {"tcp6", probe_tcp6},
    {"udp4", probe_udp4},
    {"udp6", probe_udp6},
    {"abstract", probe_abstract},
    {"hosts", probe_hosts},
    {"hosts6", probe_hosts6},
    {"public", probe_public},
    {"resolve", probe_resolve},
    {"host-name", probe_host_name},
    {"rebinding", probe_rebinding},
    {"metadata", probe_metadata},
    {"metadata6", probe_metadata6},
    {"raw", probe_raw},
    {"icmp", probe_icmp},
    {"packet", probe_packet},
    {"vsock", probe_vsock},
    {"input-write", probe_input_write},
    {"input-meta", probe_input_meta},
    {"input-remount", probe_input_remount},
    {"input-socket", probe_input_socket},
    {"input-fifo", probe_input_fifo},
    {"input-lock", probe_input_lock},
    {"scratch-only", probe_scratch_only},
    {"proc", probe_proc},
    {"sockets", probe_sockets},
    {"environment", probe_environment},
    {"descriptors", probe_descriptors},
    {"capabilities", probe_capabilities},
    {"no-new-privs", probe_no_new_privs},
    {"ptrace", probe_ptrace},
    {"keyring", probe_keyring},
    {"io-uring", probe_io_uring},
    {"vm-read", probe_vm_read},
    {"namespace", probe_namespace},
    {"i386", probe_i386},
    {"x32", probe_x32},
    {"signal", probe_signal},
    {"huge-pages", probe_huge_pages},
    {"protocols", probe_protocols},
    {"bpf", probe_bpf},
    {"perf", probe_perf},
    {"userfaultfd", probe_userfaultfd},
    {"terminal", probe_terminal},
    {"mount", probe_mount},
    {"core", probe_core},
    {"kill-all", probe_kill_all},
    {"pidfd", probe_pidfd},
    {"proc-root", probe_proc_root},
    {"ptrace-outside", probe_ptrace_outside},
    {"setuid", probe_setuid},
    {"memory-anon", probe_memory_anon},
    {"memory-memfd", probe_memory_memfd},
    {"memory-shared", probe_memory_shared},
    {"memory-sysv", probe_memory_sysv},
    {"processes", probe_processes},
    {"cpus", probe_cpus},
    {"file-size", probe_file_size},
    {"scratch-size", probe_scratch_size},
    {"inodes", probe_inodes},
    {"output", probe_output},
    {"wall", probe_wall},
    {"daemon", probe_daemon},
};

static void line(char kind, const char *name, const char *word, const char *detail)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%c %s %s %s\n", kind, name, word, detail);
    if (n > 0 && write(1, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0)
        _exit(3);
}

void inside_positive(const char *name, bool ok, const char *detail)
{
    line('P', name, ok ? "ok" : "fail", detail);
}

void inside_negative(const char *name, bool open, const char *detail)
{
    line('N', name, open ? "open" : "held", detail);
}

void inside_attempt(const char *name, long rc)
{
    inside_negative(name, rc >= 0, rc >= 0 ? "succeeded" : strerror(errno));
}

static uint16_t port(const char *text)
{
    unsigned long v = strtoul(text, NULL, 10);
    return v <= 65535 ? (uint16_t)v : 0;
}

static bool take_argument(struct probe_args *a, const char *word)
{
    const char *value = strchr(word, '=');
    if (!value)
        return false;
    size_t n = (size_t)(value++ - word);
    const struct {
        const char *key;
        uint16_t *port;
        const char **text;
    } table[] = {{"tcp4", &a->tcp4, NULL},           {"tcp6", &a->tcp6, NULL},         {"udp4", &a->udp4, NULL},
                 {"udp6", &a->udp6, NULL},           {"abstract", NULL, &a->abstract}, {"hosts", NULL, &a->hosts},
                 {"hosts6", NULL, &a->hosts6},       {"variable", NULL, &a->variable},
                 {"dns", &a->dns, NULL},             {"public", NULL, &a->public_host}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strlen(table[i].key) == n && memcmp(table[i].key, word, n) == 0) {
            if (table[i].port)
                *table[i].port = port(value);
            else
                *table[i].text = value;
            return true;
        }
    if (n == 6 && memcmp(word, "canary", 6) == 0)
        a->canary = (pid_t)strtol(value, NULL, 10);
    else if (n == 4 && memcmp(word, "size", 4) == 0)
        a->size = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

/* A probe that crashes or hangs says nothing more, and the driver counts that as no answer. */
static bool run_one(const struct probe_args *a, const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            entries[i].run(a, name);
            _exit(0);
        }
        int status;
        return pid > 0 && waitpid(pid, &status, 0) == pid;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct probe_args args = {0};
    int i = 1;
    if (argc == 2 && strcmp(argv[1], "--identity") == 0) /* of the setuid probe: 0 where being run gave us another id */
        return geteuid() != getuid() || getegid() != getgid() || getauxval(AT_SECURE) != 0 ? 0 : 1;
    if (argc == 2 && strcmp(argv[1], "oracle") == 0)
        return probe_oracle();
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!take_argument(&args, argv[i]))
            return 2;
    if (i >= argc)
        return 2;
    for (i++; i < argc; i++)
        if (!run_one(&args, argv[i]))
            return 3;
    return 0;
}
