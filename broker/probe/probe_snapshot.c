/* SPDX-License-Identifier: ISC
 * Counts what is there, by what only a box of ours makes: our groups' names, the job's user id, overlays over descriptors.
 * Other work on the host may come and go beside it, and is not taken for a leak. */
#include "probe/probe_snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"

enum { PART_MOUNTS, PART_GROUPS, PART_PROCESSES, PART_LINKS, PART_SHM, PART_QUEUES, PART_SETS, PART_KEYS };

static const char *const titles[SNAPSHOT_PARTS] = {"mounts",        "control groups", "processes of the job's user",
                                                   "network links", "shared memory",  "message queues",
                                                   "semaphores",    "keys of the job's user"};

/* Lines of a file of /proc in which `number` stands at field `column` (0-based); column < 0: all lines. */
static uint64_t count_lines(const char *path, int column, uint64_t number)
{
    AUTO_FREE uint8_t *text = NULL;
    size_t len = 0;
    uint64_t n = 0;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fd_read_all(fd, 4 * BOX_PROC_BYTES, &text, &len) < 0)
        return 0;
    char *save = NULL;
    for (char *line = strtok_r((char *)text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *p = line;
        for (int i = 0; i <= column; i++) {
            p += strspn(p, " \t");
            if (i < column)
                p += strcspn(p, " \t");
        }
        n += column < 0 || strtoull(p, NULL, 10) == number;
    }
    return n;
}

/* Was it started by this very process's probes? Their canary variable is named after it. */
static bool is_probe(int proc, const char *pid)
{
    char path[300], text[2048], mark[48];
    snprintf(path, sizeof path, "%s/cmdline", pid);
    snprintf(mark, sizeof mark, "SALLYPORT_CANARY_%d", getpid());
    AUTO_FD fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    return n > 0 && memmem(text, (size_t)n, mark, strlen(mark)) != NULL;
}

/* Processes of a reserved user id, which no others have; of an ordinary user, whose own processes come and go, the probes. */
static uint64_t count_processes(uint32_t uid)
{
    uint64_t n = 0;
    DIR *proc = opendir("/proc");
    if (!proc)
        return 0;
    for (struct dirent *e; (e = readdir(proc)) != NULL;) {
        struct stat st;
        if (e->d_name[0] < '1' || e->d_name[0] > '9' || fstatat(dirfd(proc), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        n += st.st_uid == uid && (uid >= BOX_UID_FIRST || is_probe(dirfd(proc), e->d_name));
    }
    closedir(proc);
    return n;
}

/* Mounts as only a box makes them: the rest of the host may mount what it likes meanwhile. */
static uint64_t count_mounts(bool *readable)
{
    AUTO_FREE uint8_t *text = NULL;
    size_t len = 0;
    uint64_t n = 0;
    AUTO_FD fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    *readable = fd >= 0 && fd_read_all(fd, 4 * BOX_PROC_BYTES, &text, &len) == 0 && len > 0;
    for (const char *p = (const char *)text; p && (p = strstr(p, "lowerdir=/proc/self/fd/")) != NULL; p++)
        n++;
    return n;
}

/* Links of the host's network. Those that container engines make and drop all the time, in pairs and with a bridge, are not
 * counted: nothing of ours is of that kind. */
static uint64_t count_links(void)
{
    uint64_t n = 0;
    struct if_nameindex *all = if_nameindex();
    AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (const struct if_nameindex *i = all; i && i->if_index != 0; i++) {
        struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
        struct ifreq request = {.ifr_data = (void *)&info};
        snprintf(request.ifr_name, sizeof request.ifr_name, "%s", i->if_name);
        bool known = fd >= 0 && ioctl(fd, SIOCETHTOOL, &request) == 0;
        n += !known || (strcmp(info.driver, "veth") != 0 && strcmp(info.driver, "bridge") != 0);
    }
    if (all)
        if_freenameindex(all);
    return n;
}

/* Our groups, named after this process, at most a few levels down. */
static uint64_t count_groups(int dir, const char *prefix, unsigned depth)
{
    uint64_t n = 0;
    DIR *d = fdopendir(dir);
    if (!d) {
        close(dir);
        return 0;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || e->d_type != DT_DIR)
            continue;
        n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
        int sub = depth == 0 ? -1 : openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (sub >= 0)
            n += count_groups(sub, prefix, depth - 1);
    }
    closedir(d);
    return n;
}

int snapshot_take(struct probe_snapshot *s, uint32_t uid)
{
    char prefix[48];
    snprintf(prefix, sizeof prefix, "sallyport-%d-", getpid());
    memset(s, 0, sizeof *s);
    int groups = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->count[PART_GROUPS] = groups < 0 ? 0 : count_groups(groups, prefix, 7);
    bool readable;
    s->count[PART_MOUNTS] = count_mounts(&readable);
    s->count[PART_LINKS] = count_links();
    s->count[PART_PROCESSES] = count_processes(uid);
    if (uid >= BOX_UID_FIRST) { /* an ordinary user's own programs make and drop these all the time */
        s->count[PART_SHM] = count_lines("/proc/sysvipc/shm", 7, uid);
        s->count[PART_QUEUES] = count_lines("/proc/sysvipc/msg", 7, uid);
        s->count[PART_SETS] = count_lines("/proc/sysvipc/sem", 4, uid);
        s->count[PART_KEYS] = count_lines("/proc/keys", 5, uid);
    }
    if (!readable) {
        errno = ENOENT; /* no /proc: nothing could be compared */
        return -1;
    }
    return 0;
}

bool snapshot_same(const struct probe_snapshot *before, const struct probe_snapshot *after, char *what, size_t size)
{
    for (size_t i = 0; i < SNAPSHOT_PARTS; i++)
        if (after->count[i] > before->count[i]) {
            snprintf(what, size, "%s: %llu before, %llu after", titles[i], (unsigned long long)before->count[i],
                     (unsigned long long)after->count[i]);
            return false;
        }
    return true;
}
