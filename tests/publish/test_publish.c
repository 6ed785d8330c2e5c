/* SPDX-License-Identifier: ISC */
#include "publish/publish.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/fd.h"
#include "base/item.h"
#include "base/limits.h"
#include "tests/collect/scratch.h"

/* The tests' own judge: publish knows a clearance by these two questions alone. */
struct clearance {
    struct digest digest;
    bool executable;
};

bool clearance_covers(const struct clearance *clearance, const struct digest *digest)
{
    return clearance->digest.bytes == digest->bytes && sha256_equal(clearance->digest.sha256, digest->sha256);
}

bool clearance_executable(const struct clearance *clearance)
{
    return clearance->executable;
}

static struct scratch s;
static struct destination d;

static void setup(void)
{
    s = scratch_new();
    cr_assert_eq(destination_open(&d, s.path, false), 0, "%s", strerror(errno));
}

static void teardown(void)
{
    destination_close(&d);
    scratch_free(&s);
}

TestSuite(publish, .init = setup, .fini = teardown);

/* A copied item of this text, staged by the given way. */
static struct item item_of(const char *path, const char *text)
{
    struct item item = {.path = strdup(path), .fd = -1, .staged = -1, .copied = true};
    struct digest_state *state = digest_new();
    digest_update(state, text, strlen(text));
    digest_final(state, &item.digest);
    digest_free(&state);
    item.source.known = true;
    item.source.mtime_ns = 1500000000LL * 1000000000 + 7;
    return item;
}

static int fill(int fd, const char *text)
{
    cr_assert_geq(fd, 0, "%s", strerror(errno));
    cr_assert_eq(fd_write_full(fd, text, strlen(text)), 0);
    return fd;
}

static int place(struct publish *p, const char *dir, const char *path, const char *text, bool in_place)
{
    struct item item = item_of(path, text);
    struct clearance leave = {.digest = item.digest};
    int fd = fill(in_place ? publish_stage_at(p, dir, path) : publish_stage(p), text);
    int result = publish_place(p, dir, &item, &leave, &fd);
    int error = errno;
    cr_assert_eq(fd, -1);
    item_clear(&item);
    errno = error;
    return result;
}

static void expect_text(const char *path, const char *text)
{
    char have[64];
    scratch_get(&s, path, have, sizeof(have));
    cr_assert_str_eq(have, text);
}

/* Staging directories in the destination; the last one's name is kept. */
static size_t stagings(char last[64])
{
    size_t n = 0;
    DIR *list = opendir(s.path);
    const struct dirent *e;
    while ((e = readdir(list)))
        if (strncmp(e->d_name, ".sallyport-", 11) == 0 && ++n > 0 && last)
            snprintf(last, 64, "%.40s", e->d_name);
    closedir(list);
    return n;
}

static size_t leftovers(void)
{
    return stagings(NULL);
}

static void check_bag(bool unnamed, bool in_place)
{
    struct stat st;
    d.unnamed = unnamed;
    struct publish *p = publish_begin(&d);
    cr_assert_not_null(p);
    cr_assert_eq(place(p, "data", "a/b/c.txt", "one", in_place), 0, "%s", strerror(errno));
    cr_assert_eq(place(p, "data", "a/d.txt", "two", in_place), 0);
    cr_assert_eq(publish_write(p, "bagit.txt", "three", 5), 0);
    cr_assert_eq(publish_directory(p, "empty/dir"), 0);
    cr_assert_eq(fstatat(s.fd, "bag-1", &st, 0), -1);
    cr_assert_eq(publish_commit(p, "bag-1"), 0, "%s", strerror(errno));
    publish_end(&p);
    cr_assert_null(p);
    expect_text("bag-1/data/a/b/c.txt", "one");
    expect_text("bag-1/bagit.txt", "three");
    cr_assert_eq(fstatat(s.fd, "bag-1/data/a/b/c.txt", &st, 0), 0);
    cr_assert_eq(st.st_mode, S_IFREG | 0444u);
    cr_assert_eq(st.st_nlink, 1u);
    cr_assert_eq(st.st_mtim.tv_sec, 1500000000);
    cr_assert_eq(st.st_mtim.tv_nsec, 7);
    cr_assert_eq(fstatat(s.fd, "bag-1/data/a", &st, 0), 0);
    cr_assert_eq(st.st_mode, S_IFDIR | 0755u);
    cr_assert_eq(fstatat(s.fd, "bag-1", &st, 0), 0);
    cr_assert_eq(st.st_mode, S_IFDIR | 0755u);
    cr_assert_eq(leftovers(), 0u);
}

