/* SPDX-License-Identifier: ISC
 * Systems without Linux namespaces: everything asked for is missing, and the caller is told so. */
#include <errno.h>
#include <stdio.h>

#include "base/fd.h"
#include "box/box.h"
#include "box/box_gate.h"
#include "box/box_tree.h"

const char *control_name(enum control control)
{
    return control == CONTROL_NAMESPACES ? "namespaces" : "unknown";
}

int box_check(const struct box_options *options, struct box_result *result)
{
    (void)options;
    *result = (struct box_result){.scratch_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .watch_fd = -1};
    result->controls[CONTROL_NAMESPACES].state = CONTROL_MISSING;
    snprintf(result->fault, sizeof result->fault, "namespaces: the built-in runner needs Linux; use an engine");
    return 1;
}

int box_run(const struct box_options *options, struct box_result *result)
{
    return box_check(options, result);
}

int box_end(struct box_result *result)
{
    (void)result;
    errno = ENOTSUP;
    return -1;
}

void box_result_free(struct box_result *result)
{
    fd_close(&result->scratch_fd);
    fd_close(&result->stdout_fd);
    fd_close(&result->stderr_fd);
    fd_close(&result->watch_fd);
}

int gate_open(struct box_gate *gate)
{
    *gate = (struct box_gate){.relay = 0};
    errno = ENOTSUP;
    return -1;
}

void gate_stop(struct box_gate *gate)
{
    (void)gate;
}

size_t gate_count(const struct box_gate *gate)
{
    (void)gate;
    return 0;
}

void gate_close(struct box_gate *gate)
{
    (void)gate;
}

int tree_digest(int fd, uint8_t out[32])
{
    (void)fd;
    (void)out;
    errno = ENOTSUP;
    return -1;
}
