/* SPDX-License-Identifier: ISC */
#include "collect/collect_copy.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

#include "base/limits.h"
#include "tests/collect/scratch.h"

static struct scratch s;
static struct root root;
static struct copy_job job;
static struct item item;
static struct output output;
static int staged;

static void begin(const char *path)
{
    item_clear(&item);
    item.path = strdup(path);
    item.output = &output;
    cr_assert_eq(ftruncate(staged, 0), 0);
    cr_assert_eq(lseek(staged, 0, SEEK_SET), 0);
}

static void setup(void)
{
    s = scratch_new();
    cr_assert_eq(root_open(&root, s.path, RESOLVE_UNPROBED), 0);
    job = (struct copy_job){
        .root = &root, .digest = digest_new(), .block = malloc(COPY_BLOCK), .max = MIB, .total_left = GIB};
    output = (struct output){0};
    item = (struct item){.fd = -1, .staged = -1};
    staged = openat(s.fd, ".staged", O_RDWR | O_CREAT, 0600);
}

static void teardown(void)
{
    item_clear(&item);
    digest_free(&job.digest);
    free(job.block);
    close(staged);
    root_close(&root);
    scratch_free(&s);
}

TestSuite(collect_copy, .init = setup, .fini = teardown);

static void expect_refused(const char *path, enum finding_code code)
{
    begin(path);
    cr_assert_eq(collect_copy(&job, &item, staged), 1, "%s was not refused", path);
    cr_assert_eq(item.findings.n, 1u);
    cr_assert_eq(item.findings.v[0].code, code, "%s: %s (%s)", path,
                 finding_code_name(item.findings.v[0].code), item.findings.v[0].message);
    cr_assert_not(item.copied);
}

static void expect_copied(const char *path)
{
    begin(path);
    int result = collect_copy(&job, &item, staged);
    cr_assert_eq(result, 0, "%s: %d %s", path, result,
                 item.findings.n ? item.findings.v[0].message : strerror(errno));
    cr_assert(item.copied);
    cr_assert_eq(item.findings.n, 0u);
}

Test(collect_copy, bytes_and_digest_are_those_of_the_file)
{
    char have[16] = "";
    uint8_t expected[SHA256_SIZE];
    scratch_text(&s, "a", "hello");
    expect_copied("a");
    cr_assert_eq(pread(staged, have, sizeof(have), 0), 5);
    cr_assert_str_eq(have, "hello");
    sha256_bytes("hello", 5, expected);
    cr_assert(sha256_equal(expected, item.digest.sha256));
    cr_assert_eq(item.digest.bytes, 5u);
    cr_assert_eq(item.stability, STABILITY_LEASED);
    cr_assert(item.source.known);
    cr_assert_eq(item.source.mode & 07777, 0644u);
}

Test(collect_copy, an_empty_and_a_large_file)
{
    const size_t size = 3 * (size_t)COPY_BLOCK + 17;
    AUTO_FREE char *data = malloc(size), *back = malloc(size);
    memset(data, 'x', size);
    scratch_put(&s, "large", data, size);
    scratch_text(&s, "empty", "");
    expect_copied("empty");
    cr_assert_eq(item.digest.bytes, 0u);
    expect_copied("large");
    cr_assert_eq(item.digest.bytes, size);
    cr_assert_eq(pread(staged, back, size, 0), (ssize_t)size);
    cr_assert_eq(memcmp(data, back, size), 0);
    struct stat st;
    cr_assert_eq(fstat(staged, &st), 0);
    cr_assert_eq(st.st_size, (off_t)size);
}

Test(collect_copy, the_bounds_hold_to_the_byte)
{
    scratch_text(&s, "a", "12345");
    job.max = 5;
    expect_copied("a");
    job.max = 4;
    expect_refused("a", FINDING_FILE_TOO_LARGE);
    job.max = 5;
    job.total_left = 4;
    expect_refused("a", FINDING_FILE_TOO_LARGE);
}

