/* SPDX-License-Identifier: ISC
 * The client's words are parsed as exact lines; a name is never taken for an option. */
#include "source/source_container.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "engine/engine_client.h"

/* Go templates of the clients */
#define STATE "state {{.Id}} {{.State.Running}} {{.State.Pid}}\n"
#define TMPFS "tmpfs {{$k}}\n{{end}}{{range .Mounts}}{{if eq .Type \"tmpfs\"}}tmpfs {{.Destination}}\n{{end}}{{end}}"

struct place {
    const char *engine;
    char name[256];
    const char *path;      /* absolute */
    struct engine_client client;
    char id[65];
    bool running;
    pid_t pid;
    bool tmpfs;            /* the path lies on a tmpfs of the container */
};

/* CONTAINER:/path, both plain: what follows is handed to a program as one word. */
static bool split(struct place *p, const char *spec)
{
    size_t n = strcspn(spec, ":");
    if (n == 0 || n >= sizeof p->name || spec[n] != ':' || spec[n + 1] != '/' || !isalnum((unsigned char)spec[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)spec[i]) && !strchr("_.-", spec[i]))
            return false;
    memcpy(p->name, spec, n);
    p->name[n] = 0;
    p->path = spec + n + 1;
    return p->path[1] == 0 || path_grammar(p->path + 1, strlen(p->path + 1)) == PATH_OK;
}

/* Is `path` at or below the mount point? */
static bool below(const char *path, const char *mount)
{
    size_t n = strlen(mount);
    while (n > 1 && mount[n - 1] == '/')
        n--;
    return strncmp(path, mount, n) == 0 && (n == 1 || path[n] == 0 || path[n] == '/');
}

/* "state ID true PID" and "tmpfs PATH" lines. */
static bool parse_state(struct place *p, char *text)
{
    char *save = NULL, word_running[8];
    bool seen = false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int pid = 0;
        if (strncmp(line, "tmpfs ", 6) == 0) {
            p->tmpfs = p->tmpfs || below(p->path, line + 6);
        } else if (sscanf(line, "state %64[0-9a-f] %7[a-z] %d", p->id, word_running, &pid) == 3) {
            seen = strlen(p->id) == 64;
            p->running = strcmp(word_running, "true") == 0;
            p->pid = pid;
        }
    }
    return seen;
}

static int inspect(struct container_source *s, struct place *p)
{
    /* docker leaves the key out where there is none, and only its untyped form can be asked for it */
    static const char docker[] = STATE "{{range $k, $v := index .HostConfig \"Tmpfs\"}}" TMPFS;
    static const char podman[] = STATE "{{range $k, $v := .HostConfig.Tmpfs}}" TMPFS;
    const char *const asked[] = {"container", "inspect", "--format", strcmp(p->engine, "docker") == 0 ? docker : podman,
                                 p->name};
    struct client_words words = {0};
    AUTO_FREE char *text = malloc(64 * KIB);
    if (!text)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(asked); i++)
        client_word(&words, asked[i]);
    int status = client_ask(&p->client, &words, text, 64 * KIB);
    if (status < 0)
        return say_fault(s->fault, sizeof s->fault, EAGAIN,
                         "%s does not answer: %s", p->engine, strerror(errno));
    if (status == 127)
        return say_fault(s->fault, sizeof s->fault, ENOENT, "the program '%s' was not found", p->engine);
    if (status != 0) {
        const char *first = text + strspn(text, "\n");
        text[(size_t)(first - text) + strcspn(first, "\n")] = 0;
        return say_fault(s->fault, sizeof s->fault, EAGAIN,
                         "%s does not know the container '%s': %.200s", p->engine, p->name, first);
    }
    if (!parse_state(p, text))
        return say_fault(s->fault, sizeof s->fault, EPROTO,
                         "%s describes the container '%s' in a way that is not understood", p->engine, p->name);
    return 0;
}

