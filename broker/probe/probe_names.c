/* SPDX-License-Identifier: ISC
 * Probes of names: the driver's resolver must not answer, so that no name leads out, neither the host's nor one that
 * changes its address between two questions. The same code against a resolver on the sandbox's own loopback must work. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe_dns.h"
#include "probe/probe_inside.h"

enum { ANSWER_MS = 700 };

static const uint8_t loopback[4] = {127, 0, 0, 1}, nowhere[4] = {192, 0, 2, 1};

static struct sockaddr_in at_loopback(uint16_t port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static bool ask(uint16_t port, const char *name, uint8_t address[4])
{
    uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE];
    struct sockaddr_in to = at_loopback(port);
    size_t len = dns_question(question, name);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ssize_t n = -1;
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 && send(fd, question, len, 0) == (ssize_t)len) {
        errno = ETIMEDOUT;
        if (poll(&p, 1, ANSWER_MS) == 1)
            n = recv(fd, answer, sizeof answer, 0);
    }
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return n > 0 && dns_address(answer, (size_t)n, address);
}

static bool reach_address(const uint8_t address[4], uint16_t port)
{
    struct sockaddr_in to = at_loopback(port);
    memcpy(&to.sin_addr, address, 4);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return ok;
}

/* A resolver of our own, in a child: first nowhere, then the loopback. */
static pid_t own_resolver(uint16_t *port)
{
    struct sockaddr_in a = at_loopback(0);
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || getsockname(fd, (struct sockaddr *)&a, &len) < 0)
        return -1;
    *port = ntohs(a.sin_port);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(5);
        for (bool first = true;; first = false) {
            uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE];
            struct sockaddr_in from;
            len = sizeof from;
            ssize_t n = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&from, &len);
            size_t out = n < 0 ? 0 : dns_answer(answer, question, (size_t)n, first ? nowhere : loopback);
            if (out == 0 || sendto(fd, answer, out, 0, (const struct sockaddr *)&from, len) < 0)
                _exit(1);
        }
    }
    close(fd);
    return pid;
}

/* A name of our own resolver changes its address, and then leads to a listener of our own. */
static void names_work_inside(const char *name)
{
    struct sockaddr_in a = at_loopback(0);
    socklen_t len = sizeof a;
    uint16_t port = 0;
    uint8_t first[4], second[4];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && bind(fd, (const struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 1) == 0 &&
              getsockname(fd, (struct sockaddr *)&a, &len) == 0;
    pid_t pid = ok ? own_resolver(&port) : -1;
    ok = pid > 0 && ask(port, "rebind.invalid", first) && ask(port, "rebind.invalid", second) &&
         memcmp(first, nowhere, 4) == 0 && reach_address(second, ntohs(a.sin_port));
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (fd >= 0)
        close(fd);
    inside_positive(name, ok, "a resolver and a listener on the sandbox's own loopback");
}

void probe_resolve(const struct probe_args *args, const char *name)
{
    uint8_t address[4];
    names_work_inside(name);
    errno = 0;
    bool open = args->dns != 0 && ask(args->dns, "canary.invalid", address);
    inside_negative(name, open || args->dns == 0, open ? "the host's resolver answers" : strerror(errno));
}

void probe_host_name(const struct probe_args *args, const char *name)
{
    static const char *const names[] = {"host.docker.internal", "host.orb.internal", "host.containers.internal",
                                        "gateway.docker.internal", "docker.for.mac.localhost"};
    uint8_t address[4];
    names_work_inside(name);
    for (size_t i = 0; args->dns && i < sizeof names / sizeof names[0]; i++)
        if (ask(args->dns, names[i], address) && reach_address(address, args->tcp4)) {
            inside_negative(name, true, names[i]);
            return;
        }
    inside_negative(name, args->dns == 0, "no name of the host leads to it");
}

/* Whoever checked the first answer has checked nothing. */
void probe_rebinding(const struct probe_args *args, const char *name)
{
    uint8_t first[4] = {0}, second[4] = {0};
    names_work_inside(name);
    bool answered = args->dns && ask(args->dns, "rebind.invalid", first) && ask(args->dns, "rebind.invalid", second);
    bool open = answered && (reach_address(second, args->tcp4) || reach_address(first, args->tcp4));
    inside_negative(name, open || args->dns == 0, open ? "the second answer led to the host" : "no name leads to the host");
}
