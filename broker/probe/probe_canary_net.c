/* SPDX-License-Identifier: ISC
 * The oracle's two sides where the network and signals are asked: being reached, and reaching it from outside. In the broker,
 * or alone on the host of a daemon elsewhere; nothing is read from whoever connects. */
#include "probe/probe_canary.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"

enum { CANARY_ANSWER_MS = 2000 };

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

/* On every address of the host, so that each of them is a way in. -1: the family is not there. */
static int open_listener(int family, int type, uint16_t *port)
{
    union address a;
    int one = 1;
    memset(&a, 0, sizeof a);
    a.any.sa_family = (sa_family_t)family;
    socklen_t len = family == AF_INET ? sizeof a.in : sizeof a.in6;
    int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) < 0) ||
        bind(fd, &a.any, len) < 0 || (type == SOCK_STREAM && listen(fd, 16) < 0) || getsockname(fd, &a.any, &len) < 0)
        fd_close(&fd);
    *port = fd < 0 ? 0 : ntohs(family == AF_INET ? a.in.sin_port : a.in6.sin6_port);
    return fd;
}

int canary_unix(const char *name, bool abstract)
{
    union address a;
    memset(&a, 0, sizeof a);
    a.un.sun_family = AF_UNIX;
    size_t n = strlen(name), at = abstract ? 1 : 0;
    if (n + 2 > sizeof a.un.sun_path)
        return -1;
    memcpy(a.un.sun_path + at, name, n);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, &a.any, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1)) < 0 || listen(fd, 16) < 0))
        fd_close(&fd);
    return fd;
}

/* The host's addresses of one family; link-local ones need an interface that the sandbox does not have. */
static void list_hosts(int family, char *out, size_t size)
{
    struct ifaddrs *all = NULL;
    size_t used = (size_t)snprintf(out, size, "%s", family == AF_INET ? "127.0.0.1" : "::1");
    if (getifaddrs(&all) < 0)
        return;
    for (struct ifaddrs *i = all; i; i = i->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        if (!i->ifa_addr || i->ifa_addr->sa_family != family)
            continue;
        const struct sockaddr_in *in = (const void *)i->ifa_addr;
        const struct sockaddr_in6 *in6 = (const void *)i->ifa_addr;
        if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
            continue;
        const void *address = family == AF_INET ? (const void *)&in->sin_addr : (const void *)&in6->sin6_addr;
        if (inet_ntop(family, address, text, sizeof text) && used + strlen(text) + 2 < size)
            used += (size_t)snprintf(out + used, size - used, ",%s", text);
    }
    freeifaddrs(all);
}

/* Begun now and asked for its end later, so that nobody waits for it. */
static int start_public(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(CANARY_PUBLIC_PORT)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || inet_pton(AF_INET, CANARY_PUBLIC, &a.sin_addr) != 1)
        return fd;
    if (connect(fd, (const struct sockaddr *)&a, sizeof a) < 0 && errno != EINPROGRESS)
        fd_close(&fd);
    return fd;
}

bool canary_public(const struct probe_canary *c)
{
    struct sockaddr_in a;
    socklen_t len = sizeof a;
    if (c->far_in >= 0)
        return c->far_public;
    return c->public_fd >= 0 && getpeername(c->public_fd, (struct sockaddr *)&a, &len) == 0;
}

bool canary_listens(const struct probe_canary *c, unsigned index)
{
    return c->far_in >= 0 ? c->ports[index] != 0 : c->listeners[index] >= 0;
}

static volatile sig_atomic_t got_signal, asked_signal;

/* Signals are the job's, or our own question whether one came before it. */
static void on_signal(int number)
{
    if (number == SIGWINCH)
        asked_signal = 1;
    else
        got_signal = 1;
}

/* A process of the job's own user id outside of the box: it says when it was signalled. */
static NORETURN void canary_process(uint32_t uid, int report)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t wait_mask;
    if (geteuid() == 0 && (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0))
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1); /* as any process of that user is: what protects it must be the sandbox */
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGURG, &action, NULL);
    sigfillset(&wait_mask);
    sigdelset(&wait_mask, SIGUSR1);
    sigdelset(&wait_mask, SIGURG);
    sigdelset(&wait_mask, SIGWINCH);
    sigaction(SIGWINCH, &action, NULL);
    if (write(report, "r", 1) != 1)
        _exit(1);
    for (;;) {
        sigsuspend(&wait_mask);
        if (got_signal && write(report, "s", 1) != 1)
            _exit(1);
        got_signal = 0;
        if (asked_signal && write(report, "a", 1) != 1)
            _exit(1);
        asked_signal = 0;
    }
}

/* In a young process namespace the canary's number could also be that of a process in the box: a signal to it, or its entry
 * in /proc, would prove nothing. */
static void skip_small_numbers(void)
{
    for (unsigned i = 0; i < 2 * CANARY_NUMBER_LEAST; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) < 0 || (unsigned)pid >= CANARY_NUMBER_LEAST)
            return;
    }
}

