/* SPDX-License-Identifier: ISC
 * Probes of calls that add kernel surface or reach other processes. Called with nothing to work on: that the kernel looked
 * at the arguments at all is what the filter must prevent. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe_inside.h"

extern char **environ;

static void child_works(const char *name)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    bool ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
    inside_positive(name, ok, "an ordinary process");
}

/* EPERM and ENOSYS are the filter's two words; any other shows that the kernel looked. */
static void looked_at(const char *name, long rc)
{
    bool open = rc >= 0 || (errno != EPERM && errno != ENOSYS);
    inside_negative(name, open, open ? "the kernel answers" : strerror(errno));
}

void probe_bpf(const struct probe_args *args, const char *name)
{
    (void)args;
    child_works(name);
    looked_at(name, syscall(SYS_bpf, 0, NULL, 0));
}

void probe_perf(const struct probe_args *args, const char *name)
{
    (void)args;
    child_works(name);
    looked_at(name, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}

void probe_userfaultfd(const struct probe_args *args, const char *name)
{
    (void)args;
    child_works(name);
    looked_at(name, syscall(SYS_userfaultfd, ~0u));
}

/* Counted by no memory limit. Where the host has none set aside the kernel says so: it looked. */
void probe_huge_pages(const struct probe_args *args, const char *name)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    (void)args;
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
    inside_positive(name, p != MAP_FAILED, "ordinary pages");
    p = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, flags | 0x40000 /* MAP_HUGETLB */, -1, 0);
    if (p == MAP_FAILED && errno == EPERM)
        p = (long)syscall(SYS_memfd_create, "huge", 4u /* MFD_HUGETLB */) < 0 && errno == EPERM ? MAP_FAILED : NULL;
    looked_at(name, p == MAP_FAILED ? -1 : 0);
}

/* A protocol that hosts keep in a module: only asking for it would load that. 144 is none, and answers alike. */
void probe_protocols(const struct probe_args *args, const char *name)
{
    (void)args;
    inside_positive(name, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP) >= 0, "TCP");
    looked_at(name, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 144));
}

/* Typing into a terminal; on a descriptor that is none the kernel would say so. */
void probe_terminal(const struct probe_args *args, const char *name)
{
    char byte = '\n';
    (void)args;
    child_works(name);
    looked_at(name, ioctl(0, TIOCSTI, &byte));
}

void probe_mount(const struct probe_args *args, const char *name)
{
    (void)args;
    inside_positive(name, mkdir(PROBE_SCRATCH "/m", 0700) == 0 || errno == EEXIST, "a directory in the scratch");
    inside_attempt(name, mount("none", PROBE_SCRATCH "/m", "tmpfs", 0, NULL));
    umount2(PROBE_SCRATCH "/m", MNT_DETACH);
    rmdir(PROBE_SCRATCH "/m");
}

/* A core file, or a helper of the host that is handed one. */
void probe_core(const struct probe_args *args, const char *name)
{
    int status = 0;
    (void)args;
    child_works(name);
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit;
        if (chdir(PROBE_SCRATCH) < 0 || getrlimit(RLIMIT_CORE, &limit) < 0)
            _exit(1);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_CORE, &limit);
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
        _exit(1);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
        return;
    inside_negative(name, WCOREDUMP(status) != 0, WCOREDUMP(status) ? "memory was dumped" : "a crash leaves nothing");
}

/* SIGURG is ignored by whoever does not ask for it: trying is harmless where it works. */
void probe_kill_all(const struct probe_args *args, const char *name)
{
    int status = 0;
    (void)args;
    signal(SIGURG, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    bool ok = pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid;
    inside_positive(name, ok, "a signal to our own child");
    (void)kill(-1, SIGURG);
    inside_negative(name, args->canary > 1 && kill(args->canary, 0) == 0, "a signal to all stays inside");
}

void probe_pidfd(const struct probe_args *args, const char *name)
{
    child_works(name);
    int fd = (int)syscall(SYS_pidfd_open, args->canary, 0);
    inside_attempt(name, fd < 0 ? -1 : syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0));
}

/* What a process outside, or the sandbox's first one, has open, and its root, through /proc. */
void probe_proc_root(const struct probe_args *args, const char *name)
{
    static const char *const links[] = {"root", "fd/0", "cwd"};
    char path[64], target[64];
    child_works(name);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "/proc/%d/%s", k == 0 ? 1 : args->canary, links[i]);
            if (readlink(path, target, sizeof target) >= 0) {
                inside_negative(name, true, path);
                return;
            }
        }
    inside_negative(name, false, "no other process's root or files");
}

void probe_ptrace_outside(const struct probe_args *args, const char *name)
{
    child_works(name);
    long rc = ptrace(PTRACE_SEIZE, args->canary, NULL, NULL);
    if (rc < 0 && getpid() != 1)
        rc = ptrace(PTRACE_SEIZE, 1, NULL, NULL);
    inside_attempt(name, rc);
}

/* In a child: does running it by this descriptor give another id? 9: it cannot be run at all. */
static bool gains(int fd, const char *path)
{
    static char word[] = "--identity";
    char *argv[] = {word, word, NULL};
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (fd >= 0)
            syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
        else
            execve(path, argv, environ);
        _exit(9);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Would the bit be honoured where the job can write? A user namespace of one user leaves it no id to gain, so that the
 * mutant shows what the kernel would do and not what it gives. */
void probe_setuid(const struct probe_args *args, const char *name)
{
    static const char *const files[] = {PROBE_INPUT "/setuid", "/usr/bin/su", "/usr/bin/mount"};
    struct statvfs fs;
    bool open_ = false;
    (void)args;
    child_works(name);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        int by_path = open(files[i], O_PATH | O_CLOEXEC), by_read = open(files[i], O_RDONLY | O_CLOEXEC);
        if (i == 0)
            open_ = gains(-1, files[i]) || gains(by_path, "") || gains(by_read, "");
        open_ = open_ || (by_path >= 0 && fstatvfs(by_path, &fs) == 0 && !(fs.f_flag & ST_NOSUID));
    }
    open_ = open_ || statvfs(PROBE_SCRATCH, &fs) < 0 || !(fs.f_flag & ST_NOSUID);
    open_ = open_ || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
    inside_negative(name, open_, open_ ? "the bit is honoured" : "by name and by descriptor it gives nothing");
}
