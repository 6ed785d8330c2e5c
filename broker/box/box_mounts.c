/* SPDX-License-Identifier: ISC
 * The box's mount table, built by the supervisor in namespaces of its own. Host objects are opened before the staging
 * directory is covered, and are only ever read through a lower-only overlay: a read-only bind would let the job connect
 * to sockets, write to FIFOs and take locks on the host's files; an overlay makes all three inert. */
#include "box/box_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_sys.h"

enum { READ_ONLY = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };

struct table {
    const struct box_plan *plan;
    int root;  /* the new root, attached at a staging directory */
    int empty; /* an empty directory: second layer of every overlay */
};

static const char *const trees[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"};
/* What programs need of /etc; nothing that names the host, its users or its secrets. */
static const char *const etc_names[] = {"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "java-*",
                                        "python3*", "fonts", "localtime", "mime.types", "protocols", "services",
                                        "magic", "perl", "terminfo"};
static const char *const staging[] = {"/tmp", "/mnt", "/run", "/var", "/etc"};

static const struct {
    const char *name;
    unsigned minor;
} devices[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}};

static const struct {
    const char *path, *target;
} links[] = {{"dev/fd", "/proc/self/fd"}, {"dev/stdin", "/proc/self/fd/0"}, {"dev/stdout", "/proc/self/fd/1"},
             {"dev/stderr", "/proc/self/fd/2"}, {"dev/shm", "/scratch/.shm"}, {"tmp", "/scratch/.tmp"}};

static const struct {
    const char *path, *text;
} texts[] = {{"etc/passwd", "root:x:0:0::/:/bin/false\njob:x:1000:1000::/scratch:/bin/sh\n"},
             {"etc/group", "root:x:0:\njob:x:1000:\n"},
             {"etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"},
             {"etc/hostname", "box\n"},
             {"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"}};

