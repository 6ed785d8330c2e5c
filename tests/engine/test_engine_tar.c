/* SPDX-License-Identifier: ISC
 * Inputs as a stream: what tar(1) reads of it is the tree, without the ways back to this host that lay in it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/engine_tar.h"

static char dir[] = "/tmp/sallyport-tar-XXXXXX";

static void make_file(const char *name, const char *text, mode_t mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    AUTO_FD fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    cr_assert(fd >= 0 && fd_write_full(fd, text, strlen(text)) == 0 && fchmod(fd, mode) == 0);
}

static void make_tree(char long_name[151])
{
    char path[512];
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    cr_assert(mkdtemp(dir) != NULL);
    make_file("secret", "text\n", 0600);
    make_file("program", "#!\n", 04700);
    memset(long_name, 'n', 150);
    long_name[150] = 0;
    make_file(long_name, "", 0644);
    snprintf(path, sizeof path, "%s/sub", dir);
    cr_assert_eq(mkdir(path, 0700), 0);
    make_file("sub/inner", "deep\n", 0644);
    snprintf(path, sizeof path, "%s/link", dir);
    cr_assert_eq(symlink("sub/inner", path), 0);
    snprintf(path, sizeof path, "%s/fifo", dir);
    cr_assert_eq(mkfifo(path, 0666), 0);
    AUTO_FD s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s/sock", dir);
    cr_assert_eq(bind(s, (const struct sockaddr *)&a, sizeof a), 0);
}

Test(engine_tar, what_tar_reads)
{
    char long_name[151], file[64], command[300], listing[4096] = "";
    make_tree(long_name);
    snprintf(file, sizeof file, "%s.tar", dir);
    AUTO_FD out = open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    AUTO_FD tree = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct tar_writer t = {.out = out};
    cr_assert_eq(tar_directory(&t, tree, ""), 0, "%s", strerror(errno));
    cr_assert_eq(tar_end(&t), 0);
    cr_assert_eq(t.written % 512, 0);
    snprintf(command, sizeof command, "LC_ALL=C tar --numeric-owner -tvf %s 2>&1 && tar -xOf %s sub/inner; rm -rf %s %s", file, file,
             file, dir);
    FILE *p = popen(command, "r");
    cr_assert(p != NULL);
    size_t n = fread(listing, 1, sizeof listing - 1, p);
    listing[n] = 0;
    cr_assert_eq(pclose(p), 0, "%s", listing);
    cr_assert(strstr(listing, "-rw-r--r-- 0/0"), "%s", listing); /* 0600 is readable where it goes */
    cr_assert(strstr(listing, "-rwsr--r-- 0/0"), "%s", listing);
    cr_assert(strstr(listing, "drwxr-xr-x 0/0") && strstr(listing, "link -> sub/inner") && strstr(listing, long_name), "%s", listing);
    cr_assert(strstr(listing, "deep\n"), "%s", listing);
    cr_assert_not(strstr(listing, "fifo") || strstr(listing, "sock"), "%s", listing);
}

Test(engine_tar, bounds)
{
    AUTO_FD null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    AUTO_FD huge = (int)memfd_create("huge", MFD_CLOEXEC);
    AUTO_FD tree = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct tar_writer t = {.out = null, .written = (uint64_t)4 << 30};
    cr_assert_eq(tar_file(&t, huge, "huge"), -1);
    cr_assert_eq(errno, EFBIG);
    t = (struct tar_writer){.out = null, .depth = 64};
    cr_assert_eq(tar_directory(&t, tree, ""), -1);
    cr_assert_eq(errno, ELOOP);
}
