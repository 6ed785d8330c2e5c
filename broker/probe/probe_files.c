/* SPDX-License-Identifier: ISC
 * Probes of files: the canary input, every other place, and what the sandbox shows of its host. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe/probe_inside.h"

extern char **environ;

static bool can_write(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, "x", 1) == 1;
    if (fd >= 0)
        close(fd);
    if (ok)
        unlink(path);
    return ok;
}

static bool can_read(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read(fd, &byte, 1) == 1;
    if (fd >= 0)
        close(fd);
    return ok;
}

static void input_and_scratch_work(const char *name)
{
    inside_positive(name, can_read(PROBE_INPUT "/a") && can_write(PROBE_SCRATCH "/probe-positive"),
                    "reading the input and writing in the scratch");
}

void probe_input_write(const struct probe_args *args, const char *name)
{
    (void)args;
    input_and_scratch_work(name);
    int fd = open(PROBE_INPUT "/a", O_WRONLY | O_CLOEXEC);
    bool open_ = fd >= 0 && write(fd, "x", 1) == 1;
    open_ = can_write(PROBE_INPUT "/new") || open_;
    open_ = mkdir(PROBE_INPUT "/dir", 0700) == 0 || open_;
    open_ = rename(PROBE_INPUT "/b", PROBE_INPUT "/renamed") == 0 || open_;
    open_ = unlink(PROBE_INPUT "/c") == 0 || open_;
    inside_negative(name, open_, open_ ? "something was written" : strerror(errno));
}

void probe_input_meta(const struct probe_args *args, const char *name)
{
    (void)args;
    struct stat before, after;
    input_and_scratch_work(name);
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    bool ok = stat(PROBE_INPUT "/a", &before) == 0;
    bool open_ = chmod(PROBE_INPUT "/a", 0600) == 0;
    open_ = utimensat(AT_FDCWD, PROBE_INPUT "/a", times, 0) == 0 || open_;
    open_ = utimensat(AT_FDCWD, PROBE_INPUT "/a", NULL, 0) == 0 || open_; /* "now" is allowed to whoever may write */
    ok = ok && stat(PROBE_INPUT "/a", &after) == 0;
    open_ = open_ || (ok && (before.st_mode != after.st_mode || before.st_mtim.tv_sec != after.st_mtim.tv_sec));
    inside_negative(name, open_, open_ ? "mode or times changed" : strerror(errno));
}

void probe_input_remount(const struct probe_args *args, const char *name)
{
    (void)args;
    struct mount_attr attr = {.attr_clr = MOUNT_ATTR_RDONLY};
    input_and_scratch_work(name);
    inside_attempt(name, syscall(442 /* mount_setattr */, AT_FDCWD, PROBE_INPUT, 0, &attr, sizeof attr));
}

void probe_input_socket(const struct probe_args *args, const char *name)
{
    (void)args;
    struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = PROBE_INPUT "/socket"};
    input_and_scratch_work(name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inside_attempt(name, fd < 0 ? -1 : connect(fd, (const struct sockaddr *)&a, sizeof a));
}

void probe_input_fifo(const struct probe_args *args, const char *name)
{
    (void)args;
    input_and_scratch_work(name);
    int fd = open(PROBE_INPUT "/fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    inside_attempt(name, fd < 0 ? -1 : write(fd, "leak", 4));
}

/* The driver holds a lock on the file: a lock of ours that conflicts was taken on the same object. */
void probe_input_lock(const struct probe_args *args, const char *name)
{
    (void)args;
    input_and_scratch_work(name);
    int fd = open(PROBE_INPUT "/lock", O_RDONLY | O_CLOEXEC);
    bool shared = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    inside_negative(name, shared || fd < 0, shared ? "the host's lock is seen" : "a lock stays inside");
}

void probe_scratch_only(const struct probe_args *args, const char *name)
{
    static const char *const places[] = {"/", "/usr", "/usr/local", "/etc", "/dev", "/dev/mqueue", "/proc", "/sys", "/run",
                                         "/var", "/var/tmp", "/home", "/root", "/opt", "/mnt", "/srv", "/lib"};
    char path[64];
    (void)args;
    inside_positive(name, can_write(PROBE_SCRATCH "/probe-positive") && can_write("/tmp/probe-positive"),
                    "writing in the scratch and in /tmp, which is in it");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s/sallyport-probe", places[i]);
        if (can_write(path)) {
            inside_negative(name, true, places[i]);
            return;
        }
    }
    inside_negative(name, false, "no other directory can be written to");
}

void probe_proc(const struct probe_args *args, const char *name)
{
    static const char *const telling[] = {"/proc/sys/kernel", "/sys/kernel", "/sys/class"};
    static const char *const telling_files[] = {"/proc/cmdline", "/proc/kcore", "/proc/version"};
    char own[64], canary[64];
    snprintf(own, sizeof own, "/proc/%d/status", getpid());
    snprintf(canary, sizeof canary, "/proc/%d/cmdline", args->canary);
    inside_positive(name, can_read(own) || access("/proc", F_OK) != 0, "our own status");
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (access(telling[i], F_OK) == 0) {
            inside_negative(name, true, telling[i]);
            return;
        }
    for (size_t i = 0; i < sizeof telling_files / sizeof telling_files[0]; i++)
        if (can_read(telling_files[i])) { /* covered with /dev/null it is there and says nothing */
            inside_negative(name, true, telling_files[i]);
            return;
        }
    inside_negative(name, false, "only our own processes are shown");
}

void probe_sockets(const struct probe_args *args, const char *name)
{
    static const char *const places[] = {"/var/run/docker.sock",  "/run/docker.sock",   "/run/podman/podman.sock",
                                         "/run/containerd",       "/run/crio",          "/run/dbus/system_bus_socket",
                                         "/run/systemd/private",  "/run/user",          "/run/host-services",
                                         "/root",                 "/home",              "/tmp/.X11-unix",
                                         "/etc/shadow",           "/etc/ssh",           "/run/secrets",
                                         "/var/run/secrets",      "/etc/machine-id"};
    (void)args;
    inside_positive(name, access(PROBE_SCRATCH, F_OK) == 0, "an ordinary path");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], F_OK) == 0) {
            inside_negative(name, true, places[i]);
            return;
        }
    if (getenv("SSH_AUTH_SOCK") || getenv("DOCKER_HOST") || getenv("DBUS_SESSION_BUS_ADDRESS"))
        inside_negative(name, true, "an agent's or daemon's variable");
    else
        inside_negative(name, false, "no control socket, home or credential file");
}

void probe_environment(const struct probe_args *args, const char *name)
{
    inside_positive(name, getenv("PATH") != NULL, "the declared variable");
    for (char **e = environ; args->variable && *e; e++)
        if (strncmp(*e, args->variable, strlen(args->variable)) == 0) {
            inside_negative(name, true, args->variable);
            return;
        }
    inside_negative(name, args->variable == NULL, "nothing of the host's environment");
}

void probe_descriptors(const struct probe_args *args, const char *name)
{
    char detail[32];
    (void)args;
    inside_positive(name, fcntl(1, F_GETFD) >= 0, "standard output");
    for (int fd = 3; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) >= 0) {
            snprintf(detail, sizeof detail, "descriptor %d is open", fd);
            inside_negative(name, true, detail);
            return;
        }
    inside_negative(name, false, "nothing but the standard streams");
}
