/* SPDX-License-Identifier: ISC
 * The probe program: runs inside the sandbox that is being proven, so it is static and uses nothing but the C library. For
 * each probe it prints two lines: "P NAME ok|fail DETAIL" (the counterpart that must succeed) and "N NAME held|open DETAIL"
 * (the attempt that must fail). It judges nothing; its word counts only where the oracle outside agrees. */
#ifndef SALLYPORT_PROBE_INSIDE_H
#define SALLYPORT_PROBE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the driver tells us of its canaries; 0 or NULL: not given. */
struct probe_args {
    uint16_t tcp4, tcp6, udp4, udp6;
    uint16_t dns;          /* a resolver on the host's 127.0.0.1 */
    const char *hosts6;    /* comma-separated IPv6 addresses */
    const char *public_host; /* an IPv4 address beyond the host, where a DNS server listens */
    const char *abstract;  /* name of a listening abstract socket */
    const char *hosts;     /* comma-separated IPv4 addresses of the host that the listeners cover */
    pid_t canary;          /* a process outside, of our own user id */
    const char *variable;  /* name of an environment variable that must not be here */
    uint64_t size;         /* of a limit */
};

struct probe_entry {
    const char *name;
    void (*run)(const struct probe_args *args, const char *name);
};

void inside_positive(const char *name, bool ok, const char *detail);
void inside_negative(const char *name, bool open, const char *detail);
/* open where rc >= 0; the detail is errno's name */
void inside_attempt(const char *name, long rc);

/* Where the driver mounts its canary input, and where scratch is. */
#define PROBE_INPUT "/canary"
#define PROBE_SCRATCH "/scratch"

#define PROBE(f) void f(const struct probe_args *args, const char *name)
PROBE(probe_tcp4);
PROBE(probe_tcp6);
PROBE(probe_udp4);
PROBE(probe_udp6);
PROBE(probe_abstract);
PROBE(probe_hosts);
PROBE(probe_hosts6);
PROBE(probe_public);
PROBE(probe_resolve);
PROBE(probe_host_name);
PROBE(probe_rebinding);
PROBE(probe_metadata);
PROBE(probe_metadata6);
PROBE(probe_raw);
PROBE(probe_icmp);
PROBE(probe_packet);
PROBE(probe_vsock);
PROBE(probe_input_write);
PROBE(probe_input_meta);
PROBE(probe_input_remount);
PROBE(probe_input_socket);
PROBE(probe_input_fifo);
PROBE(probe_input_lock);
PROBE(probe_scratch_only);
PROBE(probe_proc);
PROBE(probe_sockets);
PROBE(probe_environment);
PROBE(probe_descriptors);
PROBE(probe_capabilities);
PROBE(probe_no_new_privs);
PROBE(probe_ptrace);
PROBE(probe_keyring);
PROBE(probe_io_uring);
PROBE(probe_vm_read);
PROBE(probe_namespace);
PROBE(probe_i386);
PROBE(probe_x32);
PROBE(probe_signal);
PROBE(probe_huge_pages);
PROBE(probe_protocols);
PROBE(probe_bpf);
PROBE(probe_perf);
PROBE(probe_userfaultfd);
PROBE(probe_terminal);
PROBE(probe_mount);
PROBE(probe_core);
PROBE(probe_kill_all);
PROBE(probe_pidfd);
PROBE(probe_proc_root);
PROBE(probe_ptrace_outside);
PROBE(probe_setuid);
PROBE(probe_memory_anon);
PROBE(probe_memory_memfd);
PROBE(probe_memory_shared);
PROBE(probe_memory_sysv);
PROBE(probe_processes);
PROBE(probe_cpus);
PROBE(probe_file_size);
PROBE(probe_scratch_size);
PROBE(probe_inodes);
PROBE(probe_output);
PROBE(probe_wall);
PROBE(probe_daemon);
#undef PROBE

/* Returns the exit status. */
int probe_oracle(void);

#endif
