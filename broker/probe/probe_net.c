/* SPDX-License-Identifier: ISC
 * Probes of the network: every way out is tried against a listener of the driver's own, and the same code against a
 * listener on the sandbox's own loopback, which must answer. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe/probe_inside.h"

enum { WAIT_MS = 700, AF_VSOCK_ = 40, AF_PACKET_ = 17 };

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static socklen_t make_address(union address *a, int family, const char *text, uint16_t port)
{
    memset(a, 0, sizeof *a);
    a->any.sa_family = (sa_family_t)family;
    if (family == AF_INET) {
        a->in.sin_port = htons(port);
        inet_pton(AF_INET, text, &a->in.sin_addr);
        return sizeof a->in;
    }
    a->in6.sin6_port = htons(port);
    inet_pton(AF_INET6, text, &a->in6.sin6_addr);
    return sizeof a->in6;
}

/* 0 connected; -1 with errno, ETIMEDOUT where nobody answers. */
static int try_connect(const union address *a, socklen_t len)
{
    int error = 0, fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof error;
    if (fd < 0)
        return -1;
    if (connect(fd, &a->any, len) < 0) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        error = errno;
        if (error == EINPROGRESS)
            error = poll(&p, 1, WAIT_MS) <= 0                                      ? ETIMEDOUT
                    : getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno
                                                                                   : error;
    }
    close(fd);
    errno = error;
    return error == 0 ? 0 : -1;
}