static int start_process(struct probe_canary *c, uint32_t uid)
{
    int ends[2];
    char ready;
    sigset_t block, before;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    sigaddset(&block, SIGURG);
    sigaddset(&block, SIGWINCH);
    sigprocmask(SIG_BLOCK, &block, &before);
    skip_small_numbers();
    c->process = fork();
    if (c->process == 0)
        canary_process(uid, ends[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    c->signals = ends[0];
    if (c->process < 0 || fd_read_full(c->signals, &ready, 1) < 0 || fcntl(c->signals, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    return 0;
}

bool canary_drain(int fd, bool stream)
{
    bool any = false;
    for (;;) {
        char byte;
        AUTO_FD peer = -1;
        if (fd < 0)
            return any;
        if (stream) {
            peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
            if (peer < 0)
                return any;
        } else if (read(fd, &byte, 1) <= 0) {
            return any;
        }
        any = true;
    }
}

/* Asked first, so that a signal which is still on its way counts. */
static bool was_signalled(const struct probe_canary *c)
{
    struct pollfd p = {.fd = c->signals, .events = POLLIN};
    char byte = 0;
    bool any = false;
    if (c->process <= 0 || kill(c->process, SIGWINCH) < 0)
        return false;
    while (byte != 'a' && poll(&p, 1, CANARY_ANSWER_MS) == 1 && read(c->signals, &byte, 1) == 1)
        any = any || byte == 's';
    return any;
}

static bool reach_listener(int listener)
{
    union address a;
    socklen_t len = sizeof a;
    int type = 0;
    socklen_t size = sizeof type;
    memset(&a, 0, sizeof a);
    if (getsockname(listener, &a.any, &len) < 0 || getsockopt(listener, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return false;
    AUTO_FD fd = socket(a.any.sa_family, type | SOCK_CLOEXEC, 0);
    return fd >= 0 && connect(fd, &a.any, len) == 0 && (type == SOCK_STREAM || send(fd, "c", 1, 0) == 1);
}

/* Containers often have IPv6 in the kernel and on no interface: then there is nothing to reach. */
static void drop_absent_ipv6(struct probe_canary *c)
{
    if (strcmp(c->hosts6, "::1") != 0 || c->listeners[1] < 0 || reach_listener(c->listeners[1]) ||
        (errno != EADDRNOTAVAIL && errno != ENETUNREACH))
        return;
    fd_close(&c->listeners[1]);
    fd_close(&c->listeners[3]);
}

int canary_net_open(struct probe_canary *c, uint32_t uid)
{
    *c = (struct probe_canary){.dir = -1, .fifo = -1, .lock = -1, .signals = -1, .public_fd = -1, .dns.asked = -1,
                               .listeners = {-1, -1, -1, -1, -1, -1}, .far_in = -1, .far_out = -1};
    c->listeners[0] = open_listener(AF_INET, SOCK_STREAM, &c->ports[0]);
    c->listeners[1] = open_listener(AF_INET6, SOCK_STREAM, &c->ports[1]);
    c->listeners[2] = open_listener(AF_INET, SOCK_DGRAM, &c->ports[2]);
    c->listeners[3] = open_listener(AF_INET6, SOCK_DGRAM, &c->ports[3]);
    snprintf(c->abstract, sizeof c->abstract, "sallyport-canary-%d", getpid());
    c->listeners[4] = canary_unix(c->abstract, true);
    list_hosts(AF_INET, c->hosts, sizeof c->hosts);
    list_hosts(AF_INET6, c->hosts6, sizeof c->hosts6);
    c->public_fd = start_public();
    if (c->listeners[0] < 0 || c->listeners[2] < 0 || c->listeners[4] < 0)
        return -1;
    drop_absent_ipv6(c);
    return start_process(c, uid) < 0 || canary_dns_open(&c->dns) < 0 ? -1 : 0;
}

unsigned canary_net_reached(struct probe_canary *c)
{
    unsigned got = 0;
    for (unsigned i = 0; i < 5; i++)
        if (canary_drain(c->listeners[i], i != 2 && i != 3))
            got |= 1u << i;
    if (canary_drain(c->dns.asked, false))
        got |= REACHED_DNS;
    if (was_signalled(c))
        got |= REACHED_SIGNAL;
    return got;
}

unsigned canary_net_reach(struct probe_canary *c)
{
    unsigned want = 0;
    for (unsigned i = 0; i < 5; i++)
        if (c->listeners[i] >= 0) {
            want |= 1u << i;
            if (!reach_listener(c->listeners[i]))
                return 0;
        }
    if (!canary_dns_works(&c->dns) || c->process <= 0 || kill(c->process, SIGUSR1) < 0)
        return 0;
    return want | REACHED_SIGNAL | REACHED_DNS;
}

void canary_net_close(struct probe_canary *c)
{
    for (size_t i = 0; i < ARRAY_LEN(c->listeners); i++)
        fd_close(&c->listeners[i]);
    fd_close(&c->signals);
    fd_close(&c->public_fd);
    canary_dns_close(&c->dns);
    if (c->process > 0) {
        kill(c->process, SIGKILL);
        while (waitpid(c->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}
