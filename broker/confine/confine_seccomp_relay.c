/* SPDX-License-Identifier: ISC
 * The relay of a fetch phase: first what resolving names, connecting and forking need, then, once a connection stands and
 * before the outside's bytes arrive, only passing bytes on. Nothing can be written, run, signalled or reached by a local
 * socket: daemons of the host are not for the relay. What is refused fails, so that a resolver's module falls back. */
#include "confine/confine_seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "confine/confine_bpf.h"

#define ALLOW(name) {SYS_##name, SECCOMP_RET_ALLOW, {{0}}}
#define SOCKETS_OF(family) {SYS_socket, SECCOMP_RET_ALLOW, {{0, 0xffffffff, family}}}

enum {
    TMPFILE_BIT = O_TMPFILE & ~O_DIRECTORY,
    FORK_FLAGS = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD /* what fork() of the C library asks for */
};

static const struct bpf_rule pump_rules[] = {
    ALLOW(recvfrom),
    ALLOW(sendto),
#ifdef SYS_poll
    ALLOW(poll),
#endif
    ALLOW(ppoll),
    ALLOW(shutdown),
    ALLOW(close),
    ALLOW(restart_syscall),
    ALLOW(rt_sigreturn),
    ALLOW(exit),
    ALLOW(exit_group),
#ifdef SP_SANITIZERS /* reports and signal stacks */
    ALLOW(write),
    ALLOW(munmap),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(sigaltstack),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    {SYS_mmap, SECCOMP_RET_ALLOW, {{2, PROT_EXEC, 0}}},
#endif
};

static const struct bpf_rule relay_rules[] = {
    /* connections */
    ALLOW(accept4),
    SOCKETS_OF(AF_INET),
    SOCKETS_OF(AF_INET6),
    {SYS_socket, SECCOMP_RET_ALLOW, {{0, 0xffffffff, AF_NETLINK}, {2, 0xffffffff, 0 /* NETLINK_ROUTE: own addresses */}}},
    ALLOW(connect),
    ALLOW(bind),
    ALLOW(getsockname),
    ALLOW(getpeername),
    ALLOW(getsockopt),
    ALLOW(setsockopt),
    ALLOW(sendmsg),
    ALLOW(sendmmsg),
    ALLOW(recvmsg),
    {SYS_ioctl, SECCOMP_RET_ALLOW, {{1, 0xffffffff, 0x541b /* FIONREAD: how much of an answer waits */}}},
    /* files of the resolver, read only */
    {SYS_openat, SECCOMP_RET_ALLOW, {{2, O_ACCMODE | O_CREAT | O_TRUNC | TMPFILE_BIT, O_RDONLY}}},
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(lseek),
    ALLOW(newfstatat),
    ALLOW(fstat),
    ALLOW(statx),
    ALLOW(fcntl),
#ifdef SYS_access
    ALLOW(access),
    ALLOW(readlink),
#endif
    ALLOW(faccessat),
    ALLOW(readlinkat),
    /* memory, and modules of the resolver: what can be written is never executed */
    {SYS_mmap, SECCOMP_RET_ALLOW, {{2, PROT_EXEC, 0}}},
    {SYS_mmap, SECCOMP_RET_ALLOW, {{2, PROT_WRITE, 0}, {3, MAP_ANONYMOUS, 0}}},
    {SYS_mprotect, SECCOMP_RET_ALLOW, {{2, PROT_EXEC, 0}}},
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    ALLOW(futex),
    /* one process for each connection */
    {SYS_clone, SECCOMP_RET_ALLOW, {{0, ~(uint64_t)FORK_FLAGS, 0}}},
    ALLOW(wait4),
    ALLOW(set_robust_list),
    {SYS_prctl, SECCOMP_RET_ALLOW, {{0, 0xffffffff, PR_SET_PDEATHSIG}}},
    {SYS_prctl, SECCOMP_RET_ALLOW, {{0, 0xffffffff, PR_SET_NO_NEW_PRIVS}}},
    {SYS_seccomp, SECCOMP_RET_ALLOW, {{0, 0xffffffff, SECCOMP_SET_MODE_FILTER}}},
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigaction),
    /* questions */
    ALLOW(getpid),
    ALLOW(getppid),
    ALLOW(gettid),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(uname),
    ALLOW(clock_gettime),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
};

int seccomp_relay(void)
{
    struct bpf_program p;
    bpf_begin(&p, bpf_own_arch());
    bpf_rules(&p, pump_rules, ARRAY_LEN(pump_rules));
    bpf_rules(&p, relay_rules, ARRAY_LEN(relay_rules));
    bpf_end(&p, SECCOMP_RET_ERRNO | EPERM);
    return bpf_install(&p);
}

int seccomp_relay_pump(void)
{
    struct bpf_program p;
    bpf_begin(&p, bpf_own_arch());
    bpf_rules(&p, pump_rules, ARRAY_LEN(pump_rules));
    bpf_end(&p, SECCOMP_RET_KILL_PROCESS);
    return bpf_install(&p);
}
