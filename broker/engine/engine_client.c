/* SPDX-License-Identifier: ISC */
#include "engine/engine_client.h"

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

#include "base/buf.h"
#include "base/fd.h"

void client_text(char *out, size_t size, const char *prefix, const char *value)
{
    struct buf b;
    buf_init(&b, size - 1);
    buf_text(&b, prefix);
    buf_text(&b, value ? value : "");
    size_t n = b.failed ? 0 : b.len;
    if (n)
        memcpy(out, b.data, n);
    out[n] = 0;
    buf_free(&b);
}

void client_word(struct client_words *w, const char *word)
{
    if (w->n < CLIENT_WORDS)
        w->v[w->n++] = word;
    else
        w->full = true;
    w->v[w->n] = NULL;
}

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

void client_environment(const struct engine_client *c, char *env[CLIENT_ENV + 1])
{
    size_t n = 0;
    const char *const words[CLIENT_ENV] = {c->search, CLIENT_NO_CONFIG, c->home, c->runtime, c->host, c->verify, c->tls,
                                           c->certificates, c->keys};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i][0])
            env[n++] = borrowed(words[i]);
    env[n] = NULL;
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until end of file. 0, or -1 with errno. */
static int read_answer(int fd, char *out, size_t size, int64_t patience_ms)
{
    char rest[4096];
    size_t have = 0;
    int64_t deadline = clock_ms() + patience_ms;
    out[0] = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int64_t left = deadline - clock_ms();
        int ready = left <= 0 ? 0 : poll(&p, 1, (int)left);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0) {
            errno = ready == 0 ? ETIMEDOUT : errno;
            return -1;
        }
        bool room = have + 1 < size;
        ssize_t n = read(fd, room ? out + have : rest, room ? size - 1 - have : sizeof rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 ? 0 : -1;
        have += room ? (size_t)n : 0;
        out[have] = 0;
    }
}

