/* SPDX-License-Identifier: ISC
 * sallyport-probe oracle: the listeners, resolver and process of the probes, outside of any sandbox on the host of a daemon
 * elsewhere. One line says where they are; then each byte of standard input is a question, and a line its answer. */
#include <stdio.h>
#include <unistd.h>

#include "probe/probe_canary.h"
#include "probe/probe_inside.h"

static void answer(struct probe_canary *c, char question)
{
    if (question == 'r')
        printf("reached %u\n", canary_net_reached(c));
    else if (question == 'w')
        printf("reach %u\n", canary_net_reach(c));
    fflush(stdout);
}

int probe_oracle(void)
{
    static struct probe_canary c;
    char question;
    if (canary_net_open(&c, geteuid()) < 0) {
        perror("sallyport-probe: oracle");
        return 1;
    }
    (void)canary_net_reached(&c);
    printf("oracle %u %u %u %u %u %d %d %s %s %s\n", c.ports[0], c.listeners[1] < 0 ? 0 : c.ports[1], c.ports[2],
           c.listeners[3] < 0 ? 0 : c.ports[3], c.dns.port, c.process, canary_public(&c), c.abstract, c.hosts, c.hosts6);
    fflush(stdout);
    while (read(0, &question, 1) == 1)
        answer(&c, question);
    canary_net_close(&c);
    return 0;
}
