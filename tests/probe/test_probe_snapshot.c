/* SPDX-License-Identifier: ISC
 * What a box could leave is noticed: a process, shared memory, a control group's name are each left once on purpose. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "probe/probe_snapshot.h"

enum { OURS = BOX_UID_FIRST + 77 };

/* The tests of a program run side by side, and each would see what another leaves on purpose: one at a time, to the end
 * of its process. */
static void alone(void)
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
}

/* A process that a probe could be: it has the mark of this test's own id in its command line. */
static pid_t survivor(void)
{
    int ready[2];
    char byte, mark[64];
    pid_t parent = getpid();
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        snprintf(mark, sizeof mark, "echo; sleep 30; : SALLYPORT_CANARY_%d", parent);
        if (geteuid() == 0 && setresuid(OURS, OURS, OURS) < 0)
            _exit(1);
        dup2(ready[1], 1);
        execl("/bin/sh", "sh", "-c", mark, (char *)NULL);
        _exit(1);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    return pid;
}

static uint32_t whose(void)
{
    return geteuid() == 0 ? (uint32_t)OURS : geteuid();
}

Test(probe_snapshot, nothing_left_is_the_same)
{
    alone();
    struct probe_snapshot a, b;
    char what[128] = "";
    cr_assert_eq(snapshot_take(&a, whose()), 0);
    cr_assert_eq(snapshot_take(&b, whose()), 0);
    cr_assert(snapshot_same(&a, &b, what, sizeof what), "%s", what);
}

Test(probe_snapshot, a_process_that_survives_is_named)
{
    alone();
    struct probe_snapshot a, b;
    char what[128] = "";
    cr_assert_eq(snapshot_take(&a, whose()), 0);
    pid_t pid = survivor();
    cr_assert_eq(snapshot_take(&b, whose()), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    cr_assert(!snapshot_same(&a, &b, what, sizeof what));
    cr_assert(strstr(what, "processes"), "%s", what);
}

Test(probe_snapshot, a_link_that_stays_is_named)
{
    alone();
    struct probe_snapshot a, b;
    char what[128] = "";
    struct ifreq request = {.ifr_name = "spcanary%d", .ifr_flags = IFF_TUN};
    int tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    cr_assert_eq(snapshot_take(&a, whose()), 0);
    if (tun < 0 || ioctl(tun, TUNSETIFF, &request) < 0)
        cr_skip("no link can be made here");
    cr_assert_eq(snapshot_take(&b, whose()), 0);
    close(tun);
    cr_assert(!snapshot_same(&a, &b, what, sizeof what));
    cr_assert(strstr(what, "links"), "%s", what);
}

Test(probe_snapshot, shared_memory_that_survives_is_named)
{
    alone();
    struct probe_snapshot a, b;
    char what[128] = "";
    int id = -1, out[2];
    if (geteuid() != 0)
        cr_skip("an ordinary user's shared memory is not counted");
    cr_assert_eq(snapshot_take(&a, OURS), 0);
    cr_assert_eq(pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setresuid(OURS, OURS, OURS) < 0 || (id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)) < 0 ||
            write(out[1], &id, sizeof id) != sizeof id)
            _exit(1);
        _exit(0);
    }
    cr_assert_eq(read(out[0], &id, sizeof id), (ssize_t)sizeof id);
    waitpid(pid, NULL, 0);
    cr_assert_eq(snapshot_take(&b, OURS), 0);
    shmctl(id, IPC_RMID, NULL);
    cr_assert(!snapshot_same(&a, &b, what, sizeof what));
    cr_assert(strstr(what, "shared memory"), "%s", what);
}
