/* SPDX-License-Identifier: ISC */
#include "probe/probe_listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

static void list_hosts(char *out, size_t size)
{
    struct ifaddrs *all = NULL;
    size_t used = 0;
    out[0] = 0;
    if (getifaddrs(&all) < 0)
        return;
    for (struct ifaddrs *i = all; i; i = i->ifa_next) {
        char text[INET_ADDRSTRLEN];
        struct sockaddr_in in;
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
            continue;
        memcpy(&in, i->ifa_addr, sizeof in);
        if ((ntohl(in.sin_addr.s_addr) >> 24) == 127 || !inet_ntop(AF_INET, &in.sin_addr, text, sizeof text) ||
            used + strlen(text) + 2 >= size)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", text);
    }
    freeifaddrs(all);
}

int listener_open(struct probe_listener *l)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof a;
    l->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (l->fd < 0 || fcntl(l->fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(l->fd, F_SETFL, O_NONBLOCK) < 0 ||
        bind(l->fd, (const struct sockaddr *)&a, sizeof a) < 0 || listen(l->fd, 16) < 0 ||
        getsockname(l->fd, (struct sockaddr *)&a, &len) < 0)
        return -1;
    l->port = ntohs(a.sin_port);
    list_hosts(l->hosts, sizeof l->hosts);
    return 0;
}

bool listener_reached(struct probe_listener *l)
{
    bool any = false;
    for (;;) {
        int peer = accept(l->fd, NULL, NULL);
        if (peer < 0)
            return any;
        close(peer);
        any = true;
    }
}

bool listener_works(struct probe_listener *l)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(l->port)};
    char first[INET_ADDRSTRLEN];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(l->hosts, ","), l->hosts);
    if (inet_pton(AF_INET, first[0] ? first : "127.0.0.1", &a.sin_addr) != 1)
        return false;
    AUTO_FD fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof a) < 0)
        return false;
    for (int tries = 0; tries < 200; tries++) {
        if (listener_reached(l))
            return true;
        usleep(5000);
    }
    return false;
}

void listener_close(struct probe_listener *l)
{
    fd_close(&l->fd);
}
