/* SPDX-License-Identifier: ISC
 * A tar stream is hostile twice: in its framing and in its content. It is spooled whole, read only by a confined child
 * that answers with extents, and every member is then judged and copied as a file of a directory would be. Any finding
 * on the stream refuses everything: half a stream says nothing about the other half. */
#include "cmd/line_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "collect/collect_copy.h"
#include "collect/collect_list.h"
#include "contract/contract_match.h"

/* A producer's command line, started without a shell. The child keeps nothing of ours but the pipe. */
static pid_t start_producer(char *const *command, int *out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        AUTO_FD null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        signal(SIGPIPE, SIG_DFL);
        if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
            execvp(command[0], command);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0)
        fd_close(&ends[0]);
    *out = ends[0];
    return pid;
}

static int too_late(struct line *line)
{
    return finding_list_note(&line->whole, FINDING_FILE_UNREADABLE, "`limits: time` ran out while the stream was read");
}

static int64_t left_ms(const struct line *line)
{
    int64_t left = line->deadline_ns - line_now_ns();
    return left > 0 ? left / 1000000 + 1 : 0;
}

/* 1: there is something to read, or the end; 0: the time is over; -1 with errno, EINTR where we are to stop. */
static int wait_readable(const struct line *line, int from)
{
    enum { STEP_MS = 500 };
    struct pollfd p = {.fd = from, .events = POLLIN};
    for (int64_t left; (left = left_ms(line)) > 0;) {
        if (cmd_interrupted()) {
            errno = EINTR;
            return -1;
        }
        int n = poll(&p, 1, (int)(left < STEP_MS ? left : STEP_MS));
        if (n > 0 || (n < 0 && errno != EINTR))
            return n;
    }
    return 0;
}

/* The end of the stream need not be the end of the command. 1: ended; 0: the time is over; -1 with errno. */
static int wait_producer(const struct line *line, pid_t pid, int *status)
{
    struct timespec pause = {.tv_nsec = 1000000};
    pid_t got;
    while ((got = waitpid(pid, status, WNOHANG)) == 0 && left_ms(line) > 0 && !cmd_interrupted()) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 64000000)
            pause.tv_nsec *= 2;
    }
    if (got != 0)
        return got > 0 ? 1 : -1;
    errno = EINTR;
    return cmd_interrupted() ? -1 : 0;
}

/* What we end ourselves has no status worth telling. */
static void stop_producer(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static int producer_status(struct line *line, pid_t pid)
{
    char message[128];
    int status = 0, ended = wait_producer(line, pid, &status);
    if (ended <= 0) {
        int error = errno;
        stop_producer(pid);
        errno = error;
        return ended < 0 ? -1 : too_late(line);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status))
        snprintf(message, sizeof(message), "the command that wrote the stream ended with status %d%s",
                 WEXITSTATUS(status), WEXITSTATUS(status) == 127 ? " (was it found?)" : "");
    else
        snprintf(message, sizeof(message), "the command that wrote the stream was killed by signal %d", WTERMSIG(status));
    return finding_list_note(&line->whole, FINDING_FILE_UNREADABLE, message);
}

/* What a stream may weigh: the contract's total, and framing for every object that may be visited. */
static uint64_t stream_bound(const struct contract *contract)
{
    uint64_t framing = contract->limits.visited < GIB / STREAM_FRAMING ? contract->limits.visited * STREAM_FRAMING : GIB;
    return contract->limits.total > UINT64_MAX - framing - MIB ? UINT64_MAX : contract->limits.total + framing + MIB;
}

static int spool(struct line *line, int from, uint64_t *size)
{
    AUTO_FREE uint8_t *block = malloc(COPY_BLOCK);
    const uint64_t bound = stream_bound(line->contract);
    *size = 0;
    while (block && !cmd_interrupted()) {
        int ready = wait_readable(line, from);
        if (ready <= 0)
            return ready < 0 ? -1 : too_late(line);
        ssize_t n = read(from, block, COPY_BLOCK);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return n == 0 ? 0 : -1;
        *size += (uint64_t)n;
        if (*size > bound)
            return finding_list_note(&line->whole, FINDING_FILE_TOO_LARGE,
                                     "the stream is larger than `limits: total` admits");
        if (fd_write_full(line->spool, block, (size_t)n) != 0)
            return -1;
    }
    errno = block ? EINTR : ENOMEM;
    return -1;
}

/* The name below the wanted root, compared component by component; NULL: outside. "" is the root itself. */
static const char *rebase(const char *name, const char *root)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2 + strspn(name + 2, "/");
    if (strcmp(name, ".") == 0)
        name++;
    if (!root)
        return name;
    size_t n = strlen(root);
    if (strncmp(name, root, n) != 0 || (name[n] != '/' && name[n] != '\0'))
        return NULL;
    return name[n] ? name + n + 1 : name + n;
}

/* "out", as well as "out/" and "./out"; "" and "." are the stream's own root. What could never match is a usage error. */
static bool root_valid(char *root)
{
    size_t n = strlen(root);
    while (n > 1 && root[n - 1] == '/')
        root[--n] = '\0';
    const char *name = rebase(root, NULL);
    return *name && path_grammar(name, strlen(name)) == PATH_OK;
}

