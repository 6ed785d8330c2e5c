/* SPDX-License-Identifier: ISC
 * The relay's processes: one that accepts, one for each connection. They hold the listening socket and the table, nothing
 * else of the broker's, and where the broker is root they run as the job's user. Both are confined, a connection that stands
 * once more. What they read is hostile: one bounded request head, then bytes that are only passed on. */
#include "box/box_gate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "box/box_sys.h"
#include "confine/confine_landlock.h"
#include "confine/confine_seccomp.h"

struct relay {
    struct gate_table *table;
    struct gate_own own;
    int listener;
};

static void map_v4(uint8_t out[16], const void *v4)
{
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    memcpy(out, prefix, sizeof prefix);
    memcpy(out + 12, v4, 4);
}

static bool address_of(const struct sockaddr *a, uint8_t out[16])
{
    if (a && a->sa_family == AF_INET)
        map_v4(out, &((const struct sockaddr_in *)(const void *)a)->sin_addr);
    else if (a && a->sa_family == AF_INET6)
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 16);
    else
        return false;
    return true;
}

static int own_addresses(struct gate_own *own)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) < 0)
        return -1;
    bool room = true;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next)
        if (i->ifa_addr && (i->ifa_addr->sa_family == AF_INET || i->ifa_addr->sa_family == AF_INET6)) {
            room = room && own->n < ARRAY_LEN(own->v);
            if (room && address_of(i->ifa_addr, own->v[own->n]))
                own->n++;
        }
    freeifaddrs(all);
    errno = E2BIG;
    return room ? 0 : -1;
}

static uint32_t claim(struct gate_table *table)
{
    return __atomic_fetch_add(&table->claimed, 1, __ATOMIC_SEQ_CST);
}

/* A connection that has come up within the patience; -1. */
static int connect_to(const struct addrinfo *to)
{
    int error = 0, fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof error;
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    if (fd < 0)
        return -1;
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0 ||
        (errno == EINPROGRESS && poll(&p, 1, GATE_CONNECT_MS) == 1 &&
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0))
        return fd;
    fd_close(&fd);
    return -1;
}

/* Every address is written down before it is tried, one entry each. */
static int reach(const struct relay *r, const char *host, uint16_t port, struct gate_destination **entry)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *list = NULL;
    char service[8];
    int fd = -1;
    snprintf(service, sizeof service, "%u", port);
    bool known = getaddrinfo(host, service, &hints, &list) == 0;
    const struct addrinfo *to = known ? list : NULL;
    do {
        uint32_t at = claim(r->table);
        uint8_t address[16];
        if (at >= GATE_DESTINATIONS)
            break;
        *entry = &r->table->entries[at];
        (*entry)->port = port;
        snprintf((*entry)->host, sizeof (*entry)->host, "%s", host);
        if (to && getnameinfo(to->ai_addr, to->ai_addrlen, (*entry)->address, sizeof (*entry)->address, NULL, 0, NI_NUMERICHOST) != 0)
            break;
        bool allowed = to && address_of(to->ai_addr, address) && gate_allows(&r->own, address);
        __atomic_store_n(&(*entry)->state, allowed ? GATE_TRIED : GATE_REFUSED, __ATOMIC_SEQ_CST);
        if (allowed)
            fd = connect_to(to);
        if (fd >= 0)
            __atomic_store_n(&(*entry)->state, GATE_REACHED, __ATOMIC_SEQ_CST);
    } while (fd < 0 && to && (to = to->ai_next) != NULL);
    if (list)
        freeaddrinfo(list);
    return fd;
}