static int tmpfs_mount(const struct box_plan *plan, uint64_t size, uint64_t inodes, const char *mode, unsigned attr,
                       enum control control)
{
    char text[32];
    AUTO_FD fs = sys_fsopen("tmpfs");
    if (fs < 0)
        inside_fail(plan, control, "opening a tmpfs");
    snprintf(text, sizeof text, "%llu", (unsigned long long)size);
    if (size && sys_fsconfig(fs, FSCONFIG_SET_STRING, "size", text) < 0)
        inside_fail(plan, control, "limiting the size of a tmpfs");
    snprintf(text, sizeof text, "%llu", (unsigned long long)inodes);
    if (inodes && sys_fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", text) < 0)
        inside_fail(plan, control, "limiting the inodes of a tmpfs");
    if (sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", mode) < 0 ||
        sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        inside_fail(plan, control, "creating a tmpfs");
    int mount_fd = sys_fsmount(fs, attr);
    if (mount_fd < 0)
        inside_fail(plan, control, "mounting a tmpfs");
    return mount_fd;
}

/* A detached read-only view of the directory; -1 with errno. */
static int overlay(const struct table *t, int lower)
{
    char layers[64];
    AUTO_FD fs = sys_fsopen("overlay");
    snprintf(layers, sizeof layers, "/proc/self/fd/%d:/proc/self/fd/%d", lower, t->empty);
    if (fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "lowerdir", layers) < 0 ||
        sys_fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL) < 0 ||
        sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        return -1;
    return sys_fsmount(fs, READ_ONLY);
}

static void attach(const struct table *t, int mount_fd, const char *path, enum control control, const char *what)
{
    AUTO_FD to = openat(t->root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0 || sys_attach(mount_fd, to) < 0)
        inside_fail(t->plan, control, what);
}

/* Creates the directories of a path below the root, all but the last component where `file`. */
static void make_place(const struct table *t, const char *path, bool file)
{
    char part[PATH_BYTES + 1];
    for (const char *p = path; *p;) {
        size_t end = (size_t)(p - path) + strcspn(p, "/");
        bool last = path[end] == 0;
        memcpy(part, path, end);
        part[end] = 0;
        if (last && file) {
            AUTO_FD fd = openat(t->root, part, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0444);
            if (fd < 0)
                inside_fail(t->plan, CONTROL_INPUTS, "making the place of an input file");
        } else if (mkdirat(t->root, part, 0755) < 0 && errno != EEXIST) {
            inside_fail(t->plan, CONTROL_INPUTS, "making the place of an input");
        }
        p = path + end + (last ? 0 : 1);
    }
}

static void write_file(const struct table *t, const char *path, const void *data, size_t len)
{
    AUTO_FD fd = openat(t->root, path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
    if (fd < 0 || fd_write_full(fd, data, len) < 0)
        inside_fail(t->plan, CONTROL_NAMESPACES, "writing the private /etc");
}

static void copy_link(const struct table *t, int from, const char *name, const char *to)
{
    char target[PATH_BYTES + 1];
    ssize_t n = readlinkat(from, name, target, sizeof target - 1);
    if (n <= 0)
        return;
    target[n] = 0;
    if (symlinkat(target, t->root, to) < 0)
        inside_fail(t->plan, CONTROL_NAMESPACES, "copying a link of the base");
}

/* A tree of the base. Where other filesystems are mounted inside it an ordinary user cannot separate them, and the whole
 * is bound read-only instead. */
static void mount_tree(const struct table *t, int tree, const char *to)
{
    if (mkdirat(t->root, to, 0755) < 0 && errno != EEXIST)
        inside_fail(t->plan, CONTROL_NAMESPACES, "making a directory of the base");
    AUTO_FD view = overlay(t, tree);
    if (view < 0 && errno == EINVAL) {
        view = sys_clone_tree(tree, AT_RECURSIVE);
        if (view >= 0 && sys_mount_attr(view, AT_RECURSIVE, READ_ONLY) < 0)
            fd_close(&view);
        if (view >= 0)
            inside_send(t->plan, BOX_NOTE, 0, CONTROL_SCRATCH_ONLY,
                        "read-only root, its base bound, not overlaid: FIFOs and locks in it are the host's", -1);
    }
    if (view < 0)
        inside_fail(t->plan, CONTROL_NAMESPACES, "mounting the base read-only");
    attach(t, view, to, CONTROL_NAMESPACES, "attaching the base");
}

/* A directory, file or link of the base's /etc. */
static void copy_etc(const struct table *t, int etc, const char *name)
{
    char to[COMPONENT_BYTES + 8];
    struct stat st;
    snprintf(to, sizeof to, "etc/%s", name);
    if (fstatat(etc, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (S_ISLNK(st.st_mode)) {
        copy_link(t, etc, name, to);
    } else if (S_ISDIR(st.st_mode)) {
        AUTO_FD dir = openat(etc, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (dir >= 0)
            mount_tree(t, dir, to);
    } else if (S_ISREG(st.st_mode)) {
        AUTO_FD fd = openat(etc, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        AUTO_FREE uint8_t *data = NULL;
        size_t len = 0;
        if (fd >= 0 && fd_read_all(fd, BOX_ETC_BYTES, &data, &len) == 0)
            write_file(t, to, data, len);
    }
}

static bool etc_wanted(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(etc_names); i++)
        if (fnmatch(etc_names[i], name, FNM_PERIOD) == 0)
            return true;
    return false;
}

static void private_etc(const struct table *t, int base)
{
    if (mkdirat(t->root, "etc", 0755) < 0)
        inside_fail(t->plan, CONTROL_NAMESPACES, "making /etc");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        write_file(t, texts[i].path, texts[i].text, strlen(texts[i].text));
    int etc = openat(base, "etc", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = etc < 0 ? NULL : fdopendir(etc);
    if (!dir) {
        fd_close(&etc);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (etc_wanted(entry->d_name))
            copy_etc(t, etc, entry->d_name);
    closedir(dir);
}

static void base_trees(const struct table *t, int base)
{
    for (size_t i = 0; i < ARRAY_LEN(trees); i++) {
        struct stat st;
        if (fstatat(base, trees[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISLNK(st.st_mode)) {
            copy_link(t, base, trees[i], trees[i]);
        } else if (S_ISDIR(st.st_mode)) {
            AUTO_FD tree = openat(base, trees[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (tree < 0)
                inside_fail(t->plan, CONTROL_NAMESPACES, "opening the base");
            mount_tree(t, tree, trees[i]);
        }
    }
}

/* Single device files, each checked to be what its name says. */
static void private_dev(const struct table *t, int dev)
{
    char path[32];
    for (size_t i = 0; i < ARRAY_LEN(devices); i++) {
        struct stat st;
        AUTO_FD node = openat(dev, devices[i].name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (node < 0 || fstat(node, &st) < 0)
            inside_fail(t->plan, CONTROL_NAMESPACES, "opening a device for the private /dev");
        errno = ENODEV;
        if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, devices[i].minor))
            inside_fail(t->plan, CONTROL_NAMESPACES, "a device of the host's /dev is not what its name says");
        snprintf(path, sizeof path, "dev/%s", devices[i].name);
        make_place(t, path, true);
        AUTO_FD one = sys_clone_tree(node, 0);
        if (one < 0 || sys_mount_attr(one, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC) < 0)
            inside_fail(t->plan, CONTROL_NAMESPACES, "cloning a device");
        attach(t, one, path, CONTROL_NAMESPACES, "attaching a device");
    }
    for (size_t i = 0; i < ARRAY_LEN(links); i++)
        if (symlinkat(links[i].target, t->root, links[i].path) < 0)
            inside_fail(t->plan, CONTROL_NAMESPACES, "making a link of the box's own layout");
}

/* The host's device files are one object for all who open them, and a lock or a watch on one can be seen by others. So
 * root makes its own; where it may not, and for ordinary users, they are the host's. */
int inside_own_devices(void)
{
    AUTO_FD fs = sys_fsopen("tmpfs");
    if (fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", "0755") < 0 ||
        sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        return -1;
    int dir = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    for (size_t i = 0; dir >= 0 && i < ARRAY_LEN(devices); i++)
        if (mknodat(dir, devices[i].name, S_IFCHR | 0666, makedev(1, devices[i].minor)) < 0)
            fd_close(&dir);
    return dir;
}

int inside_open_input(const struct box_plan *plan, const struct box_input *in)
{
    char parent[PATH_BYTES + 1];
    struct stat st;
    AUTO_FD fd = open(in->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        inside_fail(plan, CONTROL_INPUTS, "opening an input");
    errno = ESTALE;
    if (st.st_dev != in->dev || st.st_ino != in->ino)
        inside_fail(plan, CONTROL_INPUTS, "an input was replaced while the box was set up");
    int out = fd;
    if (!in->directory) {
        snprintf(parent, sizeof parent, "%s", in->path);
        *(strrchr(parent, '/') + 1) = 0;
        out = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (out < 0)
            inside_fail(plan, CONTROL_INPUTS, "opening the directory of an input");
        return out;
    }
    fd = -1;
    return out;
}

/* Attaches a mount where nobody can go: only what is attached in our own mount namespace can be a layer or be cloned. */
static int hidden_place(const struct table *t, int mount_fd, const char *dir, size_t i)
{
    char path[32];
    snprintf(path, sizeof path, "%s/%zu", dir, i);
    if ((mkdirat(t->root, dir, 0) < 0 && errno != EEXIST) || mkdirat(t->root, path, 0) < 0)
        inside_fail(t->plan, CONTROL_INPUTS, "making the place of an input's view");
    attach(t, mount_fd, path, CONTROL_INPUTS, "attaching an input's view");
    int fd = openat(t->root, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        inside_fail(t->plan, CONTROL_INPUTS, "opening an input's view");
    return fd;
}

/* What was made of it has a private copy; the attached one goes. */
static void drop_place(const struct table *t, int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (umount2(path, MNT_DETACH) < 0)
        inside_fail(t->plan, CONTROL_INPUTS, "detaching an input's view");
}

/* A single file is shown through the overlay of its directory, so that locks on it stay inside as well. */
static void attach_file(const struct table *t, int view, const struct box_input *in, size_t i)
{
    const char *name = strrchr(in->path, '/') + 1;
    AUTO_FD place = hidden_place(t, view, ".view", i);
    AUTO_FD file = openat(place, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    AUTO_FD one = file < 0 ? -1 : sys_clone_tree(file, 0);
    if (one < 0)
        inside_fail(t->plan, CONTROL_INPUTS, "a single file as an input");
    attach(t, one, in->at + 1, CONTROL_INPUTS, "attaching an input file");
    drop_place(t, place);
}

static void attach_copy(const struct table *t, int view, const struct box_input *in, size_t i)
{
    const struct run_limits *l = &t->plan->run->limits;
    AUTO_FD tree = tmpfs_mount(t->plan, l->has_scratch ? l->scratch : BOX_COPY_BYTES, l->has_inodes ? l->inodes : BOX_COPY_INODES,
                               "0755", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, CONTROL_INPUTS);
    if (!in->directory) {
        inside_copy_file(t->plan, view, tree, strrchr(in->path, '/') + 1);
        attach_file(t, tree, in, i);
        return;
    }
    inside_copy_tree(t->plan, view, tree, 0);
    attach(t, tree, in->at + 1, CONTROL_INPUTS, "attaching the copy of an input");
}

static void mount_input(const struct table *t, const struct box_input *in, int fd, size_t i)
{
    const char *at = in->at + 1;
    make_place(t, at, !in->directory);
    bool off = (t->plan->off & (1u << CONTROL_INPUTS)) != 0;
    AUTO_FD view = off ? sys_clone_tree(fd, 0) : overlay(t, fd);
    if (view < 0)
        inside_fail(t->plan, CONTROL_INPUTS, "an input as a read-only overlay (are other filesystems mounted in it?)");
    if (in->copy)
        attach_copy(t, view, in, i);
    else if (in->directory)
        attach(t, view, at, CONTROL_INPUTS, "attaching an input");
    else
        attach_file(t, view, in, i);
}

static void attach_root(const struct box_plan *plan, int root)
{
    for (size_t i = 0; i < ARRAY_LEN(staging); i++) {
        AUTO_FD at = open(staging[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at >= 0 && sys_attach(root, at) == 0)
            return;
    }
    inside_fail(plan, CONTROL_NAMESPACES, "attaching the new root");
}

static int private_scratch(const struct table *t)
{
    const struct run_limits *l = &t->plan->run->limits;
    bool sized = l->has_scratch && !(t->plan->off & (1u << CONTROL_SCRATCH_SIZE));
    bool counted = l->has_inodes && !(t->plan->off & (1u << CONTROL_INODES));
    AUTO_FD mounted = tmpfs_mount(t->plan, sized ? l->scratch : 0, counted ? l->inodes : 0, "0700",
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, CONTROL_SCRATCH_SIZE);
    if (mkdirat(t->root, "scratch", 0700) < 0)
        inside_fail(t->plan, CONTROL_SCRATCH_SIZE, "making /scratch");
    attach(t, mounted, "scratch", CONTROL_SCRATCH_SIZE, "attaching the scratch");
    if (mkdirat(mounted, ".tmp", 0700) < 0 || mkdirat(mounted, ".shm", 0700) < 0)
        inside_fail(t->plan, CONTROL_SCRATCH_SIZE, "making the temporary directories of the scratch");
    /* the broker gets a clone of its own: what the job could mount over the scratch is not in it */
    AUTO_FD clone = sys_clone_tree(mounted, 0);
    if (clone < 0)
        inside_fail(t->plan, CONTROL_CLEANUP, "cloning the scratch for the broker");
    inside_send(t->plan, BOX_SCRATCH, 0, CONTROL_CLEANUP, "", clone);
    int out = mounted;
    mounted = -1;
    return out;
}

void inside_private_mounts(const struct box_plan *plan)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        inside_fail(plan, CONTROL_NAMESPACES,
                    errno == EINVAL ? "making the mount namespace private (in a chroot, where / is no mount)"
                                    : "making the mount namespace private");
}

int inside_mounts(const struct box_plan *plan, int *scratch)
{
    struct table t = {.plan = plan};
    int inputs[BOX_INPUTS_MAX];
    inside_private_mounts(plan);
    AUTO_FD base = plan->base_host           ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
                   : plan->base.lower >= 0 ? -1
                                           : inside_open_input(plan, &plan->base);
    AUTO_FD dev = plan->own_dev >= 0 ? -1 : open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if ((base < 0 && plan->base.lower < 0) || (dev < 0 && plan->own_dev < 0))
        inside_fail(plan, CONTROL_NAMESPACES, "opening the base");
    for (size_t i = 0; i < plan->inputs_n; i++)
        inputs[i] = plan->inputs[i].lower >= 0 || plan->inputs[i].fetched ? -1 : inside_open_input(plan, &plan->inputs[i]);
    t.root = tmpfs_mount(plan, BOX_ROOT_BYTES, BOX_ROOT_INODES, "0755", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                         CONTROL_NAMESPACES);
    attach_root(plan, t.root);
    if (mkdirat(t.root, ".empty", 0555) < 0 || mkdirat(t.root, "proc", 0555) < 0 || mkdirat(t.root, "dev", 0755) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "making the directories of the new root");
    t.empty = openat(t.root, ".empty", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (base < 0)
        base = hidden_place(&t, plan->base.lower, ".lower", plan->inputs_n);
    base_trees(&t, base);
    private_etc(&t, base);
    if (plan->base.lower >= 0)
        drop_place(&t, base);
    if (dev < 0)
        dev = hidden_place(&t, plan->own_dev, ".lower", plan->inputs_n + 1);
    private_dev(&t, dev);
    if (plan->own_dev >= 0)
        drop_place(&t, dev);
    *scratch = private_scratch(&t);
    for (size_t i = 0; i < plan->inputs_n; i++) {
        bool detached = inputs[i] < 0;
        if (detached)
            inputs[i] = hidden_place(&t, plan->inputs[i].fetched ? plan->fetched : plan->inputs[i].lower, ".lower", i);
        mount_input(&t, &plan->inputs[i], inputs[i], i);
        if (detached)
            drop_place(&t, inputs[i]);
        fd_close(&inputs[i]);
    }
    fd_close(&t.empty);
    return t.root;
}

/* The mutant of the probes sees its host's processes. */
static int host_proc(const struct box_plan *plan)
{
    AUTO_FD host = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int view = host < 0 ? -1 : sys_clone_tree(host, AT_RECURSIVE);
    if (view < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "showing the host's /proc");
    return view;
}

static int private_proc(const struct box_plan *plan)
{
    AUTO_FD fs = sys_fsopen("proc");
    if (fs < 0 || sys_fsconfig(fs, FSCONFIG_SET_STRING, "hidepid", "invisible") < 0 ||
        sys_fsconfig(fs, FSCONFIG_SET_STRING, "subset", "pid") < 0 ||
        sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "a private /proc");
    int proc = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (proc < 0)
        inside_fail(plan, CONTROL_NAMESPACES,
                    errno == EPERM ? "a private /proc (this container hides parts of its own)" : "mounting a private /proc");
    return proc;
}

void inside_pivot(const struct box_plan *plan, int root)
{
    AUTO_FD proc = plan->off & (1u << CONTROL_NAMESPACES) ? host_proc(plan) : private_proc(plan);
    AUTO_FD at = openat(root, "proc", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (proc < 0 || at < 0 || sys_attach(proc, at) < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "attaching the private /proc");
    /* the old root is stacked over the new one and taken away; without the last chdir it would stay reachable */
    if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        inside_fail(plan, CONTROL_NAMESPACES, "entering the new root");
    if (!(plan->off & (1u << CONTROL_SCRATCH_ONLY)) && sys_mount_attr(root, 0, READ_ONLY) < 0)
        inside_fail(plan, CONTROL_SCRATCH_ONLY, "making the new root read-only");
}