/* A datagram; where nobody listens the second one reports what became of the first. */
static int try_datagram(const union address *a, socklen_t len)
{
    char byte = 'c';
    int fd = socket(a->any.sa_family, SOCK_DGRAM, 0);
    if (fd < 0)
        return -1;
    int rc = connect(fd, &a->any, len) < 0 || send(fd, &byte, 1, 0) != 1 ? -1 : 0;
    if (rc == 0) {
        struct pollfd p = {.fd = fd, .events = 0};
        poll(&p, 1, 50);
        rc = send(fd, &byte, 1, 0) == 1 ? 0 : -1;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    return rc;
}

static bool own_listener(int family, int type, const char *text)
{
    union address a;
    socklen_t len = make_address(&a, family, text, 0);
    int fd = socket(family, type, 0);
    bool ok = fd >= 0 && bind(fd, &a.any, len) == 0 && getsockname(fd, &a.any, &len) == 0;
    if (type == SOCK_STREAM)
        ok = ok && listen(fd, 1) == 0 && try_connect(&a, len) == 0;
    else {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ok = ok && try_datagram(&a, len) == 0 && poll(&p, 1, WAIT_MS) == 1;
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

static void reach(const char *name, int family, int type, const char *text, uint16_t port)
{
    union address a;
    socklen_t len = make_address(&a, family, text, port);
    inside_positive(name, own_listener(family, type, text), "a listener on the sandbox's own loopback");
    inside_attempt(name, type == SOCK_STREAM ? try_connect(&a, len) : try_datagram(&a, len));
}

void probe_tcp4(const struct probe_args *args, const char *name)
{
    reach(name, AF_INET, SOCK_STREAM, "127.0.0.1", args->tcp4);
}

void probe_tcp6(const struct probe_args *args, const char *name)
{
    reach(name, AF_INET6, SOCK_STREAM, "::1", args->tcp6);
}

void probe_udp4(const struct probe_args *args, const char *name)
{
    reach(name, AF_INET, SOCK_DGRAM, "127.0.0.1", args->udp4);
}

void probe_udp6(const struct probe_args *args, const char *name)
{
    reach(name, AF_INET6, SOCK_DGRAM, "::1", args->udp6);
}

void probe_abstract(const struct probe_args *args, const char *name)
{
    union address a;
    int pair[2];
    memset(&a, 0, sizeof a);
    a.un.sun_family = AF_UNIX;
    size_t n = args->abstract ? strlen(args->abstract) : 0;
    if (n == 0 || n >= sizeof a.un.sun_path)
        return;
    memcpy(a.un.sun_path + 1, args->abstract, n);
    inside_positive(name, socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "a socket pair");
    inside_attempt(name, try_connect(&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)));
}

static void every_host(const char *name, int family, const char *hosts, uint16_t port)
{
    char list[1024], *save = NULL;
    snprintf(list, sizeof list, "%s", hosts ? hosts : "");
    inside_positive(name, own_listener(family, SOCK_STREAM, family == AF_INET ? "127.0.0.1" : "::1"),
                    "a listener on the sandbox's own loopback");
    bool open = false;
    const char *which = "no address of the host answers";
    for (char *h = strtok_r(list, ",", &save); h && !open; h = strtok_r(NULL, ",", &save)) {
        union address a;
        socklen_t len = make_address(&a, family, h, port);
        open = try_connect(&a, len) == 0;
        if (open)
            which = h;
    }
    inside_negative(name, open, which);
}

void probe_hosts(const struct probe_args *args, const char *name)
{
    every_host(name, AF_INET, args->hosts, args->tcp4);
}

void probe_hosts6(const struct probe_args *args, const char *name)
{
    every_host(name, AF_INET6, args->hosts6, args->tcp6);
}

void probe_public(const struct probe_args *args, const char *name)
{
    union address a;
    socklen_t len = make_address(&a, AF_INET, args->public_host ? args->public_host : "192.0.2.1", 53);
    inside_positive(name, own_listener(AF_INET, SOCK_STREAM, "127.0.0.1"), "a listener on the sandbox's own loopback");
    inside_attempt(name, try_connect(&a, len));
}

/* With the capability, and only then, we can become the metadata service on our own loopback: the mutant does. */
static void imitate(int family)
{
    struct ifreq request = {.ifr_name = "lo:1"};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    union address a;
    make_address(&a, AF_INET, "169.254.169.254", 0);
    memcpy(&request.ifr_addr, &a.in, sizeof a.in);
    if (fd >= 0 && family == AF_INET)
        ioctl(fd, SIOCSIFADDR, &request);
    struct {
        struct in6_addr addr;
        uint32_t prefix;
        int index;
    } six = {.prefix = 128, .index = (int)if_nametoindex("lo")};
    inet_pton(AF_INET6, "fd00:ec2::254", &six.addr);
    int fd6 = socket(AF_INET6, SOCK_DGRAM, 0);
    if (fd6 >= 0 && family == AF_INET6)
        ioctl(fd6, SIOCSIFADDR, &six);
    socklen_t len = family == AF_INET ? make_address(&a, AF_INET, "169.254.169.254", 80)
                                      : make_address(&a, AF_INET6, "fd00:ec2::254", 80);
    int listener = socket(family, SOCK_STREAM, 0);
    usleep(50000);
    if (listener >= 0 && bind(listener, &a.any, len) == 0)
        listen(listener, 1);
}

static void metadata(const char *name, int family, const char *text)
{
    union address a;
    socklen_t len = make_address(&a, family, text, 80);
    imitate(family);
    inside_positive(name, own_listener(AF_INET, SOCK_STREAM, "127.0.0.1"), "a listener on the sandbox's own loopback");
    inside_attempt(name, try_connect(&a, len));
}

void probe_metadata(const struct probe_args *args, const char *name)
{
    (void)args;
    metadata(name, AF_INET, "169.254.169.254");
}

void probe_metadata6(const struct probe_args *args, const char *name)
{
    (void)args;
    metadata(name, AF_INET6, "fd00:ec2::254");
}

static void create(const char *name, int family, int type, int protocol)
{
    int ordinary = socket(AF_INET, SOCK_STREAM, 0);
    inside_positive(name, ordinary >= 0, "an ordinary socket");
    int fd = socket(family, type, protocol);
    inside_attempt(name, fd);
}

void probe_raw(const struct probe_args *args, const char *name)
{
    (void)args;
    create(name, AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

/* An echo request to the host, where the kernel lets ordinary users send them; answered only by a network. */
void probe_icmp(const struct probe_args *args, const char *name)
{
    char packet[16] = {8}, answer[64], host[64];
    union address a;
    snprintf(host, sizeof host, "%.*s", args->hosts ? (int)strcspn(args->hosts, ",") : 0, args->hosts ? args->hosts : "");
    socklen_t len = make_address(&a, AF_INET, host[0] ? host : "192.0.2.1", 0);
    inside_positive(name, own_listener(AF_INET, SOCK_DGRAM, "127.0.0.1"), "a datagram on the sandbox's own loopback");
    int fd = socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
    if (fd < 0)
        fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    long rc = fd < 0 || sendto(fd, packet, sizeof packet, 0, &a.any, len) < 0 ? -1 : 0;
    if (rc == 0 && (poll(&p, 1, WAIT_MS) != 1 || recv(fd, answer, sizeof answer, 0) <= 0)) {
        errno = ETIMEDOUT;
        rc = -1;
    }
    inside_attempt(name, rc);
}

void probe_packet(const struct probe_args *args, const char *name)
{
    (void)args;
    create(name, AF_PACKET_, SOCK_RAW, htons(3));
}

/* Creating is the probe: connecting would reach the hypervisor. */
void probe_vsock(const struct probe_args *args, const char *name)
{
    (void)args;
    create(name, AF_VSOCK_, SOCK_STREAM, 0);
}
