/* SPDX-License-Identifier: ISC
 * A writable copy of an input, for the job alone: made by the supervisor from the read-only view, as the job's user, into a
 * tmpfs of its own that is bounded like the scratch. Follows no link; anything but directories, plain files and links ends
 * the set-up. */
#include "box/box_inside.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_sys.h"

static void copy_bytes(const struct box_plan *plan, int from, int to)
{
    char block[8192];
    for (;;) {
        ssize_t n = read(from, block, sizeof block);
        if (n == 0)
            return;
        if (n < 0 || fd_write_full(to, block, (size_t)n) < 0)
            inside_fail(plan, CONTROL_INPUTS, "copying an input (larger than the scratch limit?)");
    }
}

static void copy_file(const struct box_plan *plan, int from_dir, int to_dir, const char *name, mode_t mode)
{
    AUTO_FD from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    AUTO_FD to = from < 0 ? -1 : openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        inside_fail(plan, CONTROL_INPUTS, "copying a file of an input");
    copy_bytes(plan, from, to);
    if (fchmod(to, (mode & 0777) | 0600) < 0)
        inside_fail(plan, CONTROL_INPUTS, "copying the mode of an input");
}

static void copy_link(const struct box_plan *plan, int from, int to, const char *name)
{
    char target[PATH_BYTES + 1];
    ssize_t n = readlinkat(from, name, target, sizeof target - 1);
    if (n < 0)
        inside_fail(plan, CONTROL_INPUTS, "copying a link of an input");
    target[n] = 0;
    if (symlinkat(target, to, name) < 0)
        inside_fail(plan, CONTROL_INPUTS, "copying a link of an input");
}

static void copy_entry(const struct box_plan *plan, int from, int to, const char *name, unsigned depth)
{
    struct stat st;
    if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        inside_fail(plan, CONTROL_INPUTS, "looking at an input");
    if (S_ISLNK(st.st_mode)) {
        copy_link(plan, from, to, name);
    } else if (S_ISREG(st.st_mode)) {
        copy_file(plan, from, to, name, st.st_mode);
    } else if (S_ISDIR(st.st_mode)) {
        AUTO_FD sub = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        AUTO_FD made = mkdirat(to, name, (st.st_mode & 0777) | 0700) < 0
                           ? -1
                           : openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (sub < 0 || made < 0)
            inside_fail(plan, CONTROL_INPUTS, "copying a directory of an input");
        inside_copy_tree(plan, sub, made, depth + 1);
    } else {
        errno = EINVAL;
        inside_fail(plan, CONTROL_INPUTS, "an input that is to be copied holds a socket, FIFO or device");
    }
}

void inside_copy_file(const struct box_plan *plan, int from, int to, const char *name)
{
    struct stat st;
    if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        inside_fail(plan, CONTROL_INPUTS, "looking at an input file");
    copy_file(plan, from, to, name, st.st_mode);
}

void inside_copy_tree(const struct box_plan *plan, int from, int to, unsigned depth)
{
    int own = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    errno = depth >= WALK_DEPTH_MAX ? E2BIG : errno;
    if (!dir || depth >= WALK_DEPTH_MAX)
        inside_fail(plan, CONTROL_INPUTS, "reading a directory of an input");
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            copy_entry(plan, from, to, e->d_name, depth);
    closedir(dir);
}
