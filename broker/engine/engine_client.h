/* SPDX-License-Identifier: ISC
 * Talking to a container engine through its client program: without a shell, with a fixed environment and an empty
 * configuration, since that of the user may put proxy credentials into what it starts. Which daemon that is was resolved
 * first, with the user's configuration. What the client says is parsed as exact lines. */
#ifndef SALLYPORT_ENGINE_CLIENT_H
#define SALLYPORT_ENGINE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"

#define CLIENT_NO_CONFIG "DOCKER_CONFIG=/nonexistent"

enum { CLIENT_WORDS = 600, CLIENT_ENV = 9 };

struct engine_client {
    const char *name;          /* "docker" or "podman": the program, looked for in the user's PATH */
    char search[PATH_BYTES];   /* "PATH=..." */
    char home[512], runtime[512];
    char host[512];            /* "DOCKER_HOST=..." or "" */
    char verify[64], tls[64], certificates[512]; /* "DOCKER_TLS_VERIFY=...", "DOCKER_TLS=...", "DOCKER_CERT_PATH=..." or "" */
    char keys[512];            /* "SSH_AUTH_SOCK=..." where the daemon is spoken to by ssh, or "" */
};

/* The words of a command line; each is borrowed. */
struct client_words {
    const char *v[CLIENT_WORDS + 1];
    size_t n;
    bool full;                 /* a word did not fit */
};

void client_open(struct engine_client *c, const char *name);
void client_word(struct client_words *w, const char *word);
/* The client's environment, and NULL. */
void client_environment(const struct engine_client *c, char *env[CLIENT_ENV + 1]);
/* The client's name and these words, borrowed. */
void client_argv(const struct engine_client *c, const struct client_words *w, char *argv[CLIENT_WORDS + 2]);
/* Runs the client with these words behind its name; out: what it wrote on both its streams, cut at size. Its exit status
 * (127: it was not found), or -1 with errno; ETIMEDOUT after CLIENT_MS: it was killed. */
int client_ask(const struct engine_client *c, const struct client_words *w, char *out, size_t size);
/* The same with a standard input, borrowed; -1: none. */
int client_feed(const struct engine_client *c, const struct client_words *w, int stdin_fd, char *out, size_t size);
/* The first line of what a client wrote, cut in place. */
const char *client_first_line(char *text);
/* PREFIX and value in one; "" where they do not fit. */
void client_text(char *out, size_t size, const char *prefix, const char *value);

#endif
