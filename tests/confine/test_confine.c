/* SPDX-License-Identifier: ISC
 * Each thing that a worker child must not do really ends it, and what it needs really works, in the same child. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"
#include "confine/confine.h"

enum { WORKED = 0, DENIED_SOFTLY = 40, NO_CONFINEMENT = 41 };

static int file_fd, socket_fd;

/* Exit status of a confined child that does this and then ends with WORKED; -signal where it was killed. */
static int confined(void (*act)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct confinement c;
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (confine_worker_parent(&c) != 0)
            _exit(NO_CONFINEMENT);
        c.parent = getppid(); /* both steps in one process here */
        if (confine_worker_child(&c) != 0 || !c.seccomp || !c.rlimits)
            _exit(NO_CONFINEMENT);
        act();
        _exit(WORKED);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void expect(bool held)
{
    if (!held)
        _exit(DENIED_SOFTLY);
}

/* --- what it needs -------------------------------------------------------------------------------- */

static void allowed_reads(void)
{
    char c = 0;
    expect(pread(file_fd, &c, 1, 0) == 1 && c == 'x');
    expect(read(file_fd, &c, 1) == 1);
}

static void allowed_memory(void)
{
    char *p = malloc(200 << 20), *q = NULL;
    expect(p != NULL);
    memset(p, 1, 1 << 20);
    q = realloc(p, 220 << 20);
    expect(q != NULL);
    free(q);
    void *m = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(m != MAP_FAILED && mprotect(m, 1 << 16, PROT_READ) == 0 && munmap(m, 1 << 16) == 0);
}

static void allowed_messages(void)
{
    int fd = socket_fd;
    struct wire w;
    wire_init(&w, &fd, true);
    expect(wire_send(&w, FRAME_START, "12345678", 8, -1) == 0);
}

static void allowed_clock(void)
{
    struct timespec now;
    char random[8];
    expect(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    expect(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) == 0);
    expect(syscall(SYS_getrandom, random, sizeof(random), 0) == sizeof(random));
    expect(close(file_fd) == 0);
}

/* --- what it must not ------------------------------------------------------------------------------- */

static void denied_open(void)
{
    (void)!syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static void denied_stat(void)
{
    char space[512];
    (void)!syscall(SYS_newfstatat, AT_FDCWD, "/", space, 0);
}

static void denied_socket(void)
{
    (void)!socket(AF_INET, SOCK_STREAM, 0);
}

static void denied_socketpair(void)
{
    int pair[2];
    (void)!socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static void denied_connect(void)
{
    (void)!connect(socket_fd, NULL, 0);
}

static void denied_fork(void)
{
    (void)!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void denied_exec(void)
{
    char *argv[] = {NULL};
    (void)!syscall(SYS_execve, "/bin/true", argv, argv);
}

static void denied_kill(void)
{
    (void)!syscall(SYS_kill, getppid(), 0);
}

static void denied_ptrace(void)
{
    (void)!syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
}

static void denied_exec_map(void)
{
    (void)!syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void denied_file_map(void)
{
    (void)!syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, file_fd, 0);
}

static void denied_shared_map(void)
{
    (void)!syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void denied_exec_protect(void)
{
    void *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)!syscall(SYS_mprotect, m, 4096, PROT_READ | PROT_EXEC);
}

static void denied_prctl(void)
{
    (void)!syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void denied_ioctl(void)
{
    (void)!syscall(SYS_ioctl, 0, 0x5412, "x");
}

static void denied_memfd(void)
{
    (void)!syscall(SYS_memfd_create, "x", 0);
}

static void denied_uring(void)
{
    (void)!syscall(425, 1, NULL);
}

static void denied_unknown(void)
{
    (void)!syscall(10000);
}

#ifdef __x86_64__
static void denied_x32(void)
{
    (void)!syscall(0x40000000 + 39);
}

/* i386's read, whose number is close in our own table: only the architecture tells them apart. */
static void denied_i386(void)
{
    long rc = 0;
    __asm__ volatile("int $0x80" : "=a"(rc) : "a"(3), "b"(-1), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
}
#endif

static void denied_high_half(void)
{
    /* the upper half of a checked argument is looked at too */
    (void)!syscall(SYS_mmap, NULL, 4096, PROT_READ | (1ULL << 40), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static const struct {
    const char *what;
    void (*act)(void);
    int outcome;
} rows[] = {
    {"read", allowed_reads, WORKED},
    {"memory", allowed_memory, WORKED},
    {"messages", allowed_messages, WORKED},
    {"clock, random, close", allowed_clock, WORKED},
    {"open", denied_open, -SIGSYS},
    {"stat", denied_stat, -SIGSYS},
    {"socket", denied_socket, -SIGSYS},
    {"socketpair", denied_socketpair, -SIGSYS},
    {"connect", denied_connect, -SIGSYS},
    {"fork", denied_fork, -SIGSYS},
    {"exec", denied_exec, -SIGSYS},
    {"kill", denied_kill, -SIGSYS},
    {"ptrace", denied_ptrace, -SIGSYS},
    {"executable mapping", denied_exec_map, -SIGSYS},
    {"file mapping", denied_file_map, -SIGSYS},
    {"shared mapping", denied_shared_map, -SIGSYS},
    {"executable protection", denied_exec_protect, -SIGSYS},
    {"prctl", denied_prctl, -SIGSYS},
    {"ioctl", denied_ioctl, -SIGSYS},
    {"memfd", denied_memfd, -SIGSYS},
    {"io_uring", denied_uring, -SIGSYS},
    {"unknown number", denied_unknown, -SIGSYS},
    {"high half of an argument", denied_high_half, -SIGSYS},
#ifdef __x86_64__
    {"x32", denied_x32, -SIGSYS},
    {"int 0x80", denied_i386, -SIGSYS},
#endif
};

Test(confine, a_child_can_do_what_it_needs_and_nothing_else)
{
    char path[] = "/tmp/sallyport-test-XXXXXX";
    int pair[2];
    file_fd = mkstemp(path);
    cr_assert(file_fd >= 0);
    unlink(path);
    cr_assert_eq(pwrite(file_fd, "xyz", 3, 0), 3);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    socket_fd = pair[0];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int outcome = confined(rows[i].act);
        cr_expect_eq(outcome, rows[i].outcome, "%s: %d instead of %d", rows[i].what, outcome, rows[i].outcome);
    }
    close(file_fd);
    close(pair[0]);
    close(pair[1]);
}

/* Without the filter the same calls work: it is the filter that denies them. */
Test(confine, the_same_calls_work_outside)
{
    int pair[2];
    AUTO_FD fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    cr_assert_neq(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
    cr_assert_neq(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0), MAP_FAILED);
    close(pair[0]);
    close(pair[1]);
}

Test(confine, a_child_without_its_parent_does_not_go_on)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct confinement c;
        if (confine_worker_parent(&c) != 0)
            _exit(1);
        c.parent = 1 << 30;
        _exit(confine_worker_child(&c) == -1 && errno == ESRCH && !c.seccomp ? 0 : 2);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
}

/* The parent's step alone: nothing to open (where Landlock is), nothing to write, no core, but a fork. */
Test(confine, the_parent_gives_up_files_and_keeps_fork)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct confinement c;
        struct rlimit r;
        if (confine_worker_parent(&c) != 0 || !c.rlimits || c.seccomp)
            _exit(1);
        if (c.landlock_abi > 0 && open("/etc/passwd", O_RDONLY) >= 0)
            _exit(2);
        if (getrlimit(RLIMIT_FSIZE, &r) != 0 || r.rlim_max > ((rlim_t)8 << 30) || getrlimit(RLIMIT_CORE, &r) != 0 || r.rlim_max != 0)
            _exit(3);
        if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
            _exit(4);
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        _exit(child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 5);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0, "exit status %d", WEXITSTATUS(status));
}
