/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>

#include "base/fd.h"
#include "base/item.h"
#include "tests/collect/scratch.h"

/* Every test of opening runs on both tiers: where bugs live is the one that is rarely used. */
static const enum resolve_tier tiers[] = {RESOLVE_OPENAT2, RESOLVE_COMPONENTS};
#define EACH_TIER(i) for (size_t i = 0; i < ARRAY_LEN(tiers); i++)

static struct scratch s;
static struct root root;

static void setup(void)
{
    s = scratch_new();
    scratch_dir(&s, "d");
    scratch_dir(&s, "d/e");
    scratch_text(&s, "a.txt", "hello");
    scratch_text(&s, "d/e/f.txt", "deep");
    cr_assert_eq(symlinkat("a.txt", s.fd, "leaf"), 0);
    cr_assert_eq(symlinkat("d", s.fd, "middle"), 0);
    cr_assert_eq(symlinkat("/etc", s.fd, "out"), 0);
}

static void teardown(void)
{
    scratch_free(&s);
}

static void reopen(enum resolve_tier tier)
{
    cr_assert_eq(root_open(&root, s.path, tier), 0, "%s", strerror(errno));
    cr_assert_eq(root.tier, tier);
}

static int try_open(const char *path)
{
    int fd = root_openat(&root, path, O_RDONLY);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

TestSuite(fd_root, .init = setup, .fini = teardown);

Test(fd_root, plain_files_open_on_both_tiers)
{
    EACH_TIER(i)
    {
        char text[8] = "";
        reopen(tiers[i]);
        int fd = root_openat(&root, "d/e/f.txt", O_RDONLY);
        cr_assert_geq(fd, 0);
        cr_assert_eq(read(fd, text, sizeof(text)), 4);
        cr_assert_str_eq(text, "deep");
        cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        close(fd);
        root_close(&root);
        cr_assert_eq(root.fd, -1);
    }
}

Test(fd_root, a_link_anywhere_is_eloop_on_both_tiers)
{
    EACH_TIER(i)
    {
        reopen(tiers[i]);
        cr_assert_eq(try_open("leaf"), ELOOP);
        cr_assert_eq(try_open("middle/e/f.txt"), ELOOP);
        cr_assert_eq(try_open("out/passwd"), ELOOP);
        cr_assert_eq(try_open("middle"), ELOOP);
        FAILS(root_openat(&root, "middle", O_RDONLY | O_DIRECTORY), ELOOP);
        FAILS(root_openat(&root, "a.txt", O_RDONLY | O_DIRECTORY), ENOTDIR);
        cr_assert_eq(try_open("d/absent"), ENOENT);
        cr_assert_eq(try_open("a.txt/b"), ENOTDIR);
        root_close(&root);
    }
}

Test(fd_root, what_is_no_plain_relative_path_is_refused_before_any_call)
{
    static const char *const paths[] = {"",           "/etc/passwd", ".",    "..", "../x", "d/..",
                                        "d/../a.txt", "./a.txt",     "d//e", "d/", "leaf/"};
    EACH_TIER(i)
    {
        reopen(tiers[i]);
        for (size_t k = 0; k < ARRAY_LEN(paths); k++)
            cr_assert_eq(try_open(paths[k]), EINVAL, "%s", paths[k]);
        root_close(&root);
    }
}

Test(fd_root, a_fifo_never_blocks_the_open)
{
    cr_assert_eq(mkfifoat(s.fd, "fifo", 0600), 0);
    EACH_TIER(i)
    {
        reopen(tiers[i]);
        alarm(5);
        cr_assert_eq(try_open("fifo"), 0);
        alarm(0);
        root_close(&root);
    }
}

Test(fd_root, facts_name_the_link_itself_and_the_mount)
{
    EACH_TIER(i)
    {
        struct source_facts facts;
        reopen(tiers[i]);
        cr_assert_eq(root_facts(&root, "leaf", &facts), 0);
        cr_assert_eq(facts.kind, OBJECT_SYMLINK);
        cr_assert_eq(root_facts(&root, "d/e/f.txt", &facts), 0);
        cr_assert_eq(facts.kind, OBJECT_FILE);
        cr_assert_eq(facts.size, 4u);
        cr_assert_not(root_foreign(&root, &facts));
        FAILS(root_facts(&root, "middle/e/f.txt", &facts), ELOOP);
        cr_assert_eq(root_facts(&root, "d/../a.txt", &facts), -1);
        root_close(&root);
    }
}

Test(fd_root, the_operator_s_own_link_is_followed_and_a_file_is_no_root)
{
    char link[80], file[80];
    snprintf(link, sizeof(link), "%s/middle", s.path);
    snprintf(file, sizeof(file), "%s/a.txt", s.path);
    cr_assert_eq(root_open(&root, link, RESOLVE_UNPROBED), 0);
    cr_assert_eq(try_open("e/f.txt"), 0);
    root_close(&root);
    FAILS(root_open(&root, file, RESOLVE_UNPROBED), ENOTDIR);
    int taken = open(file, O_RDONLY);
    cr_assert_eq(root_adopt(&root, &taken, RESOLVE_UNPROBED), -1);
    cr_assert_eq(taken, -1);
}

Test(fd_root, a_pseudo_filesystem_is_no_scratch)
{
    FAILS(root_open(&root, "/proc/self", RESOLVE_UNPROBED), ENOTSUP);
}

Test(fd_root, beneath_climbs_to_the_top_and_no_further)
{
    struct stat st, other;
    int deep = openat(s.fd, "d/e", O_RDONLY | O_DIRECTORY);
    cr_assert_eq(fstat(s.fd, &st), 0);
    cr_assert_eq(fstatat(s.fd, "d/e", &other, 0), 0);
    cr_assert_eq(fd_beneath(deep, (uint64_t)st.st_dev, (uint64_t)st.st_ino), 1);
    cr_assert_eq(fd_beneath(s.fd, (uint64_t)st.st_dev, (uint64_t)st.st_ino), 1);
    cr_assert_eq(fd_beneath(s.fd, (uint64_t)other.st_dev, (uint64_t)other.st_ino), 0);
    close(deep);
}

Test(fd_root, reopening_gives_the_same_file_for_reading_only)
{
    char text[8] = "";
    int fd = openat(s.fd, "a.txt", O_RDWR);
    int again = fd_reopen_read(fd);
    cr_assert_geq(again, 0);
    cr_assert_eq(read(again, text, sizeof(text)), 5);
    FAILS(write(again, "x", 1), EBADF);
    close(again);
    close(fd);
}

Test(fd_root, a_lease_sees_writers_before_and_during)
{
    int fd = openat(s.fd, "a.txt", O_RDONLY);
    int writer = openat(s.fd, "a.txt", O_WRONLY);
    cr_assert_eq(fd_lease_take(fd), LEASE_WRITER);
    close(writer);
    cr_assert_eq(fd_lease_take(fd), LEASE_HELD);
    cr_assert(fd_lease_intact(fd));
    FAILS(openat(s.fd, "a.txt", O_WRONLY | O_NONBLOCK), EAGAIN);
    cr_assert_not(fd_lease_intact(fd));
    close(fd);
}
