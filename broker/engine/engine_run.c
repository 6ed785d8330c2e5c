/* SPDX-License-Identifier: ISC
 * The order of a job in a container: plan, stage, create, start held, open by descriptor, read back, dress, let go, watch,
 * finish. Whatever fails after `create` still goes through the finish. */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/say.h"
#include "box/box_sys.h"
#include "box/box_watch.h"
#include "engine/engine_dress.h"
#include "engine/engine_job.h"
#include "engine/engine_load.h"

#define NO_FILES "the daemon does not see this host's files"
#define NOT_LOCAL "the container's processes are not on this host: a remote daemon, a virtual machine, or a sandbox like gVisor"

/* --- opening an engine ------------------------------------------------------------------------------------------------- */

static const char *last_line(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == '\n')
        text[--n] = 0;
    const char *last = strrchr(text, '\n');
    return last ? last + 1 : text;
}

static int ask_version(struct container_engine *e)
{
    char answer[4096];
    bool docker = strcmp(e->client.name, "docker") == 0;
    struct client_words w = {0};
    client_word(&w, "version");
    client_word(&w, "--format");
    client_word(&w, docker ? "{{.Client.Version}} {{.Server.Version}}" : "{{.Client.Version}} {{.Client.Version}}");
    int rc = client_ask(&e->client, &w, answer, sizeof answer);
    if (rc == 127)
        return say_fault(e->fault, sizeof e->fault, ENOENT,
                         "the program '%s' was not found: install it, or use `engine: builtin`", e->client.name);
    if (rc < 0 && errno == ETIMEDOUT)
        return say_fault(e->fault, sizeof e->fault, EAGAIN,
                         "%s did not answer within a minute: is its daemon well?", e->client.name);
    char client[32], server[32];
    if (rc != 0) /* what it could say comes first, why it could not say more comes last */
        return say_fault(e->fault, sizeof e->fault, EAGAIN,
                         "%s does not answer (%.200s): start its daemon, or point DOCKER_HOST or the context at one that "
                     "runs", e->client.name, last_line(answer));
    if (sscanf(client_first_line(answer), "%31s %31s", client, server) != 2)
        return say_fault(e->fault, sizeof e->fault, EAGAIN,
                         "%s says its version in a way that is not understood", e->client.name);
    snprintf(e->version, sizeof e->version, "%s, client %s%s%s", e->client.name, client, docker ? ", server " : "",
             docker ? server : "");
    return 0;
}

/* sha256:64 digits, with or without its prefix. */
static bool take_id(const char *text, char id[80])
{
    const char *hex = strncmp(text, "sha256:", 7) == 0 ? text + 7 : text;
    if (strspn(hex, "0123456789abcdef") != 64 || hex[64] != 0)
        return false;
    snprintf(id, 80, "sha256:%.64s", hex);
    return true;
}

static bool image_is(struct container_engine *e, const char *reference)
{
    char answer[4096];
    struct client_words w = {0};
    client_word(&w, "image");
    client_word(&w, "inspect");
    client_word(&w, "--format={{.Id}}");
    client_word(&w, reference);
    return client_ask(&e->client, &w, answer, sizeof answer) == 0 && take_id(client_first_line(answer), e->image_id);
}

/* NAME@sha256:...: by the registry's digest, else by the digest of the image's own configuration: an image that was built
 * or imported here has only that. */
static int ask_image(struct container_engine *e, const char *image)
{
    const char *digest = strstr(image, "@sha256:");
    client_text(e->image, sizeof e->image, "", image);
    if (!e->image[0] || image[0] == '-')
        return say_fault(e->fault, sizeof e->fault, EINVAL, "'%.200s' is no name of an image", image);
    if (image_is(e, image) || (digest && image_is(e, digest + 1) && strcmp(e->image_id, digest + 1) == 0))
        return 0;
    return say_fault(e->fault, sizeof e->fault, EAGAIN,
                     "%s has no image '%s': pull or build it first (sallyport never pulls)", e->client.name, e->image);
}

