/* SPDX-License-Identifier: ISC
 * Is a place part of a bag? What is written there is a file that nothing lists, and the bag does not verify any more.
 * Broker. Reads names alone, and climbs by descriptor. */
#include "record/bag_around.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/limits.h"

/* To look up a name in a directory it need not be readable. */
#ifdef O_PATH
#define SEARCH O_PATH
#else
#define SEARCH O_RDONLY
#endif

static bool holds(int fd, const char *name)
{
    struct stat st;
    return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool bag_around(int fd)
{
    AUTO_FD held = -1;
    struct stat st, below = {0};
    for (unsigned step = 0; step < PATH_BYTES; step++) {
        if (holds(fd, "bagit.txt") && (step == 0 || holds(fd, "sallyport/record.json")))
            return true;
        if (fstat(fd, &st) < 0 || (step > 0 && st.st_dev == below.st_dev && st.st_ino == below.st_ino))
            return false;
        below = st;
        int up = openat(fd, "..", SEARCH | O_DIRECTORY | O_CLOEXEC);
        if (up < 0)
            return false;
        fd_close(&held);
        held = fd = up;
    }
    return false;
}
