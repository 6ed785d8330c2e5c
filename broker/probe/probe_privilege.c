/* SPDX-License-Identifier: ISC
 * Probes of privilege: what a job could gain, and calls that reach into the kernel or into other processes. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe_inside.h"

static bool ordinary_child(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void program_works(const char *name)
{
    inside_positive(name, ordinary_child(), "an ordinary process");
}

/* Needs CAP_SYS_ADMIN over the sandbox's own host name only: harmless where it works. */
void probe_capabilities(const struct probe_args *args, const char *name)
{
    (void)args;
    program_works(name);
    inside_attempt(name, sethostname("probe", 5) < 0 && chroot("/") < 0 ? -1 : 0);
}

void probe_no_new_privs(const struct probe_args *args, const char *name)
{
    (void)args;
    int state = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    program_works(name);
    inside_negative(name, state != 1, state == 1 ? "programs gain nothing by being run" : "not set");
}

void probe_ptrace(const struct probe_args *args, const char *name)
{
    (void)args;
    program_works(name);
    inside_attempt(name, ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

void probe_keyring(const struct probe_args *args, const char *name)
{
    (void)args;
    program_works(name);
    inside_attempt(name, syscall(SYS_add_key, "user", "sallyport-probe", "x", (size_t)1, -2 /* process keyring */));
}

/* Called with nothing to work on: EFAULT or EINVAL tell that the kernel looked. */
void probe_io_uring(const struct probe_args *args, const char *name)
{
    (void)args;
    program_works(name);
    long rc = syscall(425 /* io_uring_setup */, 1, NULL);
    bool open = rc >= 0 || errno == EFAULT || errno == EINVAL;
    inside_negative(name, open, open ? "the kernel answers" : strerror(errno));
}

void probe_vm_read(const struct probe_args *args, const char *name)
{
    (void)args;
    char from[8] = "secret", to[8] = "";
    struct iovec local = {.iov_base = to, .iov_len = 8}, remote = {.iov_base = from, .iov_len = 8};
    program_works(name);
    inside_attempt(name, process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
}

void probe_namespace(const struct probe_args *args, const char *name)
{
    (void)args;
    program_works(name);
    inside_attempt(name, unshare(CLONE_NEWUSER));
}

/* A foreign call runs in a child: the filter kills for it. */
static void foreign(const char *name, void (*call)(void))
{
    int status = 0;
    program_works(name);
    pid_t pid = fork();
    if (pid == 0) {
        call();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    bool open = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    inside_negative(name, open, open ? "the call was made" : WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "refused");
}

static void call_i386(void)
{
#ifdef __x86_64__
    long rc = 20; /* getpid of the i386 table */
    __asm__ volatile("int $0x80" : "+a"(rc) : : "r8", "r9", "r10", "r11", "memory");
    _exit(rc > 0 ? 0 : 1);
#else
    _exit(1);
#endif
}

static void call_x32(void)
{
#ifdef __x86_64__
    _exit(syscall(0x40000000 + 39 /* getpid */) > 0 || errno == ENOSYS ? 0 : 1);
#else
    _exit(1); /* a number like any other there: the filter answers that it knows no such call */
#endif
}

void probe_i386(const struct probe_args *args, const char *name)
{
    (void)args;
    foreign(name, call_i386);
}

void probe_x32(const struct probe_args *args, const char *name)
{
    (void)args;
    foreign(name, call_x32);
}

void probe_signal(const struct probe_args *args, const char *name)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    bool ok = pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid;
    inside_positive(name, ok, "a signal to our own child");
    inside_attempt(name, args->canary > 1 ? kill(args->canary, SIGUSR1) : 0);
}