static bool send_all(int fd, const void *data, size_t len)
{
    const char *p = data;
    while (len > 0) {
        struct pollfd w = {.fd = fd, .events = POLLOUT};
        ssize_t n = send(fd, p, len, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (n < 0 && poll(&w, 1, GATE_IDLE_MS) != 1)
            return false;
        p += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* One direction's next bytes. False: this side has ended, and the other side was told. */
static bool pass_on(int from, int to, uint64_t *count)
{
    char block[16384 - 512];
    ssize_t n = recv(from, block, sizeof block, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (n <= 0 || !send_all(to, block, (size_t)n)) {
        shutdown(to, SHUT_WR);
        return false;
    }
    *count += (uint64_t)n;
    return true;
}

static void relay_bytes(int job, int host, struct gate_destination *entry)
{
    if (seccomp_relay_pump() < 0)
        return;
    struct pollfd p[] = {{.fd = job, .events = POLLIN}, {.fd = host, .events = POLLIN}};
    while ((p[0].fd >= 0 || p[1].fd >= 0) && poll(p, 2, GATE_IDLE_MS) > 0) {
        if (p[0].fd >= 0 && p[0].revents && !pass_on(job, host, &entry->sent))
            p[0].fd = -1;
        if (p[1].fd >= 0 && p[1].revents && !pass_on(host, job, &entry->received))
            p[1].fd = -1;
    }
}

/* The request's head, to its empty line and not a byte further; its length, 0: none in time or too long. */
static size_t read_head(int fd, char out[GATE_HEAD_BYTES])
{
    size_t n = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (n + 1 >= GATE_HEAD_BYTES || poll(&p, 1, GATE_CONNECT_MS) != 1 || recv(fd, out + n, 1, 0) != 1 || out[n] == 0)
            return 0;
        out[++n] = 0;
        if (n >= 4 && memcmp(out + n - 4, "\r\n\r\n", 4) == 0)
            return n;
    }
}

/* The head as a server wants it: the path alone, and one request a connection, or the next could be for another host. */
static bool send_head(int to, const char *head, const char *line_end, const char *path)
{
    size_t method = strcspn(head, " ");
    if (!send_all(to, head, method + 1) || !send_all(to, path, (size_t)(line_end - path)) ||
        !send_all(to, "\r\nConnection: close\r\n", 21))
        return false;
    for (const char *p = line_end + 2; *p && *p != '\r';) {
        const char *end = strstr(p, "\r\n");
        size_t len = end ? (size_t)(end + 2 - p) : strlen(p);
        bool ours = strncasecmp(p, "Connection:", 11) == 0 || strncasecmp(p, "Proxy-", 6) == 0 ||
                    strncasecmp(p, "Keep-Alive:", 11) == 0;
        if (!ours && !send_all(to, p, len))
            return false;
        p += len;
    }
    return send_all(to, "\r\n", 2);
}

static void answer(int fd, const char *status)
{
    char text[128];
    int n = snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    if (n > 0 && !send_all(fd, text, (size_t)n))
        _exit(1);
}

static NORETURN void serve(const struct relay *r, int job)
{
    char head[GATE_HEAD_BYTES], host[256];
    uint16_t port;
    const char *path = NULL;
    struct gate_destination *entry = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    size_t len = read_head(job, head);
    char *end = len ? strstr(head, "\r\n") : NULL;
    if (!end)
        _exit(1);
    *end = 0;
    bool known = gate_request(head, host, &port, &path);
    *end = '\r';
    if (!known) {
        answer(job, "400 Bad Request");
        _exit(1);
    }
    int to = reach(r, host, port, &entry);
    if (to < 0) {
        answer(job, "403 Forbidden");
        _exit(1);
    }
    if (path) {
        entry->sent += len;
        if (!send_head(to, head, end, path))
            _exit(1);
    } else if (!send_all(job, "HTTP/1.1 200 OK\r\n\r\n", 19)) {
        _exit(1);
    }
    relay_bytes(job, to, entry);
    _exit(0);
}

static NORETURN void accept_all(const struct relay *r)
{
    unsigned running = 0;
    for (;;) {
        int job = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
        while (running > 0 && waitpid(-1, NULL, running >= GATE_CONNECTIONS ? 0 : WNOHANG) > 0)
            running--;
        if (job < 0 && errno != EINTR && errno != ECONNABORTED)
            _exit(1);
        pid_t pid = job < 0 ? -1 : fork();
        if (pid == 0)
            serve(r, job);
        running += pid > 0;
        if (job >= 0)
            close(job);
    }
}

int gate_open(struct box_gate *gate)
{
    *gate = (struct box_gate){0};
    void *p = mmap(NULL, sizeof *gate->table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return -1;
    gate->table = p;
    return 0;
}

/* Only the listening socket stays open, and what says that all is done; the resolver opens what it needs. */
static bool leave_broker(int listener, int said, uint32_t uid)
{
    int high = fcntl(said, F_DUPFD_CLOEXEC, 5);
    if (high < 0 || dup2(listener, 3) < 0 || dup2(high, 4) < 0 || sys_close_range(5, ~0u, 0) < 0)
        return false;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; null >= 0 && i < 3; i++)
        if (dup2(null, i) < 0)
            return false;
    if (geteuid() == 0 && uid != 0 && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0))
        return false;
    return null >= 0 && setsid() >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

/* Confined, or it says what is missing; then this end closes. Names of modules are loaded before the filter. */
static NORETURN void run_relay(const struct relay *r, int listener, int said, uint32_t uid)
{
    int missing = 0;
    struct addrinfo *list = NULL;
    if (!leave_broker(listener, said, uid))
        _exit(1);
    if (getaddrinfo("localhost", "http", NULL, &list) == 0)
        freeaddrinfo(list);
    if (landlock_resolver() < 0 || seccomp_relay() < 0)
        missing = errno;
    if (send(4, &missing, sizeof missing, MSG_NOSIGNAL) != (ssize_t)sizeof missing || missing != 0)
        _exit(1);
    close(4);
    accept_all(r);
}

int gate_start(struct box_gate *gate, int *listener, uint32_t uid)
{
    struct relay r = {.table = gate->table, .listener = 3};
    AUTO_FD fd = *listener;
    int said[2], missing = EPIPE;
    *listener = -1;
    if (gate->relay != 0 || fd < 0 || own_addresses(&r.own) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, said) < 0)
        return -1;
    AUTO_FD from = said[0], to = said[1];
    gate->relay = fork();
    if (gate->relay == 0)
        run_relay(&r, fd, to, uid);
    fd_close(&to);
    if (gate->relay < 0) {
        gate->relay = 0;
        return -1;
    }
    if (fd_read_full(from, &missing, sizeof missing) < 0)
        missing = EPIPE;
    if (missing != 0)
        gate_stop(gate);
    errno = missing;
    return missing == 0 ? 0 : -1;
}

void gate_stop(struct box_gate *gate)
{
    if (gate->relay <= 0)
        return;
    kill(-gate->relay, SIGKILL); /* the connections are of its session */
    kill(gate->relay, SIGKILL);
    while (waitpid(gate->relay, NULL, 0) < 0 && errno == EINTR)
        ;
    gate->relay = 0;
}

size_t gate_count(const struct box_gate *gate)
{
    uint32_t n = gate->table ? gate->table->claimed : 0;
    return n < GATE_DESTINATIONS ? n : GATE_DESTINATIONS;
}

void gate_close(struct box_gate *gate)
{
    gate_stop(gate);
    if (gate->table)
        munmap(gate->table, sizeof *gate->table);
    gate->table = NULL;
}