/* One component at a time, no link followed: the container may have planted any. */
static int open_below(int root, const char *path)
{
    AUTO_FD at = fcntl(root, F_DUPFD_CLOEXEC, 3);
    char part[COMPONENT_BYTES + 1];
    for (const char *p = path + 1; at >= 0 && *p;) {
        size_t n = strcspn(p, "/");
        if (n > COMPONENT_BYTES)
            return -1;
        memcpy(part, p, n);
        part[n] = 0;
        int next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        fd_close(&at);
        at = next;
        p += n + (p[n] == '/');
    }
    return at < 0 ? -1 : openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Does this process of our host belong to the container? A remote daemon's numbers mean somebody else here. */
static bool is_of_container(const struct place *p)
{
    char path[64];
    AUTO_FREE uint8_t *text = NULL;
    size_t len;
    snprintf(path, sizeof path, "/proc/%d/cgroup", p->pid);
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && fd_read_all(fd, 64 * KIB, &text, &len) == 0 && strstr((const char *)text, p->id) != NULL;
}

/* -1: not possible here; *fatal: it was, and the directory is not there. */
static int open_running(struct container_source *s, const struct place *p, bool *fatal)
{
    char path[64];
    *fatal = false;
    if (!p->running || p->pid <= 1)
        return -1;
#ifdef SYS_pidfd_open
    AUTO_FD pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    struct pollfd alive = {.fd = pidfd, .events = POLLIN};
    snprintf(path, sizeof path, "/proc/%d/root", p->pid);
    AUTO_FD root = pidfd < 0 || !is_of_container(p) ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || poll(&alive, 1, 0) != 0)
        return -1; /* ended meanwhile: the number may be somebody else's */
    int dir = open_below(root, p->path);
    if (dir < 0) {
        *fatal = true;
        return say_fault(s->fault, sizeof s->fault, errno,
                         "'%s' in the container '%s' is not a directory that can be opened without following a link: %s",
                     p->path, p->name, strerror(errno));
    }
    return dir;
#else
    (void)s;
    return -1;
#endif
}

static bool add_word(struct container_source *s, size_t *n, const char *word)
{
    return (s->argv[*n] = strdup(word)) && ++*n > 0;
}

/* The engine's copy: a tar stream whose names begin with the last component of the path. */
static int use_stream(struct container_source *s, const struct place *p)
{
    char from[sizeof p->name + PATH_BYTES + 2];
    const char *const words[] = {p->engine, "cp", "--", from, "-"};
    char *env[CLIENT_ENV + 1];
    size_t n = 0;
    _Static_assert(2 + CLIENT_ENV + ARRAY_LEN(words) < CONTAINER_ARGS, "room for the words and their end");
    if (p->tmpfs)
        return say_fault(s->fault, sizeof s->fault, ENOTSUP,
                         "'%s' lies on a tmpfs of the container '%s', which %s cp cannot read (it would say that there is "
                     "nothing): run sallyport as root on the daemon's host while the container runs", p->path, p->name, p->engine);
    snprintf(from, sizeof from, "%s:%s", p->name, p->path);
    client_environment(&p->client, env);
    if (!add_word(s, &n, "env") || !add_word(s, &n, "-i"))
        return -1;
    for (size_t i = 0; env[i]; i++)
        if (!add_word(s, &n, env[i]))
            return -1;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!add_word(s, &n, words[i]))
            return -1;
    const char *last = strrchr(p->path, '/') + 1;
    if (*last && !(s->strip = strdup(last)))
        return -1;
    return 0;
}

int container_source_open(struct container_source *s, const char *engine, const char *spec)
{
    AUTO_FREE struct place *p = calloc(1, sizeof *p);
    bool fatal;
    *s = (struct container_source){.dir_fd = -1};
    if (!p)
        return -1;
    p->engine = engine;
    if (!split(p, spec)) {
        s->usage = true;
        return say_fault(s->fault, sizeof s->fault, EINVAL,
                         "a source in a container is %s:CONTAINER:/path, with a name and an absolute path without '..'",
                     engine);
    }
    client_open(&p->client, engine);
    if (inspect(s, p) != 0)
        return -1;
    s->dir_fd = open_running(s, p, &fatal);
    if (s->dir_fd >= 0)
        return 0;
    return fatal ? -1 : use_stream(s, p);
}

void container_source_close(struct container_source *s)
{
    fd_close(&s->dir_fd);
    for (size_t i = 0; i < CONTAINER_ARGS; i++)
        free(s->argv[i]);
    free(s->strip);
    *s = (struct container_source){.dir_fd = -1};
}
