/* SPDX-License-Identifier: ISC
 * Test. A main for fuzz harnesses that runs recorded inputs once each, so that seeds and past crashes are part of `make
 * check` with every compiler. Takes directories; without any, fuzz/corpus/NAME of the source tree for a program that is
 * called fuzz_NAME. Fails where a directory holds no input: a corpus that is not there must not look like a pass. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum { INPUT_MAX = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(int dir, const char *name)
{
    AUTO_FREE uint8_t *data = NULL;
    size_t size;
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fd_read_all(fd, INPUT_MAX, &data, &size) < 0) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return -1;
    }
    /* An exact allocation, so that a sanitizer sees a read of one byte too many. */
    AUTO_FREE uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        return -1;
    memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    return 0;
}

static int replay_directory(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        if (replay_file(dirfd(dir), entry->d_name) < 0) {
            closedir(dir);
            return -1;
        }
        n++;
    }
    closedir(dir);
    printf("%s: %zu inputs\n", path, n);
    return n ? 0 : -1;
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *source = getenv("srcdir"), *name = strrchr(argv[0], '/');
    int rc = 0;
    for (int i = 1; i < argc; i++)
        rc |= replay_directory(argv[i]);
    if (argc == 1) {
        name = name ? name + 1 : argv[0];
        name = strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name;
        snprintf(path, sizeof(path), "%s/fuzz/corpus/%s", source ? source : ".", name);
        rc = replay_directory(path);
    }
    return rc ? 1 : 0;
}