static int run(char *const *argv, char *const *env, int stdin_fd, char *out, size_t size)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        int in = stdin_fd >= 0 ? stdin_fd : open("/dev/null", O_RDONLY);
        if (in >= 0 && dup2(in, 0) == 0 && dup2(ends[1], 1) == 1 && dup2(ends[1], 2) == 2)
            execvpe(argv[0], argv, env); /* looked for in our own PATH, which is the one in env */
        _exit(127);
    }
    close(ends[1]);
    int rc = pid < 0 ? -1 : read_answer(ends[0], out, size, stdin_fd >= 0 ? CLIENT_FEED_MS : CLIENT_MS);
    int saved = errno;
    close(ends[0]);
    if (pid < 0)
        return -1;
    if (rc < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    errno = saved;
    return rc < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

void client_argv(const struct engine_client *c, const struct client_words *w, char *argv[CLIENT_WORDS + 2])
{
    argv[0] = borrowed(c->name);
    for (size_t i = 0; i < w->n; i++)
        argv[i + 1] = borrowed(w->v[i]);
    argv[w->n + 1] = NULL;
}

int client_ask(const struct engine_client *c, const struct client_words *w, char *out, size_t size)
{
    return client_feed(c, w, -1, out, size);
}

int client_feed(const struct engine_client *c, const struct client_words *w, int stdin_fd, char *out, size_t size)
{
    char *argv[CLIENT_WORDS + 2], *env[CLIENT_ENV + 1];
    out[0] = 0;
    if (w->full) {
        errno = E2BIG;
        return -1;
    }
    client_argv(c, w, argv);
    client_environment(c, env);
    return run(argv, env, stdin_fd, out, size);
}

/* NAME=value as the user has it; "" where it is not set. */
static void inherit(char *out, size_t size, const char *name)
{
    char prefix[32];
    const char *value = getenv(name);
    snprintf(prefix, sizeof prefix, "%s=", name);
    client_text(out, size, value && value[0] ? prefix : "", value);
}

/* Whoever asks for a daemon that proves who it is gets no other: the variables, or the files of the chosen context. */
static void take_tls(struct engine_client *c, const char *context_files, bool verified)
{
    char config[512];
    if (context_files) {
        snprintf(config, sizeof config, "%.480s/docker", context_files);
        client_text(c->certificates, sizeof c->certificates, "DOCKER_CERT_PATH=", config);
        client_text(verified ? c->verify : c->tls, sizeof c->tls, verified ? "DOCKER_TLS_VERIFY=" : "DOCKER_TLS=", "1");
        return;
    }
    inherit(c->verify, sizeof c->verify, "DOCKER_TLS_VERIFY");
    inherit(c->tls, sizeof c->tls, "DOCKER_TLS");
    inherit(c->certificates, sizeof c->certificates, "DOCKER_CERT_PATH");
    if (c->certificates[0] || (!c->verify[0] && !c->tls[0]))
        return;
    const char *dir = getenv("DOCKER_CONFIG"), *home = getenv("HOME");
    snprintf(config, sizeof config, "%.480s%s", dir && dir[0] ? dir : home ? home : "", dir && dir[0] ? "" : "/.docker");
    client_text(c->certificates, sizeof c->certificates, "DOCKER_CERT_PATH=", config);
}

/* The chosen context's endpoint, whether its daemon must prove who it is, and how many files say how. */
static void ask_context(struct engine_client *c)
{
    static char context[] = "context", inspect[] = "inspect", format[] = "--format",
                template[] = "{{.Endpoints.docker.Host}}|{{.Endpoints.docker.SkipTLSVerify}}|{{len .TLSMaterial}}|{{.Storage.TLSPath}}";
    char answer[2048], host[480], skip[8], files[480], name[512], config[512];
    unsigned n;
    inherit(name, sizeof name, "DOCKER_CONTEXT");
    inherit(config, sizeof config, "DOCKER_CONFIG");
    char *argv[] = {borrowed(c->name), context, inspect, format, template, NULL};
    char *env[5] = {c->search, c->home};
    size_t e = 2;
    if (name[0])
        env[e++] = name;
    if (config[0])
        env[e++] = config;
    if (run(argv, env, -1, answer, sizeof answer) != 0 ||
        sscanf(client_first_line(answer), "%479[^|]|%7[^|]|%u|%479[^\n]", host, skip, &n, files) != 4)
        return;
    client_text(c->host, sizeof c->host, "DOCKER_HOST=", host);
    if (n > 0)
        take_tls(c, files, strcmp(skip, "true") != 0);
}

/* Which daemon the user talks to: the variable, else the chosen context. Asked once, with the user's configuration. */
static void resolve_host(struct engine_client *c)
{
    const char *host = getenv("DOCKER_HOST");
    if (!host || !host[0])
        ask_context(c);
    else
        client_text(c->host, sizeof c->host, "DOCKER_HOST=", host);
    bool by_ssh = strncmp(c->host, "DOCKER_HOST=ssh:", 16) == 0;
    if (by_ssh)
        inherit(c->keys, sizeof c->keys, "SSH_AUTH_SOCK");
    else if (!c->certificates[0] && c->host[0] && strncmp(c->host, "DOCKER_HOST=unix:", 17) != 0)
        take_tls(c, NULL, true);
}

void client_open(struct engine_client *c, const char *name)
{
    *c = (struct engine_client){.name = name};
    client_text(c->search, sizeof c->search, "PATH=", getenv("PATH"));
    client_text(c->home, sizeof c->home, "HOME=", getenv("HOME"));
    inherit(c->runtime, sizeof c->runtime, "XDG_RUNTIME_DIR");
    if (strcmp(name, "docker") == 0)
        resolve_host(c);
}

const char *client_first_line(char *text)
{
    char *first = text + strspn(text, "\n");
    first[strcspn(first, "\n")] = 0;
    return first;
}
