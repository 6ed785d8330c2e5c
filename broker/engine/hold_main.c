/* SPDX-License-Identifier: ISC
 * sallyport-hold KEY=VALUE... [-e NAME=VALUE]... -- COMMAND...: the first process of a container. It does nothing until a
 * byte on standard input lets it go, then starts the job, lowered further than engines can, and reaps. When the job ends it
 * kills what the job left and says how it ended in its own name, which nobody else in the container can write (where its
 * broker is elsewhere: in frames, hold_far.c). End of file on standard input is the broker's death, and everyone's. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "box/box_exec.h"
#include "box/box_inside.h"
#include "box/box_seccomp.h"
#include "box/box_sys.h"
#include "engine/hold.h"

/* The steps shared with the built-in runner report here: before the exec, so it is not the job that speaks. */
void inside_fail(const struct box_plan *plan, enum control control, const char *what)
{
    char text[256];
    struct hold_failure failure = {.control = (int32_t)control, .error = errno};
    if (plan->control >= 0 && write(plan->control, &failure, sizeof failure) != sizeof failure)
        _exit(126);
    int n = snprintf(text, sizeof text, "sallyport-hold: %s: %s\n", what, strerror(failure.error));
    if (n > 0 && write(2, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0)
        _exit(126);
    _exit(125);
}

void inside_send(const struct box_plan *plan, enum box_message_kind kind, int value, enum control control, const char *text,
                 int fd)
{
    (void)plan;
    (void)kind;
    (void)value;
    (void)control;
    (void)text;
    (void)fd;
}

bool hold_off(const struct hold *h, enum control control)
{
    return (h->plan.off & (1u << control)) != 0;
}

static void limit(const struct hold *h, int resource, uint64_t value)
{
    struct rlimit l = {.rlim_cur = value, .rlim_max = value};
    if (setrlimit((__rlimit_resource_t)resource, &l) < 0)
        inside_fail(&h->plan, CONTROL_PRIVILEGE, "setting a resource limit");
}

static void streams(const struct hold *h)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || sys_close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
        inside_fail(&h->plan, CONTROL_NAMESPACES, "closing all descriptors at exec");
    if ((h->plan.off & BOX_OFF_DESCRIPTORS) && dup2(0, 9) < 0)
        inside_fail(&h->plan, CONTROL_NAMESPACES, "leaving a descriptor open");
}

void hold_job(struct hold *h, int failure, int out, int err)
{
    sigset_t none;
    h->plan.control = failure;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < NSIG; i++) /* what we or the daemon ignore would stay so beyond the exec */
        signal(i, SIG_DFL);
    if (setsid() < 0)
        inside_fail(&h->plan, CONTROL_NAMESPACES, "a session of its own");
    if (h->far)
        hold_become_job(h);
    if ((out >= 0 && dup2(out, 1) < 0) || (err >= 0 && dup2(err, 2) < 0))
        inside_fail(&h->plan, CONTROL_OUTPUT, "giving the job its streams");
    prctl(PR_SET_DUMPABLE, 1); /* its /proc is its own only then */
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && write(score, "1000", 4) != 4)
        inside_fail(&h->plan, CONTROL_MEMORY, "making the job the first to go");
    umask(022);
    if (chdir("/scratch") < 0)
        inside_fail(&h->plan, CONTROL_SCRATCH_ONLY, "entering the scratch");
    streams(h);
    if (!hold_off(h, CONTROL_PRIVILEGE))
        limit(h, RLIMIT_CORE, 0);
    limit(h, RLIMIT_NOFILE, BOX_OPEN_FILES);
    if (h->file)
        limit(h, RLIMIT_FSIZE, h->file);
    if (!hold_off(h, CONTROL_PRIVILEGE) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        inside_fail(&h->plan, CONTROL_PRIVILEGE, "forbidding new privileges");
    if (!hold_off(h, CONTROL_LANDLOCK))
        inside_landlock(&h->plan);
    if (!hold_off(h, CONTROL_SECCOMP))
        inside_seccomp(&h->plan);
    exec_search(h->command, h->env);
    struct hold_failure no_exec = {.control = -1, .error = errno};
    if (write(failure, &no_exec, sizeof no_exec) < 0)
        _exit(125);
    _exit(127);
}

