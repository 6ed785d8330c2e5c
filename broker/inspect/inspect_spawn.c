/* SPDX-License-Identifier: ISC
 * The program is opened once and executed by descriptor, so that what was checked is what runs. It gets a socket and, if
 * there are any, the sealed extra rules: nothing else, and no environment of ours. */
#include "inspect/inspect_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/fd.h"
#include "base/limits.h"

enum { SAFE_FD = 10 }; /* above every descriptor that the worker is given */

/* --- where it is --------------------------------------------------------------------------------- */

static bool own_directory(char *out, size_t size)
{
#ifdef __APPLE__
    uint32_t len = (uint32_t)size;
    if (_NSGetExecutablePath(out, &len) != 0)
        return false;
#else
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
#endif
    char *slash = strrchr(out, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static int open_in(const char *dir, const char *name)
{
    AUTO_FD at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return at < 0 ? -1 : openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* Would anybody but root and us decide what this program does? */
static bool trusted(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int spawn_find(const char *libexec, const char *name)
{
    char own[PATH_BYTES];
    AUTO_FD fd = -1;
    if (libexec)
        fd = open_in(libexec, name);
    else {
        if (own_directory(own, sizeof(own)))
            fd = open_in(own, name);
        if (fd < 0)
            fd = open_in(SP_LIBEXECDIR, name);
    }
    if (fd < 0)
        return -1;
    if (!trusted(fd)) {
        errno = EPERM;
        return -1;
    }
    int found = fd;
    fd = -1;
    return found;
}

/* --- starting it ----------------------------------------------------------------------------------- */

struct start {
    int program, nowhere, socket, rules; /* all SAFE_FD or above; rules -1: none */
    char *argv[3];
};

/* The child calls nothing but the system before it is another program: on Linux it may borrow our memory until then, which
 * saves the copy of our page tables. */
#ifdef __linux__
#define spawn_fork vfork
#else
#define spawn_fork fork
#endif

static NORETURN void start_child(const struct start *s)
{
    static char lc[] = "LC_ALL=C.UTF-8", tz[] = "TZ=UTC0";
#ifdef SP_SANITIZERS
    static char asan[] = "ASAN_OPTIONS=detect_leaks=0:symbolize=0", ubsan[] = "UBSAN_OPTIONS=symbolize=0";
    char *env[] = {lc, tz, asan, ubsan, NULL};
    int top = STDOUT_FILENO; /* reports go to standard error */
#else
    char *env[] = {lc, tz, NULL};
    int top = STDERR_FILENO;
#endif
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 0; fd <= top; fd++)
        if (dup2(s->nowhere, fd) != fd)
            _exit(127);
    if (dup2(s->socket, STDERR_FILENO + 1) < 0 || (s->rules >= 0 && dup2(s->rules, STDERR_FILENO + 2) < 0))
        _exit(127);
    fexecve(s->program, s->argv, env);
    _exit(127);
}

static int raise_fd(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, SAFE_FD);
}

pid_t spawn_worker(int program, const char *name, int rules_fd, int *control)
{
    static char rules_word[] = "rules";
    char word[64];
    int pair[2];
    snprintf(word, sizeof(word), "%s", name);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    AUTO_FD ours = pair[0], theirs = pair[1], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    AUTO_FD high_program = raise_fd(program), high_socket = raise_fd(theirs), high_null = raise_fd(null);
    AUTO_FD high_rules = rules_fd >= 0 ? raise_fd(rules_fd) : -1;
    struct start start = {high_program, high_null, high_socket, high_rules,
                          {word, rules_fd >= 0 ? rules_word : NULL, NULL}};
    if (high_program < 0 || high_socket < 0 || high_null < 0 || (rules_fd >= 0 && high_rules < 0))
        return -1;
    pid_t pid = spawn_fork();
    if (pid == 0)
        start_child(&start);
    if (pid > 0) {
        *control = ours;
        ours = -1;
    }
    return pid;
}