Test(publish, a_bag_of_named_files_appears_whole)
{
    check_bag(false, false);
}

Test(publish, a_bag_of_unnamed_files_appears_whole)
{
    cr_assert(d.grade.tmpfile);
    check_bag(true, false);
}

Test(publish, a_bag_of_files_born_in_place_appears_whole)
{
    check_bag(false, true);
}

Test(publish, without_noreplace_the_ladder_gives_the_same)
{
    d.grade.noreplace = false;
    check_bag(false, false);
    struct publish *p = publish_begin(&d);
    FAILS(publish_commit(p, "bag-1"), EEXIST);
    publish_end(&p);
    expect_text("bag-1/bagit.txt", "three");
}

Test(publish, without_syncfs_each_file_is_synced)
{
    d.grade.syncfs = false;
    check_bag(false, false);
}

#ifdef __linux__
static size_t threads(void)
{
    size_t n = 0;
    DIR *list = opendir("/proc/self/task");
    cr_assert_not_null(list);
    for (struct dirent *e; (e = readdir(list)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(list);
    return n;
}

/* A failed write is told to the first who syncs the file: that must be the sync at the end. */
Test(publish, without_syncfs_nothing_is_synced_early)
{
    d.grade.syncfs = false;
    struct publish *p = publish_begin(&d);
    int staged = publish_stage(p);
    size_t before = threads();
    publish_copied(p, staged, 2 * WRITE_OUT_FILE);
    cr_assert_eq(threads(), before);
    d.grade.syncfs = true;
    publish_copied(p, staged, 2 * WRITE_OUT_FILE);
    cr_assert_eq(threads(), before + 1);
    publish_discard(p, &staged);
    publish_end(&p);
}
#endif

Test(publish, a_taken_name_is_left_alone_whatever_it_is)
{
    static const char *const taken[] = {"file", "dir", "dangling", "fifo"};
    struct stat before, after;
    scratch_text(&s, "file", "mine");
    scratch_dir(&s, "dir");
    cr_assert_eq(symlinkat("nowhere", s.fd, "dangling"), 0);
    cr_assert_eq(mkfifoat(s.fd, "fifo", 0600), 0);
    for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
        struct publish *p = publish_begin(&d);
        cr_assert_eq(fstatat(s.fd, taken[i], &before, AT_SYMLINK_NOFOLLOW), 0);
        cr_assert_eq(place(p, "data", "a.txt", "x", false), 0);
        FAILS(publish_commit(p, taken[i]), EEXIST);
        publish_end(&p);
        cr_assert_eq(fstatat(s.fd, taken[i], &after, AT_SYMLINK_NOFOLLOW), 0);
        cr_assert_eq(before.st_ino, after.st_ino);
        cr_assert_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    }
    cr_assert_eq(leftovers(), 0u);
}

Test(publish, names_of_bags_are_one_component)
{
    struct publish *p = publish_begin(&d);
    cr_assert_eq(publish_commit(p, "../x"), -1);
    cr_assert_eq(publish_commit(p, "a/b"), -1);
    cr_assert_eq(publish_commit(p, ""), -1);
    publish_end(&p);
}

Test(publish, leave_for_other_bytes_is_no_leave)
{
    struct item item = item_of("a.txt", "good");
    struct clearance other = {.digest = item.digest};
    struct publish *p = publish_begin(&d);
    other.digest.sha256[31] ^= 1;
    int fd = fill(publish_stage(p), "good");
    FAILS(publish_place(p, "data", &item, &other, &fd), EPERM);
    cr_assert_eq(fd, -1);
    fd = fill(publish_stage(p), "good");
    cr_assert_eq(publish_place(p, "data", &item, NULL, &fd), -1);
    other.digest = item.digest;
    fd = fill(publish_stage(p), "good and more");
    FAILS(publish_place(p, "data", &item, &other, &fd), EPERM);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    cr_assert_eq(faccessat(s.fd, "bag/data", F_OK, 0), -1);
    item_clear(&item);
}

Test(publish, a_file_born_in_place_and_forgotten_stops_the_commit)
{
    struct publish *p = publish_begin(&d);
    int fd = fill(publish_stage_at(p, "data", "a.txt"), "refused");
    close(fd);
    FAILS(publish_commit(p, "bag"), EBUSY);
    publish_end(&p);
    p = publish_begin(&d);
    fd = fill(publish_stage_at(p, "data", "a.txt"), "refused");
    publish_discard(p, &fd);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    cr_assert_eq(faccessat(s.fd, "bag/data/a.txt", F_OK, 0), -1);
}

Test(publish, a_refused_file_takes_its_directories_along)
{
    struct publish *p = publish_begin(&d);
    int one = fill(publish_stage_at(p, "data", "a/b/one"), "refused");
    int two = fill(publish_stage_at(p, "data", "a/two"), "refused");
    cr_assert_eq(place(p, "data", "a/b/good", "good", true), 0);
    publish_discard(p, &one);
    cr_assert_eq(place(p, "data", "a/b/good2", "good", true), 0);
    publish_discard(p, &two);
    one = fill(publish_stage_at(p, "data", "x/y/z"), "refused");
    publish_discard(p, &one);
    cr_assert_eq(place(p, "data", "x/y2/z", "good", true), 0);
    cr_assert_eq(publish_commit(p, "bag"), 0, "%s", strerror(errno));
    publish_end(&p);
    expect_text("bag/data/a/b/good2", "good");
    expect_text("bag/data/x/y2/z", "good");
    cr_assert_eq(faccessat(s.fd, "bag/data/x/y", F_OK, 0), -1);
}

Test(publish, a_second_file_of_a_name_is_refused)
{
    struct publish *p = publish_begin(&d);
    cr_assert_eq(place(p, "data", "a.txt", "one", false), 0);
    FAILS(place(p, "data", "a.txt", "two", false), EEXIST);
    cr_assert_eq(place(p, "data", "a.txt", "two", true), -1);
    FAILS(place(p, "data", "../a.txt", "two", false), EINVAL);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    expect_text("bag/data/a.txt", "one");
}

Test(publish, inspection_gets_a_descriptor_that_cannot_write)
{
    struct publish *p = publish_begin(&d);
    for (int way = 0; way < 3; way++) {
        char text[8] = "";
        d.unnamed = way == 1;
        int fd = fill(way == 2 ? publish_stage_at(p, "data", "x") : publish_stage(p), "hello");
        int again = publish_reopen(p, fd);
        cr_assert_geq(again, 0, "way %d", way);
        cr_assert_eq(read(again, text, sizeof(text)), 5);
        cr_assert_eq(write(again, "x", 1), -1);
        close(again);
        publish_discard(p, &fd);
    }
    publish_end(&p);
}

Test(publish, the_time_of_the_build_wins_over_the_source_s)
{
    struct stat st;
    struct publish *p = publish_begin(&d);
    publish_set_time(p, 1234567890);
    cr_assert_eq(place(p, "data", "a.txt", "one", false), 0);
    cr_assert_eq(publish_write(p, "bagit.txt", "x", 1), 0);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    cr_assert_eq(fstatat(s.fd, "bag/data/a.txt", &st, 0), 0);
    cr_assert_eq(st.st_mtim.tv_sec, 1234567890);
    cr_assert_eq(fstatat(s.fd, "bag/bagit.txt", &st, 0), 0);
    cr_assert_eq(st.st_mtim.tv_sec, 1234567890);
}

Test(publish, times_before_the_epoch_keep_their_order)
{
    struct stat st;
    struct item item = item_of("a.txt", "x");
    struct clearance leave = {.digest = item.digest, .executable = true};
    struct publish *p = publish_begin(&d);
    int fd = fill(publish_stage(p), "x");
    item.source.mtime_ns = -1500000000;
    cr_assert_eq(publish_place(p, "", &item, &leave, &fd), 0, "%s", strerror(errno));
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    cr_assert_eq(fstatat(s.fd, "bag/a.txt", &st, 0), 0);
    cr_assert_eq(st.st_mtim.tv_sec, -2);
    cr_assert_eq(st.st_mtim.tv_nsec, 500000000);
    cr_assert_eq(st.st_mode & 07777, 0555u);
    item_clear(&item);
}

Test(publish, a_second_target_gets_a_checked_copy)
{
    struct item item = item_of("a.txt", "good");
    struct clearance leave = {.digest = item.digest};
    struct publish *p = publish_begin(&d);
    scratch_text(&s, "source", "good");
    scratch_text(&s, "changed", "evil");
    int good = openat(s.fd, "source", O_RDONLY), changed = openat(s.fd, "changed", O_RDONLY);
    cr_assert_eq(publish_copy(p, "", &item, &leave, changed), -1);
    cr_assert_eq(publish_copy(p, "", &item, &leave, good), 0, "%s", strerror(errno));
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    expect_text("bag/a.txt", "good");
    close(good);
    close(changed);
    item_clear(&item);
}

Test(publish, what_is_held_is_readable_by_its_owner_alone)
{
    struct stat st;
    struct item item = item_of("d/a.txt", "refused");
    struct publish *p = publish_begin(&d);
    int fd = fill(publish_stage(p), "refused");
    cr_assert_eq(publish_keep(p, "", &item, fd), 0, "%s", strerror(errno));
    publish_discard(p, &fd);
    cr_assert_eq(publish_commit(p, "held-1"), 0);
    publish_end(&p);
    expect_text("held-1/d/a.txt", "refused");
    cr_assert_eq(fstatat(s.fd, "held-1", &st, 0), 0);
    cr_assert_eq(st.st_mode & 07777, 0700u);
    cr_assert_eq(fstatat(s.fd, "held-1/d", &st, 0), 0);
    cr_assert_eq(st.st_mode & 07777, 0700u);
    cr_assert_eq(fstatat(s.fd, "held-1/d/a.txt", &st, 0), 0);
    cr_assert_eq(st.st_mode & 07777, 0600u);
    item_clear(&item);
}

Test(publish, inherited_rules_do_not_reach_what_is_published)
{
    char command[256];
    struct stat st;
    snprintf(command, sizeof(command), "setfacl -d -m u:12345:rwx '%s' && chmod g+s '%s'", s.path, s.path);
    cr_assert_eq(system(command), 0);
    destination_close(&d);
    cr_assert_eq(destination_open(&d, s.path, false), 0);
    struct publish *p = publish_begin(&d);
    mode_t old = umask(077);
    cr_assert_eq(place(p, "data", "a/b.txt", "x", false), 0);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    umask(old);
    publish_end(&p);
    static const char *const made[] = {"bag", "bag/data", "bag/data/a", "bag/data/a/b.txt"};
    for (size_t i = 0; i < ARRAY_LEN(made); i++) {
        int fd = openat(s.fd, made[i], O_RDONLY);
        cr_assert_geq(fd, 0);
        cr_assert_eq(fgetxattr(fd, "system.posix_acl_access", NULL, 0), -1, "%s", made[i]);
        cr_assert_eq(fgetxattr(fd, "system.posix_acl_default", NULL, 0), -1, "%s", made[i]);
        cr_assert_eq(fstat(fd, &st), 0);
        cr_assert_eq(st.st_mode & 07777, S_ISDIR(st.st_mode) ? 0755u : 0444u, "%s", made[i]);
        close(fd);
    }
}

Test(publish, a_captured_file_lies_in_private_and_is_not_published)
{
    struct stat st;
    struct publish *p = publish_begin(&d);
    int dir = publish_private(p, "capture");
    cr_assert_geq(dir, 0);
    cr_assert_eq(fstat(dir, &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0700u);
    close(openat(dir, "stdout", O_CREAT | O_WRONLY, 0600));
    close(dir);
    cr_assert_eq(publish_private(p, "../x"), -1);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    cr_assert_eq(leftovers(), 0u);
    cr_assert_eq(faccessat(s.fd, "bag/stdout", F_OK, 0), -1);
}

/* ---- trees ---- */

Test(publish, a_tree_joins_what_is_there)
{
    struct publish *p = publish_begin(&d);
    scratch_dir(&s, "lib");
    scratch_text(&s, "lib/old.txt", "old");
    cr_assert_eq(place(p, "", "lib/new.txt", "new", false), 0);
    cr_assert_eq(place(p, "", "fresh/deep/x.txt", "x", false), 0);
    cr_assert_eq(publish_commit_tree(p, ""), 0, "%s", strerror(errno));
    publish_end(&p);
    expect_text("lib/old.txt", "old");
    expect_text("lib/new.txt", "new");
    expect_text("fresh/deep/x.txt", "x");
    cr_assert_eq(leftovers(), 0u);
}

Test(publish, a_part_of_staging_can_be_the_tree)
{
    struct publish *p = publish_begin(&d);
    cr_assert_eq(place(p, "tree", "x.txt", "x", true), 0);
    cr_assert_eq(publish_commit_tree(p, "tree"), 0, "%s", strerror(errno));
    publish_end(&p);
    expect_text("x.txt", "x");
}

Test(publish, a_tree_replaces_nothing_and_leaves_nothing)
{
    struct publish *p = publish_begin(&d);
    scratch_dir(&s, "lib");
    scratch_text(&s, "lib/z.txt", "old");
    cr_assert_eq(place(p, "", "a.txt", "new", false), 0);
    cr_assert_eq(place(p, "", "lib/z.txt", "new", false), 0);
    FAILS(publish_commit_tree(p, ""), EEXIST);
    publish_end(&p);
    expect_text("lib/z.txt", "old");
    cr_assert_eq(faccessat(s.fd, "a.txt", F_OK, 0), -1);
    cr_assert_eq(leftovers(), 0u);
}

Test(publish, a_tree_does_not_go_through_a_link)
{
    struct publish *p = publish_begin(&d);
    scratch_dir(&s, "real");
    cr_assert_eq(symlinkat("real", s.fd, "lib"), 0);
    cr_assert_eq(place(p, "", "lib/a.txt", "new", false), 0);
    cr_assert_eq(publish_commit_tree(p, ""), -1);
    publish_end(&p);
    cr_assert_eq(faccessat(s.fd, "real/a.txt", F_OK, 0), -1);
}

/* By hand what publish_commit_tree does, up to the middle. */
static int half_a_tree(int stage)
{
    char journal[128];
    size_t n = (size_t)snprintf(journal, sizeof(journal), "d1 fresh") + 1;
    static const char *const files[] = {"fresh/a.txt", "fresh/b.txt"};
    if (renameat(stage, "bag", stage, "tree") < 0)
        return 3;
    int tree = openat(stage, "tree", O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct stat st;
        if (fstatat(tree, files[i], &st, 0) < 0)
            return 4;
        n += (size_t)snprintf(journal + n, sizeof(journal) - n, "f%llu %s", (unsigned long long)st.st_ino,
                              files[i]) +
             1;
    }
    int fd = openat(stage, "moved", O_WRONLY | O_CREAT, 0600);
    if (fd_write_full(fd, journal, n) < 0 || mkdirat(s.fd, "fresh", 0755) < 0)
        return 5;
    return renameat(tree, files[0], s.fd, files[0]) < 0 ? 6 : 0;
}

static int die_in_the_middle(void)
{
    char name[64];
    struct destination mine;
    if (destination_open(&mine, s.path, false) < 0)
        return 1;
    struct publish *p = publish_begin(&mine);
    if (!p || stagings(name) != 1 || place(p, "", "fresh/a.txt", "new", false) < 0 ||
        place(p, "", "fresh/b.txt", "new", false) < 0)
        return 2;
    return half_a_tree(openat(s.fd, name, O_RDONLY | O_DIRECTORY));
}

static void have_died(void)
{
    int status;
    destination_close(&d);
    pid_t child = fork();
    if (child == 0)
        _exit(die_in_the_middle());
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "status %x", (unsigned)status);
    expect_text("fresh/a.txt", "new");
}

Test(publish, what_others_put_in_place_of_a_moved_file_stays_theirs)
{
    have_died();
    scratch_text(&s, "theirs", "theirs");
    cr_assert_eq(renameat(s.fd, "theirs", s.fd, "fresh/a.txt"), 0);
    cr_assert_eq(destination_open(&d, s.path, false), 0);
    expect_text("fresh/a.txt", "theirs");
    cr_assert_eq(leftovers(), 1u);
}

Test(publish, a_tree_whose_run_died_is_taken_back)
{
    have_died();
    scratch_text(&s, "keep.txt", "mine");
    cr_assert_eq(destination_open(&d, s.path, false), 0);
    cr_assert_eq(faccessat(s.fd, "fresh", F_OK, 0), -1);
    expect_text("keep.txt", "mine");
    cr_assert_eq(leftovers(), 1u); /* only what this run measured with */
}

/* ---- destinations ---- */

Test(publish, this_filesystem_grades_as_it_is)
{
    cr_assert(d.grade.noreplace);
    cr_assert(d.grade.modes);
    cr_assert(d.grade.dir_sync);
    cr_assert_not(d.grade.shared);
    cr_assert_neq(d.grade.filesystem[0], 0);
}

Test(publish, a_destination_that_others_can_write_to_needs_a_word)
{
    struct destination other;
    cr_assert_eq(chmod(s.path, 0777), 0);
    FAILS(destination_open(&other, s.path, false), EACCES);
    cr_assert_eq(destination_open(&other, s.path, true), 0);
    cr_assert(other.grade.shared);
    destination_close(&other);
}

Test(publish, a_missing_destination_is_made_and_unmade_where_nothing_came)
{
    char path[96];
    struct stat st;
    struct destination other;
    mode_t old = umask(077);
    snprintf(path, sizeof(path), "%s/x/y", s.path);
    cr_assert_eq(destination_open(&other, path, false), 0, "%s", strerror(errno));
    umask(old);
    cr_assert(other.created);
    cr_assert_eq(fstatat(s.fd, "x/y", &st, 0), 0);
    cr_assert_eq(st.st_mode & 07777, 0755u);
    destination_close(&other);
    cr_assert_eq(fstatat(s.fd, "x/y", &st, 0), -1);
}

Test(publish, leftovers_of_the_dead_go_and_those_of_the_living_stay)
{
    struct destination other;
    scratch_dir(&s, ".sallyport-0123456789abcdef");
    cr_assert_eq(fchmodat(s.fd, ".sallyport-0123456789abcdef", 0700, 0), 0);
    scratch_text(&s, ".sallyport-0123456789abcdef/1", "dead");
    scratch_dir(&s, ".sallyport-notes");
    scratch_dir(&s, ".sallyport-fedcba9876543210"); /* 0755: not one of ours */
    cr_assert_eq(destination_open(&other, s.path, false), 0);
    cr_assert_eq(faccessat(s.fd, ".sallyport-0123456789abcdef", F_OK, 0), -1);
    cr_assert_eq(faccessat(s.fd, ".sallyport-notes", F_OK, 0), 0);
    cr_assert_eq(faccessat(s.fd, ".sallyport-fedcba9876543210", F_OK, 0), 0);
    struct publish *p = publish_begin(&d); /* opened before, still alive */
    cr_assert_eq(place(p, "data", "a.txt", "x", false), 0);
    cr_assert_eq(publish_commit(p, "bag"), 0);
    publish_end(&p);
    destination_close(&other);
}

Test(publish, the_destination_s_lock_has_one_holder)
{
    int held = destination_lock(&d, false);
    cr_assert_geq(held, 0);
    FAILS(destination_lock(&d, false), EWOULDBLOCK);
    close(held);
    held = destination_lock(&d, true);
    cr_assert_geq(held, 0);
    close(held);
}

Test(publish, a_destination_swapped_under_the_run_gets_nothing)
{
    char other[96];
    struct publish *p = publish_begin(&d);
    cr_assert_eq(place(p, "data", "a.txt", "x", false), 0);
    snprintf(other, sizeof(other), "%s.old", s.path);
    cr_assert_eq(rename(s.path, other), 0);
    cr_assert_eq(mkdir(s.path, 0755), 0);
    FAILS(publish_commit(p, "bag"), ESTALE);
    publish_end(&p);
    cr_assert_eq(rmdir(s.path), 0);
    cr_assert_eq(rename(other, s.path), 0);
}

Test(publish, a_report_is_whole_and_replaces)
{
    char path[96];
    snprintf(path, sizeof(path), "%s/report.json", s.path);
    cr_assert_eq(publish_report_file(path, "one", 3), 0);
    cr_assert_eq(publish_report_file(path, "two", 3), 0);
    expect_text("report.json", "two");
    snprintf(path, sizeof(path), "%s/none/report.json", s.path);
    cr_assert_eq(publish_report_file(path, "x", 1), -1);
}