int line_stream_open(struct line *line)
{
    if (line->args->root && !root_valid(line->args->root)) {
        say("--root wants the name of a directory in the stream, as in --root out: relative, without '..'");
        return EXIT_USAGE;
    }
    line->source_kind = "tar";
    line->streams = true;
    line->producer = line->args->producer;
    line->strip = line->args->root ? rebase(line->args->root, NULL) : NULL;
    if (!line->args->producer && isatty(STDIN_FILENO)) {
        say("standard input is a terminal: pipe a tar stream in, or give a command after '--'");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int read_stream(struct line *line, uint64_t *size)
{
    AUTO_FD staged = publish_stage(line->publish);
    AUTO_FD from = -1;
    pid_t producer = -1;
    if (staged < 0)
        return -1;
    line->spool = staged;
    if (line->producer && (producer = start_producer(line->producer, &from)) < 0)
        return -1;
    int rc = spool(line, producer >= 0 ? from : STDIN_FILENO, size);
    int error = errno;
    fd_close(&from);
    if (producer >= 0 && (rc != 0 || line->whole.n > 0))
        stop_producer(producer);
    else if (producer >= 0 && (rc = producer_status(line, producer)) != 0)
        error = errno;
    line->spool = rc == 0 ? publish_reopen(line->publish, staged) : -1;
    if (rc != 0)
        errno = error;
    return rc == 0 && line->spool >= 0 ? 0 : -1;
}

static int outside_root(struct line *line, const char *name)
{
    char message[MESSAGE_BYTES];
    char *shown = say_name(name);
    snprintf(message, sizeof(message), "the stream holds '%.200s', which is outside of the requested root", shown ? shown : "?");
    free(shown);
    return finding_list_note(&line->whole, FINDING_ARCHIVE_PATH, message);
}

static int bad_name(struct line *line, enum path_fault fault)
{
    char message[MESSAGE_BYTES];
    snprintf(message, sizeof(message), "a name in the stream %s", path_fault_text(fault));
    return finding_list_note(&line->whole, FINDING_ARCHIVE_PATH, message);
}

/* Directories are implied by the files in them. */
static int list_extents(struct line *line, struct listed_object *objects, size_t *n)
{
    const char *root = line->strip;
    *n = 0;
    for (size_t i = 0; i < line->extents.n; i++) {
        struct extent *extent = &line->extents.v[i];
        size_t len = strlen(extent->path);
        while (extent->kind == OBJECT_DIRECTORY && len > 0 && extent->path[len - 1] == '/')
            extent->path[--len] = '\0';
        const char *name = rebase(extent->path, root);
        if (!name) {
            if (outside_root(line, extent->path) != 0)
                return -1;
            continue;
        }
        if (extent->kind == OBJECT_DIRECTORY && (*name == '\0' || path_grammar(name, strlen(name)) == PATH_OK))
            continue;
        enum path_fault fault = line->far ? PATH_OK : path_grammar(name, strlen(name)); /* a tree's names are judged one by one */
        if (fault != PATH_OK) {
            if (bad_name(line, fault) != 0)
                return -1;
            continue;
        }
        objects[(*n)++] = (struct listed_object){
            .path = name, .origin = i + 1, .facts = {.known = true, .kind = extent->kind, .mode = extent->mode,
            .uid = extent->uid, .gid = extent->gid, .links = extent->links ? extent->links : 1, .ino = extent->ino, .size = extent->length, .mtime_ns = extent->mtime_ns}};
    }
    return 0;
}

static const struct output *match(const void *ctx, const char *path, bool *hidden)
{
    return contract_match(ctx, path, hidden);
}

int line_stream_judge(struct line *line)
{
    const struct walk_options options = {.contract = line->contract, .match = match, .ctx = line->contract};
    struct listed_object *objects = calloc(line->extents.n + ARRAY_LEN(line->captured) + 1, sizeof(*objects));
    size_t n = 0;
    int rc = objects ? list_extents(line, objects, &n) : -1;
    if (rc == 0)
        n += line_captured(line, line->extents.n, objects + n);
    if (rc == 0)
        rc = collect_list(&options, objects, n, &line->walk);
    free(objects);
    return rc;
}

int line_stream_walk(struct line *line)
{
    uint64_t size = 0;
    if (read_stream(line, &size) != 0) {
        if (cmd_interrupted()) {
            say("interrupted; nothing was published");
            return 128 + cmd_interrupted();
        }
        return line_fail("the stream could not be read", NULL, errno);
    }
    if (line->whole.n == 0 && inspect_stream(line->pool, line->spool, size, line->contract->limits.visited,
                                             &line->extents, &line->whole) != 0)
        return line_fail("the stream could not be looked at", NULL, errno);
    if (line_stream_judge(line) != 0)
        return line_fail("the members of the stream", NULL, errno);
    return EXIT_OK;
}

int line_stream_copy(struct line *line, const struct copy_job *job, struct item *item, int staged)
{
    size_t captured = item->origin - line->extents.n - 1;
    if (item->origin > line->extents.n && captured < ARRAY_LEN(line->captured))
        return collect_copy_extent(job, item, line->captured[captured].fd, 0, item->source.size, staged);
    const struct extent *extent = item->origin > 0 && item->origin <= line->extents.n ? &line->extents.v[item->origin - 1] : NULL;
    if (extent && extent->offset == UINT64_MAX) /* listed, and then the stream broke off */
        return finding_list_note(&item->findings, FINDING_FILE_UNREADABLE, "its bytes did not come out of the container") == 0 ? 1 : -1;
    if (!extent) {
        errno = EPROTO;
        return -1;
    }
    return collect_copy_extent(job, item, line->spool, extent->offset, extent->length, staged);
}
