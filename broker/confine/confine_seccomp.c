/* SPDX-License-Identifier: ISC
 * What a worker child may ask of Linux once it is set up: anonymous memory that never executes, reads of descriptors it
 * was given, writes to its spool, messages on its socket, the end. No opening, no naming, no making of anything. */
#include "confine/confine_seccomp.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "confine/confine_bpf.h"

#define ALLOW(name) {SYS_##name, SECCOMP_RET_ALLOW, {{0}}}
#define NEVER_EXECUTABLE(arg) {arg, PROT_EXEC, 0}

static const struct bpf_rule worker_rules[] = {
    ALLOW(pread64),
    ALLOW(pwrite64), /* the spool; every other descriptor is read-only or a socket */
    ALLOW(sendmsg),
    ALLOW(recvmsg),
    ALLOW(read),
    {SYS_mmap,
     SECCOMP_RET_ALLOW,
     {{2, ~(uint64_t)(PROT_READ | PROT_WRITE), 0},
      {3, MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS}}},
    ALLOW(munmap),
    ALLOW(brk),
    ALLOW(mremap),
    ALLOW(madvise),
    {SYS_mprotect, SECCOMP_RET_ALLOW, {NEVER_EXECUTABLE(2)}},
    ALLOW(close),
    ALLOW(futex),
    ALLOW(clock_gettime),
    ALLOW(getrandom),
    ALLOW(rt_sigreturn),
    ALLOW(exit),
    ALLOW(exit_group),
#ifdef SP_SANITIZERS /* reports, and signal stacks; still nothing that opens */
    ALLOW(write),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(sigaltstack),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(sched_yield),
    ALLOW(nanosleep),
    ALLOW(tgkill),
#endif
};

int seccomp_worker(void)
{
    struct bpf_program p;
    bpf_begin(&p, bpf_own_arch());
    bpf_rules(&p, worker_rules, ARRAY_LEN(worker_rules));
    bpf_end(&p, SECCOMP_RET_KILL_PROCESS);
    return bpf_install(&p);
}