/* The daemon's processes, or the files it mounts, turned out not to be ours: from now on the agent does it all. */
static int is_elsewhere(struct engine_job *job, const char *why)
{
    if (job->engine->plain)
        return 1;
    job->engine->elsewhere = true;
    snprintf(job->engine->why, sizeof job->engine->why, "%s", why);
    box_control(job->result, CONTROL_CLEANUP, CONTROL_MISSING, why);
    (void)job_fault(job, ENOTSUP, "%s", why);
    return 1;
}

static void look_where(struct container_engine *e)
{
    const char *why = NULL;
    if (geteuid() != 0)
        why = "only root may look into a container on this host";
    else if (e->client.host[0] && strncmp(e->client.host, "DOCKER_HOST=unix:", 17) != 0)
        why = "the daemon is spoken to over a network";
    e->elsewhere = why != NULL;
    snprintf(e->why, sizeof e->why, "%s", why ? why : "");
}

int engine_open(struct container_engine *e, const char *name, const char *image, int *agent)
{
    *e = (struct container_engine){.agent = *agent};
    *agent = -1;
    client_open(&e->client, name);
    look_where(e);
    if (ask_version(e) < 0)
        return -1;
    load_clear_leftovers(e);
    return ask_image(e, image);
}

void engine_close(struct container_engine *e)
{
    (void)engine_oracle_end(e);
    fd_close(&e->agent);
    (void)load_drop(e);
}

/* --- one job ----------------------------------------------------------------------------------------------------------- */

int job_create(struct engine_job *job)
{
    char answer[2048];
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(job->name, sizeof job->name, "sallyport-%d-%08x", getpid(), random);
    if (engine_words(job) < 0)
        return -1;
    if (job->engine->plain)
        return 0;
    int rc = client_ask(&job->engine->client, &job->words, answer, sizeof answer);
    /* warnings come before the id, which is the last line */
    for (char *save = NULL, *line = strtok_r(answer, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strlen(line) == 64 && strspn(line, "0123456789abcdef") == 64)
            memcpy(job->id, line, 65);
    if (rc != 0 && !job->engine->elsewhere && strstr(answer, job->stage))
        return is_elsewhere(job, NO_FILES);
    if (rc != 0 || !job->id[0])
        return job_fault(job, EIO, "%s cannot create the container: %.180s", job->engine->client.name, client_first_line(answer));
    return 0;
}

static int capture_file(int dir, const char *name, int *write_fd, int *read_fd)
{
    *write_fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*write_fd < 0)
        return -1;
    *read_fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return unlinkat(dir, name, 0) < 0 || *read_fd < 0 ? -1 : 0;
}

