/* SPDX-License-Identifier: ISC
 * Asking the oracle on a daemon's host. Its lines come from another machine: exact words, bounded, nothing else. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "probe/probe_canary.h"

/* One line, without its end; false: it did not come in time, or is longer than any. */
static bool read_line(int fd, char *out, size_t size, int wait_ms)
{
    size_t n = 0;
    while (n + 1 < size) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, wait_ms) != 1 || read(fd, out + n, 1) != 1)
            return false;
        if (out[n] == '\n') {
            out[n] = 0;
            return true;
        }
        n++;
    }
    return false;
}

/* Addresses and commas: they become words of the probes' command line. */
static bool is_list(const char *text)
{
    return text[strspn(text, "0123456789abcdef:.,")] == 0;
}

int canary_far_attach(struct probe_canary *c, int in, int out)
{
    unsigned t4, t6, u4, u6, dns;
    int process, public_host;
    char line[1400], abstract[32], hosts[512], hosts6[512];
    if (!read_line(out, line, sizeof line, (int)ENGINE_HELD_MS) ||
        sscanf(line, "oracle %5u %5u %5u %5u %5u %9d %1d %31s %511s %511s", &t4, &t6, &u4, &u6, &dns, &process, &public_host,
               abstract, hosts, hosts6) != 10 ||
        t4 > UINT16_MAX || t6 > UINT16_MAX || u4 > UINT16_MAX || u6 > UINT16_MAX || dns > UINT16_MAX || process <= 1 ||
        strncmp(abstract, "sallyport-canary-", 17) != 0 || !is_list(hosts) || !is_list(hosts6)) {
        errno = EPROTO;
        return -1;
    }
    const unsigned ports[] = {t4, t6, u4, u6};
    for (size_t i = 0; i < ARRAY_LEN(ports); i++)
        c->ports[i] = (uint16_t)ports[i];
    memcpy(c->abstract, abstract, sizeof abstract);
    memcpy(c->hosts, hosts, sizeof hosts);
    memcpy(c->hosts6, hosts6, sizeof hosts6);
    c->far_process = process;
    c->far_dns = (uint16_t)dns;
    c->far_public = public_host == 1;
    c->far_in = in;
    c->far_out = out;
    return 0;
}

/* An oracle that does not answer has seen everything: then nothing is held. */
static unsigned ask(const struct probe_canary *c, char question, const char *word, unsigned silent)
{
    char line[64], first[16];
    unsigned got;
    if (write(c->far_in, &question, 1) != 1 || !read_line(c->far_out, line, sizeof line, (int)ENGINE_HELD_MS) ||
        sscanf(line, "%15[a-z] %9u", first, &got) != 2 || strcmp(first, word) != 0)
        return silent;
    return got & REACHED_NET;
}

unsigned canary_far_reached(struct probe_canary *c)
{
    return ask(c, 'r', "reached", REACHED_NET);
}

unsigned canary_far_reach(struct probe_canary *c)
{
    return ask(c, 'w', "reach", 0);
}