/* "sp-exit-3", "sp-sig-9", "sp-exec-2", "sp-lack-13-1": the kernel keeps fifteen characters of a name. */
static void say_end(int failure, int status)
{
    char name[16];
    struct hold_failure f;
    bool failed = read(failure, &f, sizeof f) == sizeof f;
    if (failed && f.control >= 0)
        snprintf(name, sizeof name, "sp-lack-%u-%u", (unsigned)f.control & 0x1f, (unsigned)f.error & 0xfff);
    else if (failed)
        snprintf(name, sizeof name, "sp-exec-%d", f.error & 0xfff);
    else if (WIFSIGNALED(status))
        snprintf(name, sizeof name, "sp-sig-%d", WTERMSIG(status) & 0xff);
    else
        snprintf(name, sizeof name, "sp-exit-%d", WEXITSTATUS(status) & 0xff);
    prctl(PR_SET_NAME, name);
}

void hold_kill_rest(const struct hold *h, pid_t job)
{
    pid_t whom = getpid() == 1 && !hold_off(h, CONTROL_NAMESPACES) ? -1 : -job;
    while (kill(whom, SIGKILL) == 0 || errno != ESRCH) /* the dead count until they are reaped */
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            break;
    while (waitpid(-1, NULL, whom == -1 ? WNOHANG : 0) > 0 || errno == EINTR)
        ;
}

static void on_child(int number)
{
    (void)number;
}

/* True: the job has ended; false: the broker is gone. */
static bool serve(pid_t job, const sigset_t *open_mask, int *status)
{
    for (;;) {
        int one = 0;
        pid_t pid = waitpid(-1, &one, WNOHANG);
        if (pid == job) {
            *status = one;
            return true;
        }
        if (pid > 0)
            continue;
        struct pollfd p = {.fd = 0, .events = POLLIN};
        if (ppoll(&p, 1, NULL, open_mask) > 0)
            return false;
    }
}

static bool parse_number(struct hold *h, const char *word)
{
    uint64_t off = h->plan.off, far = h->far, uid = h->uid;
    const struct {
        const char *key;
        uint64_t *value;
    } keys[] = {{"off=", &off}, {"file=", &h->file}, {"far=", &far}, {"uid=", &uid}, {"wall=", &h->wall_ms},
                {"output=", &h->output}, {"inodes=", &h->inodes}};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        size_t n = strlen(keys[i].key);
        if (strncmp(word, keys[i].key, n) != 0)
            continue;
        *keys[i].value = strtoull(word + n, NULL, 10);
        h->plan.off = (uint32_t)off;
        h->far = far != 0;
        h->uid = (uint32_t)uid;
        return true;
    }
    return false;
}

static bool parse(struct hold *h, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            h->command = argv + i + 1;
            return i + 1 < argc;
        }
        if (strcmp(argv[i], "-e") == 0 && i + 1 < argc && h->env_n + 1 < HOLD_WORDS)
            h->env[h->env_n++] = argv[++i];
        else if (strncmp(argv[i], "place=", 6) == 0 && h->places_n < HOLD_WORDS)
            h->places[h->places_n++] = argv[i] + 6;
        else if (!parse_number(h, argv[i]))
            return false;
    }
    return false;
}

int main(int argc, char **argv)
{
    static struct hold h;
    /* other mounts of the scratch, which Landlock judges by where they are */
    static struct box_input places[] = {{.at = "/tmp", .directory = true, .copy = true},
                                        {.at = "/dev/shm", .directory = true, .copy = true}};
    struct sigaction action = {.sa_handler = on_child};
    sigset_t block, before;
    char byte;
    int failure[2], status = 0;
    if (!parse(&h, argc, argv) || pipe2(failure, O_CLOEXEC | O_NONBLOCK) < 0)
        return 2;
    h.plan.control = -1;
    h.plan.inputs = places;
    h.plan.inputs_n = hold_off(&h, CONTROL_SCRATCH_ONLY) ? 0 : ARRAY_LEN(places);
    prctl(PR_SET_DUMPABLE, 0);
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigprocmask(SIG_BLOCK, &block, &before);
    sigdelset(&before, SIGCHLD);
    sigaction(SIGCHLD, &action, NULL);
    if (h.far)
        return hold_far(&h, &before);
    prctl(PR_SET_NAME, "sp-held");
    if (read(0, &byte, 1) != 1 || byte != 'g')
        return 0;
    prctl(PR_SET_NAME, "sp-runs");
    pid_t job = fork();
    if (job == 0)
        hold_job(&h, failure[1], -1, -1);
    close(failure[1]);
    if (job < 0 || !serve(job, &before, &status))
        return 0; /* and with us all that runs here */
    hold_kill_rest(&h, job);
    say_end(failure[0], status);
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        ;
    return 0;
}
