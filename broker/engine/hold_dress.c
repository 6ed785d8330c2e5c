/* SPDX-License-Identifier: ISC */
#include "engine/hold_dress.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "box/box_sys.h"

enum { READ_ONLY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

/* What a container shows of its host's kernel beyond its own processes. */
static const char *const telling_dirs[] = {"/sys", "/proc/sys", "/proc/acpi", "/proc/bus", "/proc/fs", "/proc/irq"};
static const char *const telling_files[] = {"/proc/cmdline", "/proc/kallsyms", "/proc/modules", "/proc/config.gz",
                                            "/proc/key-users", "/proc/version", "/proc/kmsg", "/proc/iomem"};

int dress_attach(int mount_fd, const char *path)
{
    AUTO_FD to = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return to < 0 ? -1 : sys_attach(mount_fd, to);
}

int dress_lead(const char *from, const char *path)
{
    AUTO_FD dir = open(from, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    AUTO_FD view = dir < 0 ? -1 : sys_clone_tree(dir, 0);
    if (view < 0 || (mkdir(path, 0755) < 0 && errno != EEXIST))
        return -1;
    return dress_attach(view, path);
}

static int hide_directory(const char *path)
{
    AUTO_FD fs = sys_fsopen("tmpfs");
    if (fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "size", "4k") < 0 ||
        sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0555") < 0 || sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        return -1;
    AUTO_FD mount_fd = sys_fsmount(fs, READ_ONLY | MOUNT_ATTR_NOEXEC);
    return mount_fd < 0 ? -1 : dress_attach(mount_fd, path);
}

static int hide_file(const char *path)
{
    AUTO_FD null = open("/dev/null", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    AUTO_FD view = null < 0 ? -1 : sys_clone_tree(null, 0);
    return view < 0 ? -1 : dress_attach(view, path);
}

int dress_hide_kernel(void)
{
    for (size_t i = 0; i < ARRAY_LEN(telling_files); i++)
        if (hide_file(telling_files[i]) < 0 && errno != ENOENT)
            return -1;
    for (size_t i = 0; i < ARRAY_LEN(telling_dirs); i++)
        if (hide_directory(telling_dirs[i]) < 0 && errno != ENOENT)
            return -1;
    return 0;
}

