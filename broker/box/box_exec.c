/* SPDX-License-Identifier: ISC */
#include "box/box_exec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"

static const char *search_path(char *const *envp)
{
    for (char *const *e = envp; *e; e++)
        if (strncmp(*e, "PATH=", 5) == 0)
            return *e + 5;
    return "/usr/bin:/bin";
}

void exec_search(char *const *argv, char *const *envp)
{
    char path[2 * PATH_BYTES];
    int first = ENOENT;
    if (strchr(argv[0], '/')) {
        execve(argv[0], argv, envp);
        return;
    }
    for (const char *p = search_path(envp);; p++) {
        size_t len = strcspn(p, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)len, p, argv[0]);
        execve(path, argv, envp);
        if (errno != ENOENT && errno != ENOTDIR)
            first = errno;
        p += len;
        if (!*p)
            break;
    }
    errno = first;
}
