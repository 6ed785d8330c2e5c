/* SPDX-License-Identifier: ISC
 * A process of the broker's own on the host's loopback. What it is asked comes from the job: bounded, and only echoed. */
#include "probe/probe_canary_dns.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/probe_dns.h"

enum { ANSWER_MS = 1000 };

static NORETURN void serve(int fd, int asked)
{
    static const uint8_t host[4] = {127, 0, 0, 1}, nowhere[4] = {192, 0, 2, 1};
    bool rebound = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE];
        struct sockaddr_in from;
        socklen_t len = sizeof from;
        ssize_t n = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&from, &len);
        if (n < 0 && errno != EINTR)
            _exit(1);
        if (n < 0)
            continue;
        if (write(asked, "q", 1) != 1 && errno != EAGAIN)
            _exit(1);
        rebound = !dns_asks(question, (size_t)n, "rebind") || !rebound;
        size_t out = dns_answer(answer, question, (size_t)n, rebound ? host : nowhere);
        if (out > 0 && sendto(fd, answer, out, 0, (const struct sockaddr *)&from, len) < 0 && errno == EBADF)
            _exit(1);
    }
}

int canary_dns_open(struct canary_dns *d)
{
    int ends[2];
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    *d = (struct canary_dns){.asked = -1};
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || getsockname(fd, (struct sockaddr *)&a, &len) < 0 ||
        pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    d->port = ntohs(a.sin_port);
    d->asked = ends[0];
    d->process = fork();
    if (d->process == 0)
        serve(fd, ends[1]);
    close(ends[1]);
    return d->process < 0 ? -1 : 0;
}

bool canary_dns_works(const struct canary_dns *d)
{
    uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE], address[4];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(d->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    size_t len = dns_question(question, "canary.invalid");
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) < 0 || send(fd, question, len, 0) != (ssize_t)len ||
        poll(&p, 1, ANSWER_MS) != 1)
        return false;
    ssize_t n = recv(fd, answer, sizeof answer, 0);
    return n > 0 && dns_address(answer, (size_t)n, address) && address[0] == 127;
}

void canary_dns_close(struct canary_dns *d)
{
    fd_close(&d->asked);
    if (d->process > 0) {
        kill(d->process, SIGKILL);
        while (waitpid(d->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    d->process = 0;
}
