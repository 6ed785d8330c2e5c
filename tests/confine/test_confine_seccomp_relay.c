/* SPDX-License-Identifier: ISC
 * What the relay of a fetch phase needs works under its two filters, and each thing it must not do fails in the same child. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "confine/confine_landlock.h"
#include "confine/confine_seccomp.h"

enum { WORKED = 0, FAILED = 40, NO_CONFINEMENT = 41 };

static int child_of(void (*act)(void), bool pump)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || landlock_resolver() < 0 || seccomp_relay() != 0 ||
            (pump && seccomp_relay_pump() != 0))
            _exit(NO_CONFINEMENT);
        act();
        _exit(WORKED);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void need(bool holds)
{
    if (!holds)
        _exit(FAILED);
}

static void refused(long rc)
{
    need(rc < 0 && (errno == EPERM || errno == EACCES));
}

static void resolves_connects_and_forks(void)
{
    struct addrinfo *list = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    char byte = 0;
    int status = 1;
    need(getaddrinfo("127.0.0.1", "80", &hints, &list) == 0 && list);
    int host = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(host >= 0);
    need(bind(host, (const struct sockaddr *)&a, sizeof a) == 0 && getsockname(host, (struct sockaddr *)&a, &len) == 0);
    int files = open("/etc/hosts", O_RDONLY | O_CLOEXEC);
    need(files >= 0 || errno == ENOENT);
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    need(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    int pair[2] = {-1, -1};
    refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    need(recv(host, &byte, 1, MSG_DONTWAIT) < 0 && errno != EPERM);
}

static void reaches_nothing_else(void)
{
    static char word[] = "true";
    char *const argv[] = {word, NULL};
    refused(open("/etc/hosts", O_WRONLY | O_CLOEXEC));
    refused(open("/tmp/sallyport-relay-test", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    refused(open("/tmp", O_RDONLY | O_DIRECTORY | O_TMPFILE | O_CLOEXEC, 0600));
    refused(socket(AF_UNIX, SOCK_STREAM, 0));
    refused(socket(AF_PACKET, SOCK_RAW, 0));
    refused(socket(AF_NETLINK, SOCK_RAW, 9));
    refused(execve("/bin/true", argv, argv + 1));
    refused(kill(getppid(), 0));
    refused(unlink("/tmp/sallyport-relay-test"));
    refused(mkdir("/tmp/sallyport-relay-test", 0700));
    refused(chmod("/tmp", 0777));
    refused(syscall(SYS_ptrace, 0, 0, 0, 0));
    refused(syscall(SYS_unshare, 0x10000000));
    refused(syscall(SYS_clone, 0x10000000 | SIGCHLD, 0, 0, 0, 0));
    refused(syscall(SYS_setuid, 0));
    refused(syscall(SYS_memfd_create, "x", 0));
    refused(prctl(PR_SET_DUMPABLE, 1));
    need(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_EXEC) < 0);
}

static void reads_a_home(void)
{
    if (landlock_resolver() > 0)
        refused(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int ends[2];

static void passes_bytes(void)
{
    char byte = 0;
    struct pollfd p = {.fd = ends[1], .events = POLLIN};
    need(send(ends[0], "x", 1, 0) == 1 && poll(&p, 1, 1000) == 1 && recv(ends[1], &byte, 1, 0) == 1 && byte == 'x');
    shutdown(ends[0], SHUT_WR);
}

static void opens(void)
{
    need(open("/etc/hosts", O_RDONLY | O_CLOEXEC) >= 0);
}

static void makes_a_socket(void)
{
    need(socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static void forks(void)
{
    need(fork() >= 0);
}

Test(confine_seccomp_relay, what_it_needs)
{
    cr_assert_eq(child_of(resolves_connects_and_forks, false), WORKED);
}

Test(confine_seccomp_relay, nothing_else)
{
    cr_assert_eq(child_of(reaches_nothing_else, false), WORKED);
    cr_assert_eq(child_of(reads_a_home, false), WORKED);
}

Test(confine_seccomp_relay, a_connection_that_stands)
{
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    cr_assert_eq(child_of(passes_bytes, true), WORKED);
    cr_assert_eq(child_of(opens, true), -SIGSYS);
    cr_assert_eq(child_of(makes_a_socket, true), -SIGSYS);
    cr_assert_eq(child_of(forks, true), -SIGSYS);
}
