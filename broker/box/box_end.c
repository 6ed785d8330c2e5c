/* SPDX-License-Identifier: ISC
 * Proof that the scratch is gone: the kernel's own unmount event, which comes only when the last descriptor, mapping
 * and mount of it has been closed. A survivor anywhere makes the proof fail. */
#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_watch.h"

/* 1 the event was among those waiting, 0 not, -1 with errno. */
static int saw_unmount(int watch)
{
    union {
        struct inotify_event event;
        char space[4096];
    } u;
    ssize_t n = read(watch, &u, sizeof u);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    for (ssize_t at = 0; at + (ssize_t)sizeof u.event <= n;) {
        const struct inotify_event *e = (const void *)(u.space + at);
        if (e->mask & IN_UNMOUNT)
            return 1;
        at += (ssize_t)(sizeof *e + e->len);
    }
    return 0;
}

int box_end(struct box_result *result)
{
    uint64_t deadline = box_clock_ms() + BOX_UNMOUNT_MS;
    fd_close(&result->scratch_fd);
    if (result->elsewhere)
        return result->residue ? 1 : 0;
    if (result->watch_fd < 0)
        return 1;
    for (;;) {
        uint64_t now = box_clock_ms();
        struct pollfd p = {.fd = result->watch_fd, .events = POLLIN};
        int saw = now >= deadline || poll(&p, 1, (int)(deadline - now)) <= 0 ? 0 : saw_unmount(result->watch_fd);
        if (saw != 0 || now >= deadline) /* closing the watch now would wait for the kernel's own tidying, 10 ms */
            return saw < 0 ? -1 : saw == 1 && !result->residue ? 0 : 1;
    }
}
