/* SPDX-License-Identifier: ISC
 * The end of a box's control groups: what was used, killing what is left, removing the groups, and the janitor that does
 * the same where the broker was killed. Runs in the broker and in the janitor, which holds nothing but the groups. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_cgroup.h"
#include "box/box_sys.h"
#include "box/box_watch.h"

/* The number after a word in a file of "word number" lines; 0 where there is none. */
static uint64_t counter(int dir, const char *file, const char *word)
{
    char text[1024];
    size_t n = strlen(word);
    if (!cgroup_read(dir, file, text, sizeof text))
        return 0;
    for (const char *p = text; *p;) {
        if (strncmp(p, word, n) == 0 && p[n] == ' ')
            return strtoull(p + n + 1, NULL, 10);
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return 0;
}

void box_cgroup_read(const struct box_cgroup *cg, struct box_result *result)
{
    for (size_t i = 0; i < cg->n; i++) {
        const struct cgroup_home *h = &cg->homes[i];
        char text[64];
        if (h->dir < 0)
            continue;
        if (h->has & CG_MEMORY) {
            if (cgroup_read(h->dir, h->v2 ? "memory.peak" : "memory.max_usage_in_bytes", text, sizeof text))
                result->memory_peak = strtoull(text, NULL, 10);
            if (counter(h->dir, h->v2 ? "memory.events" : "memory.oom_control", "oom_kill") > 0)
                result->limits_hit |= 1u << CONTROL_MEMORY;
        }
        if ((h->has & CG_CPU) && counter(h->dir, "cpu.stat", "nr_throttled") > 0)
            result->limits_hit |= 1u << CONTROL_CPUS;
        if ((h->has & CG_PIDS) && counter(h->dir, "pids.events", "max") > 0)
            result->limits_hit |= 1u << CONTROL_PROCESSES;
    }
}

static void pause_ms(long ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000};
    nanosleep(&t, NULL);
}

/* Every process the group still names; v1 has no kill of its own. */
static void kill_members(int dir)
{
    char text[4096], *save = NULL;
    if (!cgroup_read(dir, "cgroup.procs", text, sizeof text))
        return;
    for (char *p = strtok_r(text, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
        pid_t pid = (pid_t)strtol(p, NULL, 10);
        if (pid > 1)
            kill(pid, SIGKILL);
    }
}

/* True: the group is gone. rmdir is the proof of emptiness: the kernel refuses while a member lives. */
static bool remove_home(const struct cgroup_home *h, const char *name)
{
    uint64_t deadline = box_clock_ms() + BOX_KILL_MS;
    for (;;) {
        if (unlinkat(h->parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return true;
        if (errno != EBUSY || box_clock_ms() >= deadline)
            return false;
        if (h->dir >= 0 && (!h->v2 || cgroup_write(h->dir, "cgroup.kill", "1") < 0))
            kill_members(h->dir);
        pause_ms(1);
    }
}

static bool remove_homes(struct box_cgroup *cg)
{
    bool gone = true;
    for (size_t i = 0; i < cg->n; i++)
        gone = remove_home(&cg->homes[i], cg->name) && gone;
    cgroup_restore(cg);
    return gone;
}

/* Waits for the broker's death (end of file) or its word that all is done. */
static NORETURN void run_janitor(struct box_cgroup *cg, int pipe_fd)
{
    char byte;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    if (setsid() < 0 || chdir("/") < 0 || fd_read_full(pipe_fd, &byte, 1) == 0)
        _exit(0);
    for (size_t i = 0; i < cg->n; i++) /* made after the fork, by name */
        if (cg->homes[i].dir < 0)
            cg->homes[i].dir = openat(cg->homes[i].parent, cg->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _exit(remove_homes(cg) ? 0 : 1);
}

static int compare_fd(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Everything but what the janitor needs goes: locks and pipes of the broker must not live on in it. */
static bool close_but(const struct box_cgroup *cg, int keep_pipe)
{
    int keep[CG_HOMES + 2] = {keep_pipe, cg->leaf};
    size_t n = 2;
    unsigned from = 0;
    for (size_t i = 0; i < cg->n; i++)
        keep[n++] = cg->homes[i].parent;
    qsort(keep, n, sizeof keep[0], compare_fd);
    for (size_t i = 0; i < n; i++) {
        unsigned fd = (unsigned)keep[i];
        if (keep[i] < 0)
            continue;
        if (fd > from && sys_close_range(from, fd - 1, 0) < 0)
            return false;
        from = fd + 1;
    }
    return sys_close_range(from, ~0u, 0) == 0;
}

int cgroup_janitor(struct box_cgroup *cg)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    cg->janitor = fork();
    if (cg->janitor < 0) {
        cg->janitor = 0;
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (cg->janitor == 0) {
        if (!close_but(cg, ends[0]))
            _exit(1);
        run_janitor(cg, ends[0]);
    }
    close(ends[0]);
    cg->janitor_pipe = ends[1];
    return 0;
}

bool box_cgroup_close(struct box_cgroup *cg)
{
    bool gone = remove_homes(cg);
    if (cg->janitor > 0) {
        if (gone && write(cg->janitor_pipe, "q", 1) != 1)
            gone = false;
        fd_close(&cg->janitor_pipe); /* where something is left it has a second try */
        int status = 0;
        while (waitpid(cg->janitor, &status, 0) < 0 && errno == EINTR)
            ;
        gone = gone || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
        cg->janitor = 0;
    }
    for (size_t i = 0; i < cg->n; i++) {
        fd_close(&cg->homes[i].parent);
        fd_close(&cg->homes[i].dir);
    }
    cg->n = 0;
    return gone;
}
