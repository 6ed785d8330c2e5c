/* SPDX-License-Identifier: ISC
 * Without /proc of Linux there is no way into a container but its engine's own commands. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>

#include "base/fd.h"

int engine_open(struct container_engine *e, const char *name, const char *image, int *agent)
{
    *e = (struct container_engine){.agent = -1};
    (void)name;
    (void)image;
    fd_close(agent);
    snprintf(e->fault, sizeof e->fault, "jobs in containers are run on the Linux host of their daemon only");
    errno = ENOTSUP;
    return -1;
}

void engine_close(struct container_engine *e)
{
    fd_close(&e->agent);
}

int engine_check(void *context, const struct box_options *options, struct box_result *result)
{
    (void)context;
    (void)options;
    (void)result;
    errno = ENOTSUP;
    return -1;
}

int engine_run(void *context, const struct box_options *options, struct box_result *result)
{
    return engine_check(context, options, result);
}

int engine_oracle(void *context, const char *program, int *in, int *out)
{
    (void)context;
    (void)program;
    (void)in;
    (void)out;
    errno = ENOTSUP;
    return -1;
}

bool engine_oracle_end(void *context)
{
    (void)context;
    return true;
}

/* Nothing was ever taken. */
void engine_take_free(struct engine_take *take)
{
    *take = (struct engine_take){.spool = -1};
}