Test(collect_copy, a_sparse_bomb_is_refused_before_a_byte_is_read)
{
    struct timespec a, b;
    int fd = openat(s.fd, "bomb", O_WRONLY | O_CREAT, 0644);
    cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
    close(fd);
    clock_gettime(CLOCK_MONOTONIC, &a);
    expect_refused("bomb", FINDING_FILE_TOO_LARGE);
    clock_gettime(CLOCK_MONOTONIC, &b);
    cr_assert_lt(b.tv_sec - a.tv_sec, 2);
}

Test(collect_copy, holes_are_read_as_what_they_are)
{
    char tail[4];
    int fd = openat(s.fd, "sparse", O_WRONLY | O_CREAT, 0644);
    cr_assert_eq(pwrite(fd, "end", 3, 500000), 3);
    close(fd);
    expect_copied("sparse");
    cr_assert_eq(item.digest.bytes, 500003u);
    cr_assert_eq(pread(staged, tail, 3, 500000), 3);
    cr_assert_eq(memcmp(tail, "end", 3), 0);
}

Test(collect_copy, objects_that_are_no_plain_files)
{
    scratch_text(&s, "one", "x");
    cr_assert_eq(linkat(s.fd, "one", s.fd, "two", 0), 0);
    cr_assert_eq(symlinkat("one", s.fd, "link"), 0);
    cr_assert_eq(mkfifoat(s.fd, "fifo", 0600), 0);
    scratch_dir(&s, "dir");
    scratch_dir(&s, "real");
    cr_assert_eq(symlinkat("real", s.fd, "through"), 0);
    alarm(10);
    expect_refused("one", FINDING_FILE_HARD_LINK);
    expect_refused("link", FINDING_FILE_SYMLINK);
    expect_refused("fifo", FINDING_FILE_NOT_REGULAR);
    expect_refused("dir", FINDING_FILE_NOT_REGULAR);
    expect_refused("through/a", FINDING_FILE_SYMLINK);
    expect_refused("gone", FINDING_FILE_CHANGED);
    alarm(0);
}

Test(collect_copy, linked_within_needs_the_inode_the_walk_counted)
{
    struct source_facts walked;
    scratch_text(&s, "one", "x");
    cr_assert_eq(linkat(s.fd, "one", s.fd, "two", 0), 0);
    cr_assert_eq(root_facts(&root, "one", &walked), 0);
    job.hard_links = HARD_LINKS_WITHIN;
    begin("one");
    item.source = walked;
    cr_assert_eq(collect_copy(&job, &item, staged), 0);
    begin("one"); /* never walked */
    cr_assert_eq(collect_copy(&job, &item, staged), 1);
    begin("one");
    item.source = walked;
    cr_assert_eq(linkat(s.fd, "one", s.fd, "three", 0), 0);
    cr_assert_eq(collect_copy(&job, &item, staged), 1);
    cr_assert_eq(item.findings.v[0].code, FINDING_FILE_HARD_LINK);
}

Test(collect_copy, a_proc_file_lies_about_its_size)
{
    struct root liar = {.fd = open("/proc/sys/kernel", O_RDONLY | O_DIRECTORY), .tier = RESOLVE_OPENAT2};
    job.root = &liar;
    expect_refused("ostype", FINDING_FILE_SIZE_MISMATCH);
    struct stat st;
    cr_assert_eq(fstat(staged, &st), 0);
    cr_assert_eq(st.st_size, 0); /* nothing beyond the promised size was kept */
    close(liar.fd);
}

Test(collect_copy, a_writer_costs_the_lease_and_refuses_where_one_is_demanded)
{
    scratch_text(&s, "a", "hello");
    int writer = openat(s.fd, "a", O_RDWR);
    expect_copied("a");
    cr_assert_eq(item.stability, STABILITY_STAT_ONLY);
    output.require_leased = true;
    expect_refused("a", FINDING_FILE_WRITER_OPEN);
    close(writer);
    expect_copied("a");
    output.require_quiesced = true;
    expect_refused("a", FINDING_FILE_WRITER_OPEN);
    job.quiesced = true;
    expect_copied("a");
    cr_assert_eq(item.stability, STABILITY_QUIESCED);
}

