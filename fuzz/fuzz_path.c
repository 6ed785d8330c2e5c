/* SPDX-License-Identifier: ISC
 * Harness for base/path.c, path_set.c and path_auto_run.c. One input is one path; its properties must hold. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_fold(const char *path, size_t len)
{
    AUTO_FREE char *once = path_fold(path, len);
    if (!once)
        return;
    AUTO_FREE char *twice = path_fold(once, strlen(once));
    require(twice && strcmp(once, twice) == 0);
}

static void check_set(const char *path, size_t len)
{
    size_t other = 0;
    struct path_set *set = path_set_new();
    require(set != NULL);
    int first = path_set_add(set, path, len, false, 7, &other);
    if (first == 0) {
        require(path_set_add(set, path, len, false, 8, &other) == 0);
        require(path_set_add(set, path, len, true, 9, &other) == 1 && other == 7);
    }
    path_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = (const char *)data;
    enum path_fault grammar = path_grammar(path, size);
    enum path_fault portable = path_check(path, size, NAMES_PORTABLE), posix = path_check(path, size, NAMES_POSIX);
    require(grammar == PATH_OK || (portable == grammar && posix == grammar));
    require(posix == PATH_OK || portable == posix);
    if (portable == PATH_OK)
        require(memchr(path, '\\', size) == NULL && size <= 4096 && path[0] != '/' && path[0] != '-');
    bool whole = path_auto_run(path, size, false);
    require(whole || !path_auto_run(path, size, true));
    check_fold(path, size);
    if (grammar == PATH_OK)
        check_set(path, size);
    return 0;
}
