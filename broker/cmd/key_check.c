/* SPDX-License-Identifier: ISC
 * The child reads each key as the end of the run will, and tells its public half or a sentence. Invariant: it is waited
 * for before this returns, so no process holds a key while hostile bytes are read. */
#include "cmd/key_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/sign_key.h"

/* What the child tells of one key. */
struct answer {
    bool good;
    uint8_t public_key[ED25519_PUBLIC];
    char why[SIGN_WHY];
};

static void tell(int fd, const char *path)
{
    const struct rlimit none = {0, 0};
    struct answer answer = {0};
    (void)setrlimit(RLIMIT_CORE, &none);
    struct sign_key *key = sign_key_open(path, answer.why);
    if (key && sign_key_usable(key, answer.why) == 0) {
        answer.good = true;
        memcpy(answer.public_key, sign_key_public(key), ED25519_PUBLIC);
    }
    sign_key_close(&key);
    _exit(fd_write_full(fd, &answer, sizeof(answer)) == 0 ? 0 : 1);
}

/* 0, or -1 with errno: nothing was told. */
static int ask(const char *path, struct answer *answer)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    AUTO_FD from = ends[0];
    AUTO_FD to = ends[1];
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0)
        tell(to, path);
    fd_close(&to);
    int rc = fd_read_full(from, answer, sizeof(*answer));
    int error = errno;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    errno = error;
    answer->why[SIGN_WHY - 1] = '\0';
    return rc;
}

static int trouble(const char *path, const char *why)
{
    char *shown = say_name(path);
    say("the key '%s': %s", shown ? shown : "?", why);
    free(shown);
    return EXIT_USAGE;
}

int key_check(const struct arg_list *keys)
{
    uint8_t seen[ARGS_LIST][ED25519_PUBLIC];
    for (size_t i = 0; i < keys->n; i++) {
        struct answer answer = {0};
        if (ask(keys->v[i], &answer) != 0)
            return line_fail("the key cannot be looked at", keys->v[i], errno);
        if (!answer.good)
            return trouble(keys->v[i], answer.why);
        for (size_t k = 0; k < i; k++)
            if (memcmp(seen[k], answer.public_key, ED25519_PUBLIC) == 0)
                return trouble(keys->v[i], "it is given twice");
        memcpy(seen[i], answer.public_key, ED25519_PUBLIC);
    }
    return EXIT_OK;
}