Test(collect_copy, a_mapping_whose_descriptor_is_closed_is_a_writer)
{
    scratch_text(&s, "a", "hello");
    int fd = openat(s.fd, "a", O_RDWR);
    char *map = mmap(NULL, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(map, MAP_FAILED);
    close(fd);
    output.require_leased = true;
    expect_refused("a", FINDING_FILE_WRITER_OPEN);
    munmap(map, 5);
    expect_copied("a");
}

Test(collect_copy, remote_and_overlay_are_not_believed)
{
    scratch_text(&s, "a", "hello");
    root.overlay = true;
    expect_copied("a");
    cr_assert_eq(item.stability, STABILITY_STAT_ONLY);
    root.remote = true;
    expect_copied("a");
    cr_assert_eq(item.stability, STABILITY_REMOTE);
    output.require_leased = true;
    expect_refused("a", FINDING_FILE_WRITER_OPEN);
}

Test(collect_copy, a_lease_against_readers_is_busy_and_does_not_hang)
{
    int ready[2];
    char c;
    scratch_text(&s, "a", "hello");
    cr_assert_eq(pipe(ready), 0);
    pid_t holder = fork();
    if (holder == 0) {
        int fd = openat(s.fd, "a", O_RDWR);
        signal(SIGIO, SIG_IGN);
        if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    cr_assert_eq(read(ready[0], &c, 1), 1);
    alarm(20);
    expect_refused("a", FINDING_FILE_BUSY);
    alarm(0);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
}

Test(collect_copy, unreadable_is_said_so)
{
    scratch_text(&s, "a", "hello");
    cr_assert_eq(fchmodat(s.fd, "a", 0, 0), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
    expect_refused("a", FINDING_FILE_UNREADABLE);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
}

Test(collect_copy, the_access_time_stays_where_it_may)
{
    struct stat before, after;
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
    scratch_text(&s, "a", "hello");
    cr_assert_eq(utimensat(s.fd, "a", old, 0), 0);
    cr_assert_eq(fstatat(s.fd, "a", &before, 0), 0);
    expect_copied("a");
    cr_assert_eq(fstatat(s.fd, "a", &after, 0), 0);
    cr_assert_eq(before.st_atim.tv_sec, after.st_atim.tv_sec);
    cr_assert_not(item.source.atime_moved);
    cr_assert_eq(item.source.mtime_ns, 2000 * (int64_t)1000000000);
}

Test(collect_copy, the_file_of_another_user_moves_its_access_time_and_says_so)
{
    if (geteuid() != 0)
        cr_skip_test("needs root to own a file as another user");
    scratch_text(&s, "a", "hello");
    cr_assert_eq(seteuid(65534), 0);
    expect_copied("a");
    cr_assert_eq(seteuid(0), 0);
    cr_assert(item.source.atime_moved);
    cr_assert_eq(item.stability, STABILITY_STAT_ONLY);
}

Test(collect_copy, attribute_names_are_recorded_and_not_copied)
{
    scratch_text(&s, "a", "hello");
    int fd = openat(s.fd, "a", O_RDONLY);
    cr_assert_eq(fsetxattr(fd, "user.origin", "secret", 6, 0), 0);
    close(fd);
    expect_copied("a");
    cr_assert_eq(item.source.xattrs_n, 1u);
    cr_assert_str_eq(item.source.xattrs[0], "user.origin");
    cr_assert_eq(flistxattr(staged, NULL, 0), 0);
}

Test(collect_copy, time_runs_out_loudly)
{
    scratch_text(&s, "a", "hello");
    job.deadline_ns = 1;
    expect_refused("a", FINDING_FILE_UNREADABLE);
}

Test(collect_copy, a_full_staging_is_the_broker_s_fault)
{
    scratch_text(&s, "a", "hello");
    int full = open("/dev/full", O_WRONLY);
    begin("a");
    FAILS(collect_copy(&job, &item, full), ENOSPC);
    cr_assert_not(item.copied);
    close(full);
}

Test(collect_copy, an_extent_is_copied_to_the_byte)
{
    char have[8] = "";
    scratch_text(&s, "spool", "0123456789");
    int spool = openat(s.fd, "spool", O_RDONLY);
    begin("member");
    cr_assert_eq(collect_copy_extent(&job, &item, spool, 3, 4, staged), 0);
    cr_assert_eq(pread(staged, have, sizeof(have), 0), 4);
    cr_assert_str_eq(have, "3456");
    cr_assert_eq(item.digest.bytes, 4u);
    begin("member");
    FAILS(collect_copy_extent(&job, &item, spool, 8, 4, staged), ENODATA);
    job.max = 3;
    begin("member");
    cr_assert_eq(collect_copy_extent(&job, &item, spool, 3, 4, staged), 1);
    close(spool);
}

/* ---- changes while the file is read ---- */

struct change {
    void (*act)(int dir);
    volatile bool stop;
    unsigned long acts;
};

static void *changer(void *arg)
{
    struct change *c = arg;
    while (!c->stop) {
        c->act(s.fd);
        c->acts++;
    }
    return NULL;
}

/* Copies until a refusal of this code came; meanwhile every accepted copy must be one consistent version. */
static void race(void (*act)(int), enum finding_code code)
{
    struct change c = {.act = act};
    pthread_t thread;
    bool seen = false;
    static char data[MIB];
    memset(data, 'a', sizeof(data));
    scratch_put(&s, "a", data, sizeof(data));
    job.max = 2 * MIB;
    cr_assert_eq(pthread_create(&thread, NULL, changer, &c), 0);
    for (int i = 0; i < 20000 && !seen; i++) {
        begin("a");
        int result = collect_copy(&job, &item, staged);
        cr_assert_neq(result, -1, "%s", strerror(errno));
        seen = result == 1 && item.findings.v[0].code == code;
    }
    c.stop = true;
    pthread_join(thread, NULL);
    cr_assert(seen, "no %s in %lu changes", finding_code_name(code), c.acts);
}

static void touch_mode(int dir)
{
    if (fchmodat(dir, "a", 0600, 0) < 0 || fchmodat(dir, "a", 0644, 0) < 0)
        abort();
}

static void replace(int dir)
{
    int fd = openat(dir, "b", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(fd, "new", 3) != 3 || close(fd) < 0 || renameat(dir, "b", dir, "a") < 0)
        abort();
}

Test(collect_copy, a_mode_that_moves_is_a_change)
{
    race(touch_mode, FINDING_FILE_CHANGED);
}

/* Changes nothing: only the lease knows that somebody asked. */
static void ask_to_write(int dir)
{
    int fd = openat(dir, "a", O_WRONLY | O_NONBLOCK);
    if (fd >= 0)
        close(fd);
}

Test(collect_copy, a_writer_that_comes_during_the_copy_is_a_change)
{
    race(ask_to_write, FINDING_FILE_CHANGED);
}

Test(collect_copy, a_name_that_is_replaced_gives_one_version_or_a_refusal)
{
    struct change c = {.act = replace};
    pthread_t thread;
    unsigned copied = 0;
    scratch_text(&s, "a", "old");
    cr_assert_eq(pthread_create(&thread, NULL, changer, &c), 0);
    for (int i = 0; i < 2000; i++) {
        char have[8] = "";
        begin("a");
        int result = collect_copy(&job, &item, staged);
        cr_assert_neq(result, -1);
        if (result == 1)
            continue;
        copied++;
        cr_assert_eq(pread(staged, have, 3, 0), (ssize_t)item.digest.bytes);
        cr_assert(strcmp(have, "old") == 0 || strcmp(have, "new") == 0);
    }
    c.stop = true;
    pthread_join(thread, NULL);
    cr_assert_gt(copied, 0u);
    cr_assert_gt(c.acts, 0u);
}