static NORETURN void run_client(const struct engine_job *job, int in, int out, int err)
{
    const char *const start[] = {"start", "--attach", "--interactive", job->id};
    char *argv[CLIENT_WORDS + 2], *env[CLIENT_ENV + 1];
    struct client_words w = {0};
    for (size_t i = 0; i < ARRAY_LEN(start); i++)
        client_word(&w, start[i]);
    signal(SIGPIPE, SIG_DFL);
    client_environment(&job->engine->client, env);
    client_argv(&job->engine->client, job->engine->plain ? &job->words : &w, argv);
    if (setsid() >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
        execvpe(argv[0], argv, env);
    _exit(127);
}

int job_start(struct engine_job *job)
{
    int in[2], out[2], err[2], dir = job->options.capture_dir_fd;
    if (capture_file(dir, "box-stdout", &job->out_file, &job->result->stdout_fd) < 0 ||
        capture_file(dir, "box-stderr", &job->err_file, &job->result->stderr_fd) < 0 || pipe2(in, O_CLOEXEC) < 0)
        return -1;
    job->in = in[1];
    AUTO_FD their_in = in[0];
    if (pipe2(out, O_CLOEXEC) < 0)
        return -1;
    job->out = out[0];
    AUTO_FD their_out = out[1];
    if (pipe2(err, O_CLOEXEC) < 0)
        return -1;
    job->err = err[0];
    AUTO_FD their_err = err[1];
    pid_t pid = fork();
    if (pid == 0)
        run_client(job, their_in, their_out, their_err);
    job->client = pid > 0 ? pid : 0;
    return pid < 0 ? -1 : 0;
}

/* 1 the engine names the process, 0 not yet. */
static int ask_process(struct engine_job *job)
{
    char answer[4096], id[65], running[8], runtime[64];
    int pid = 0;
    struct client_words w = {0};
    client_word(&w, "container");
    client_word(&w, "inspect");
    client_word(&w, strcmp(job->engine->client.name, "docker") == 0
                        ? "--format={{.Id}} {{.State.Running}} {{.State.Pid}} {{.HostConfig.Runtime}}"
                        : "--format={{.Id}} {{.State.Running}} {{.State.Pid}} {{.OCIRuntime}}");
    client_word(&w, job->name);
    if (client_ask(&job->engine->client, &w, answer, sizeof answer) != 0 ||
        sscanf(client_first_line(answer), "%64[0-9a-f] %7[a-z] %d %63s", id, running, &pid, runtime) != 4 ||
        strlen(id) != 64 || (job->id[0] && strcmp(id, job->id) != 0) || strcmp(running, "true") != 0 || pid <= 1)
        return 0;
    memcpy(job->id, id, sizeof id);
    memcpy(job->engine->runtime, runtime, sizeof runtime);
    job->pid = pid;
    return 1;
}

static int await_process(struct engine_job *job)
{
    uint64_t deadline = box_clock_ms() + ENGINE_HELD_MS;
    while (!ask_process(job)) {
        struct pollfd p = {.fd = job->err, .events = POLLIN};
        char text[512];
        int ready = poll(&p, 1, ENGINE_POLL_MS);
        ssize_t n = ready == 1 ? read(job->err, text, sizeof text - 1) : 0;
        if (n > 0) {
            text[n] = 0;
            if (strstr(text, job->stage))
                return is_elsewhere(job, NO_FILES);
            return job_fault(job, EIO, "%s cannot start the container: %.180s", job->engine->client.name, client_first_line(text));
        }
        if (box_clock_ms() >= deadline || (job->options.interrupted && *job->options.interrupted))
            return job_fault(job, ETIMEDOUT, "the container did not start");
    }
    return 0;
}

/* The process is pinned first; then its groups must name the container, or the number is somebody else's. */
static int pin_process(struct engine_job *job)
{
    char path[64];
    AUTO_FREE uint8_t *text = NULL;
    size_t len;
    snprintf(path, sizeof path, "/proc/%d", job->pid);
    job->pidfd = sys_pidfd_open(job->pid);
    job->proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO_FD groups = job->proc < 0 ? -1 : openat(job->proc, "cgroup", O_RDONLY | O_CLOEXEC);
    if (job->pidfd < 0 || groups < 0 || fd_read_all(groups, BOX_PROC_BYTES, &text, &len) < 0 ||
        !strstr((const char *)text, job->id)) {
        fd_close(&job->pidfd); /* not ours to signal */
        return is_elsewhere(job, NOT_LOCAL);
    }
    return 0;
}

static int await_held(struct engine_job *job)
{
    uint64_t deadline = box_clock_ms() + ENGINE_HELD_MS;
    char state[16];
    while (!engine_state(job, state) || strcmp(state, "held") != 0) {
        struct pollfd p = {.fd = job->pidfd, .events = POLLIN};
        if (poll(&p, 1, 2) == 1 || box_clock_ms() >= deadline)
            return job_fault(job, EIO, "the agent did not come up in the container: is the image for this architecture?");
    }
    return 0;
}

/* Its directory, and the watch for the moment when nobody holds its filesystem any more. */
static int open_scratch(struct engine_job *job)
{
    char path[64];
    AUTO_FD root = openat(job->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 && (errno == EACCES || errno == EPERM))
        return is_elsewhere(job, "this root may not look into the container");
    AUTO_FD dir = root < 0 ? -1 : openat(root, "scratch", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    job->result->scratch_fd = dir < 0 ? -1 : openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->result->scratch_fd < 0)
        return job_fault(job, errno, "the container's /scratch cannot be opened through /proc: root on the daemon's host is "
                         "needed");
    snprintf(path, sizeof path, "/proc/self/fd/%d", job->result->scratch_fd);
    job->result->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (job->result->watch_fd < 0 || inotify_add_watch(job->result->watch_fd, path, IN_DELETE_SELF) < 0)
        return job_fault(job, errno, "the scratch's unmounting cannot be watched");
    return 0;
}

/* Nothing is held: a short job may be over before its process is known. What the line lacks is for the probes to show. */
static int look_at_plain(struct engine_job *job)
{
    for (int tries = 0; tries < 50 && !ask_process(job); tries++) {
        struct pollfd p = {.fd = job->out, .events = 0};
        if (poll(&p, 1, ENGINE_POLL_MS) == 1)
            break;
    }
    if (job->pid > 1 && pin_process(job) == 0 && engine_limits(job) != 0)
        job->cgroup.n = 0;
    job->result->fault[0] = 0;
    return 0;
}

static int hold(struct engine_job *job)
{
    int rc = job_create(job);
    if (rc == 0)
        rc = job_start(job);
    if (rc != 0)
        return rc;
    if (job->engine->plain)
        return look_at_plain(job);
    rc = await_process(job);
    if (rc == 0)
        rc = pin_process(job);
    if (rc == 0)
        rc = await_held(job);
    if (rc == 0)
        rc = open_scratch(job);
    if (rc != 0)
        return rc;
    engine_controls(job);
    rc = engine_limits(job);
    if (rc == 0)
        rc = engine_scratch_limits(job);
    return rc == 0 ? engine_dress(job) : rc;
}

static void describe(const struct container_engine *e, struct box_result *r)
{
    snprintf(r->base, sizeof r->base, "%s%s: image %s", e->client.name,
             e->plain ? ", plain command line" : e->elsewhere ? ", elsewhere" : "", e->image_id);
}

static int run_job(struct engine_job *job, bool dry)
{
    bool far = job_alone(job);
    int rc = stage_open(job) < 0 ? -1 : far ? far_hold(job) : hold(job);
    if (rc == 0 && !dry)
        rc = far ? far_run(job) : engine_watch(job);
    int saved = errno;
    if (rc != 0 && job->result->end == BOX_NOT_RUN)
        job->result->end = BOX_SETUP_FAILED;
    engine_finish(job);
    if (rc == 0 && !dry)
        box_name_limits(job->result);
    if (dry) {
        job->result->end = BOX_NOT_RUN;
        fd_close(&job->result->scratch_fd);
    }
    if (rc != 0)
        job->result->quiesced = false;
    job->result->elsewhere = far;
    far_end(job);
    stage_close(job);
    errno = saved;
    return rc;
}

static int do_once(struct container_engine *e, const struct box_options *options, struct box_result *result, bool dry)
{
    *result = (struct box_result){.scratch_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .watch_fd = -1};
    AUTO_FREE struct engine_job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    *job = (struct engine_job){.engine = e, .options = *options, .contract = *options->contract, .result = result,
                               .stage_dir = -1, .in = -1, .out = -1, .err = -1, .out_file = -1, .err_file = -1,
                               .pidfd = -1, .proc = -1};
    job->contract.run.engine = ENGINE_BUILTIN; /* the plan of a job is the same; who carries it out is our business */
    job->contract.run.base = NULL;
    job->options.contract = &job->contract;
    int rc = box_plan_init(&job->plan, &job->options, result);
    if (e->elsewhere) /* not the user here, whom that host may know as somebody */
        job->plan.uid = job->plan.gid = BOX_UID_FIRST + (uint32_t)getpid() % BOX_UID_COUNT;
    if (rc == 0) {
        describe(e, result);
        rc = run_job(job, dry);
    }
    int saved = errno;
    box_plan_free(&job->plan);
    free(job->store);
    fd_close(&job->out_file);
    fd_close(&job->err_file);
    errno = saved;
    return rc;
}

/* Once more where the first try showed that the daemon is elsewhere. */
static int engine_do(struct container_engine *e, const struct box_options *options, struct box_result *result, bool dry)
{
    bool knew = e->elsewhere;
    int rc = do_once(e, options, result, dry);
    if (rc == 0 || knew || e->decided || !e->elsewhere || e->plain)
        return rc;
    box_result_free(result);
    return do_once(e, options, result, dry);
}

int engine_check(void *context, const struct box_options *options, struct box_result *result)
{
    return engine_do(context, options, result, true);
}

int engine_run(void *context, const struct box_options *options, struct box_result *result)
{
    return engine_do(context, options, result, false);
}
