/* SPDX-License-Identifier: ISC
 * The pool against well-behaved, dying, hanging and lying workers: none but the first leads to an inspected item. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "inspect/inspect.h"
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "confine/confine_bpf.h"
#endif

enum { FILES_MAX = 400, BIG = 300 * 1024 };

struct trial {
    struct inspect_pool *pool;
    struct item_list items;
    struct task task;
};

static void begin(struct trial *r, unsigned children, uint64_t file_ms)
{
    const char *dir = getenv("builddir");
    char libexec[4096];
    snprintf(libexec, sizeof(libexec), "%s/tests/bin/bad", dir ? dir : ".");
    struct inspect_options options = {.libexec = libexec, .children = children, .rules_fd = -1, .file_ms = file_ms};
    *r = (struct trial){.pool = inspect_open(&options)};
    cr_assert_not_null(r->pool, "inspect_open: %s", strerror(errno));
    cr_assert_eq(inspect_ready(r->pool), 0, "inspect_ready: %s", strerror(errno));
    r->task.inside = (struct inside){.entries = 100, .member = MIB, .unpacked = MIB, .ratio = 100, .nesting = 3};
    type_set_add(&r->task.admitted, TYPE_TEXT);
    type_set_add(&r->task.admitted, TYPE_ANY_BINARY);
    /* Items must not move: the list gets its final size at once. */
    r->items.v = calloc(FILES_MAX, sizeof(*r->items.v));
    r->items.cap = FILES_MAX;
}

static struct item *add(struct trial *r, const char *content, const char *path, uint64_t size)
{
    AUTO_FD fd = memfd_create("file", MFD_CLOEXEC);
    char reopen[64];
    struct item *item = item_list_add(&r->items, strdup(path));
    snprintf(reopen, sizeof(reopen), "/proc/self/fd/%d", fd);
    cr_assert_eq(fd_write_full(fd, content, strlen(content)), 0);
    r->task.size = size > strlen(content) ? size : strlen(content);
    cr_assert_eq(ftruncate(fd, (off_t)r->task.size), 0);
    item->fd = open(reopen, O_RDONLY | O_CLOEXEC);
    cr_assert(item->fd >= 0);
    snprintf(r->task.path, sizeof(r->task.path), "%s", path);
    cr_assert_eq(inspect_submit(r->pool, item, &r->task), 0);
    return item;
}

static size_t drain(struct trial *r)
{
    struct item *item = NULL;
    size_t n = 0;
    int got = 0;
    while ((got = inspect_next(r->pool, &item, -1)) == 1)
        n++;
    cr_assert_eq(got, 0);
    cr_assert_eq(inspect_pending(r->pool), 0u);
    return n;
}

static void end(struct trial *r)
{
    inspect_close(&r->pool);
    item_list_free(&r->items);
}

static bool has(const struct item *item, enum finding_code code)
{
    for (size_t i = 0; i < item->findings.n; i++)
        if (item->findings.v[i].code == code)
            return true;
    return false;
}

Test(inspect, good_files_come_back_inspected)
{
    struct trial r;
    begin(&r, 2, 0);
    for (int i = 0; i < 200; i++)
        add(&r, "good\n", i % 3 ? "a.txt" : "b.zip", 0);
    cr_assert_eq(drain(&r), 200u);
    for (size_t i = 0; i < r.items.n; i++) {
        cr_assert(r.items.v[i].inspected);
        cr_assert_eq(r.items.v[i].findings.n, 0u);
        cr_assert(claims_has(&r.items.v[i].claims, TYPE_PLAIN));
    }
    struct inspect_confinement c;
    inspect_confinement(r.pool, &c);
    cr_assert(c.seccomp && c.rlimits);
    cr_assert_str_eq(c.version, PACKAGE_VERSION);
    cr_assert_str_eq(c.libraries, "bad 1.0");
    end(&r);
}

static const struct {
    const char *word;
    enum finding_code code;
} bad[] = {
    {"die\n", FINDING_INSPECT_CRASHED},       {"exit\n", FINDING_INSPECT_CRASHED},
    {"crash\n", FINDING_INSPECT_CRASHED},     {"hang\n", FINDING_INSPECT_TIMEOUT},
    {"open\n", FINDING_INSPECT_CRASHED},      {"drip\n", FINDING_INSPECT_TIMEOUT},
    {"garbage\n", FINDING_INSPECT_CRASHED},   {"wrong-id\n", FINDING_INSPECT_CRASHED},
    {"early\n", FINDING_INSPECT_CRASHED},     {"twice\n", FINDING_INSPECT_CRASHED},
    {"missing\n", FINDING_INSPECT_CRASHED},   {"trailing\n", FINDING_INSPECT_CRASHED},
    {"uncounted\n", FINDING_INSPECT_CRASHED}, {"foreign\n", FINDING_INSPECT_CRASHED},
    {"many\n", FINDING_INSPECT_CRASHED},      {"descriptor\n", FINDING_INSPECT_CRASHED},
    {"evidence\n", FINDING_INSPECT_CRASHED},  {"parent\n", FINDING_INSPECT_CRASHED},
};

static void misbehave(const char *content, enum finding_code code, uint64_t size)
{
    struct trial r;
    begin(&r, 2, 700);
    add(&r, "good\n", "a.txt", 0);
    struct item *culprit = add(&r, content, "b.txt", size);
    add(&r, "good\n", "c.txt", 0);
    cr_assert_eq(drain(&r), 3u);
    cr_assert(!culprit->inspected, "%s was believed", content);
    cr_assert(has(culprit, code), "%s: no finding", content);
    cr_assert(r.items.v[0].inspected && r.items.v[2].inspected, "%s: a neighbour was lost", content);
    end(&r);
}

/* The size makes the child send its START before the inspector runs: what is sent raw then comes in its place. */
Test(inspect, no_misbehaviour_is_believed, .timeout = 120)
{
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        misbehave(bad[i].word, bad[i].code, BIG);
    misbehave("die\n", FINDING_INSPECT_CRASHED, 0);
    misbehave("garbage\n", FINDING_INSPECT_CRASHED, 0);
}

Test(inspect, the_raw_channel_of_these_tests_works)
{
    struct trial r;
    begin(&r, 1, 0);
    struct item *item = add(&r, "lie\n", "a.zip", BIG);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(item->inspected);
    end(&r);
}

Test(inspect, too_many_findings_are_a_limit_and_inspected)
{
    struct trial r;
    begin(&r, 1, 0);
    struct item *item = add(&r, "chatty\n", "a.txt", 0);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(item->inspected);
    cr_assert(has(item, FINDING_INSPECT_LIMIT));
    cr_assert_eq(item->findings.n, FINDINGS_MAX + 1);
    end(&r);
}

Test(inspect, the_second_reader_adds_and_never_takes_away)
{
    struct trial r;
    begin(&r, 2, 500);
    struct item *same = add(&r, "list same\n", "a.zip", 0);
    struct item *other = add(&r, "list other\n", "b.zip", 0);
    struct item *none = add(&r, "list none\n", "c.zip", 0);
    struct item *dies = add(&r, "list die\n", "d.zip", 0);
    struct item *hangs = add(&r, "list hang\n", "e.zip", 0);
    struct item *unlisted = add(&r, "unlisted\n", "f.tar", 0);
    struct item *binary = add(&r, "binary elf\n", "g.bin", 0);
    cr_assert_eq(drain(&r), 7u);
    cr_assert(same->inspected && same->findings.n == 0);
    cr_assert(has(other, FINDING_ARCHIVE_AMBIGUOUS));
    cr_assert(has(none, FINDING_ARCHIVE_AMBIGUOUS));
    cr_assert(has(dies, FINDING_INSPECT_CRASHED) && !dies->inspected);
    cr_assert(has(hangs, FINDING_INSPECT_TIMEOUT) && !hangs->inspected);
    cr_assert(has(unlisted, FINDING_INSPECT_INCOMPLETE));
    cr_assert(binary->inspected && claims_has(&binary->claims, TYPE_ELF));
    end(&r);
}

static void copy_program(const char *from, const char *to)
{
    AUTO_FREE uint8_t *data = NULL;
    size_t len = 0;
    AUTO_FD in = open(from, O_RDONLY | O_CLOEXEC);
    AUTO_FD out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    cr_assert(in >= 0 && out >= 0);
    cr_assert_eq(fd_read_all(in, 64 * MIB, &data, &len), 0);
    cr_assert_eq(fd_write_full(out, data, len), 0);
}

/* A program that is not there ends what waits for it at once: no wait for an event that cannot come. */
Test(inspect, a_missing_second_reader_refuses, .timeout = 20)
{
    struct trial r;
    char dir[] = "/tmp/sallyport-test-XXXXXX", from[4096], to[4096];
    const char *build = getenv("builddir");
    cr_assert_not_null(mkdtemp(dir));
    snprintf(from, sizeof(from), "%s/tests/bin/bad/sallyport-inspect", build ? build : ".");
    snprintf(to, sizeof(to), "%s/sallyport-inspect", dir);
    copy_program(from, to);
    struct inspect_options options = {.libexec = dir, .children = 1, .rules_fd = -1};
    begin(&r, 1, 0);
    inspect_close(&r.pool);
    r.pool = inspect_open(&options);
    cr_assert_not_null(r.pool);
    struct item *item = add(&r, "list same\n", "a.zip", 0);
    struct item *good = add(&r, "good\n", "a.txt", 0);
    cr_assert_eq(drain(&r), 2u);
    cr_assert(!item->inspected && has(item, FINDING_INSPECT_CRASHED));
    cr_assert(good->inspected);
    end(&r);
    unlink(to);
    rmdir(dir);
}

Test(inspect, our_own_text_is_scanned)
{
    struct trial r;
    struct finding_list found = {0};
    begin(&r, 1, 500);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, "nothing", 7, &found), 0);
    cr_assert_eq(found.n, 0u);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, "secret: x", 9, &found), 0);
    cr_assert_eq(found.n, 1u);
    cr_assert_str_eq(found.v[0].rule, "test-rule");
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, "", 0, &found), 0);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, "scan-dies", 9, &found), -1);
    AUTO_FREE char *large = calloc(1, SCAN_BYTES + 1);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, large, SCAN_BYTES, &found), 0);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, large, SCAN_BYTES + 1, &found), -1);
    finding_list_free(&found);
    end(&r);
}

static int stream_of(struct trial *r, const char *content, uint64_t max, struct extent_list *extents)
{
    struct finding_list found = {0};
    AUTO_FD fd = memfd_create("stream", MFD_CLOEXEC);
    cr_assert_eq(fd_write_full(fd, content, strlen(content)), 0);
    return inspect_stream(r->pool, fd, strlen(content), max, extents, &found);
}

Test(inspect, archives_inside_are_listed_twice_too, .timeout = 60)
{
    struct trial r;
    begin(&r, 2, 700);
    char dir[] = "/tmp/sallyport-test-XXXXXX";
    cr_assert(mkdtemp(dir));
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert(fd >= 0);
    inspect_scratch(r.pool, &fd);
    cr_assert_eq(fd, -1);
    struct item *same = add(&r, "inner same\n", "a.zip", 0);
    struct item *other = add(&r, "inner other\n", "b.zip", 0);
    struct item *dies = add(&r, "inner die\n", "c.zip", 0);
    cr_assert_eq(drain(&r), 3u);
    cr_assert(same->inspected);
    cr_assert_eq(same->findings.n, 0u);
    cr_assert(other->inspected);
    cr_assert_eq(other->findings.n, 1u);
    cr_assert_eq(other->findings.v[0].code, FINDING_ARCHIVE_AMBIGUOUS);
    cr_assert_str_eq(other->findings.v[0].member, "next.zip");
    cr_assert(!dies->inspected && has(dies, FINDING_INSPECT_CRASHED));
    end(&r);
    cr_assert_eq(rmdir(dir), 0, "no spool has a name");
}

Test(inspect, an_archive_inside_that_cannot_be_kept_is_a_limit, .timeout = 60)
{
    struct trial r;
    begin(&r, 2, 700);
    struct item *item = add(&r, "inner same\n", "a.zip", 0);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(has(item, FINDING_INSPECT_LIMIT));
    end(&r);
}

Test(inspect, extents_of_a_stream_lie_inside_and_apart)
{
    struct trial r;
    struct extent_list extents = {0};
    begin(&r, 1, 500);
    cr_assert_eq(stream_of(&r, "extents 0 1234567890123456789", 10, &extents), 0);
    cr_assert_eq(extents.n, 2u);
    cr_assert_eq(extents.v[1].offset, 10u);
    cr_assert_str_eq(extents.v[0].path, "m");
    extent_list_free(&extents);
    cr_assert_eq(stream_of(&r, "extents 0 1234567890123456789", 1, &extents), -1);
    cr_assert_eq(stream_of(&r, "overlap 0 1234567890123456789", 10, &extents), -1);
    cr_assert_eq(stream_of(&r, "outside 0 1234567890123456789", 10, &extents), -1);
    cr_assert_eq(extents.n, 0u);
    end(&r);
}

/* Parent and state of a process; false: there is none. */
static bool process(const char *pid_text, pid_t *parent, char *state)
{
    char path[300];
    int pid = 0;
    snprintf(path, sizeof(path), "/proc/%s/stat", pid_text);
    FILE *f = pid_text[0] >= '1' && pid_text[0] <= '9' ? fopen(path, "r") : NULL;
    bool ok = f && fscanf(f, "%d (%*[^)]) %c %d", &pid, state, parent) == 3;
    if (f)
        fclose(f);
    return ok;
}

/* Does it still run? One that nobody has waited for does not. */
static bool runs(pid_t pid)
{
    char text[16], state = 0;
    pid_t parent = 0;
    snprintf(text, sizeof(text), "%d", pid);
    return process(text, &parent, &state) && state != 'Z' && state != 'X';
}

/* Process ids whose parent is `parent`. */
static size_t children_of(pid_t parent, pid_t *out, size_t max)
{
    DIR *proc = opendir("/proc");
    struct dirent *e = NULL;
    size_t n = 0;
    while ((e = readdir(proc)) && n < max) {
        pid_t of = 0;
        char state = 0;
        if (process(e->d_name, &of, &state) && of == parent && state != 'Z')
            out[n++] = atoi(e->d_name);
    }
    closedir(proc);
    return n;
}

static pid_t only_child(pid_t parent)
{
    pid_t pids[8] = {0};
    for (int i = 0; i < 200 && children_of(parent, pids, 8) != 1; i++)
        usleep(10000); /* one that was sent away ends in its own time */
    cr_assert_eq(children_of(parent, pids, 8), 1u);
    return pids[0];
}

/* Ours, theirs, files: the first child goes this way and never back. */
Test(inspect, the_first_child_goes_one_way)
{
    struct trial r;
    struct finding_list found = {0};
    AUTO_FREE char *large = calloc(1, FIRST_CHILD_BYTES + 1);
    begin(&r, 2, 0);
    pid_t worker = only_child(getpid()), first = only_child(worker), none[8];
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, large, FIRST_CHILD_BYTES + 1, &found), 0);
    cr_assert_eq(inspect_scan(r.pool, SCAN_THEIRS, "a name", 6, &found), 0);
    cr_assert_eq(inspect_scan(r.pool, SCAN_THEIRS, "a name", 6, &found), 0);
    cr_assert_eq(only_child(worker), first);
    struct item *item = add(&r, "good\n", "a.txt", 0);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(item->inspected);
    for (int i = 0; i < 200 && children_of(worker, none, 8) > 0; i++)
        usleep(10000);
    cr_assert_eq(children_of(worker, none, 8), 0u, "a file is the last it sees");
    end(&r);

    begin(&r, 1, 0);
    worker = only_child(getpid());
    cr_assert_eq(inspect_scan(r.pool, SCAN_THEIRS, "a name", 6, &found), 0);
    first = only_child(worker);
    cr_assert_eq(inspect_scan(r.pool, SCAN_OURS, "a contract", 10, &found), 0);
    cr_assert(children_of(worker, none, 8) == 0 || none[0] != first, "ours was seen by who saw theirs");
    end(&r);
}

Test(inspect, what_is_large_is_not_for_the_first_child)
{
    struct trial r;
    struct finding_list found = {0};
    AUTO_FREE char *large = calloc(1, FIRST_CHILD_BYTES + 1);
    begin(&r, 2, 0);
    kill(only_child(only_child(getpid())), SIGSTOP); /* whatever it is given is not answered */
    struct item *item = add(&r, "good\n", "a.txt", FIRST_CHILD_BYTES + 1);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(item->inspected);
    cr_assert_eq(inspect_scan(r.pool, SCAN_THEIRS, large, FIRST_CHILD_BYTES + 1, &found), 0);
    end(&r);
}

static void hurt_parent(int signal_number)
{
    struct trial r;
    pid_t worker = 0;
    begin(&r, 2, 400);
    cr_assert_eq(children_of(getpid(), &worker, 1), 1u);
    add(&r, "hang\n", "a.txt", BIG);
    cr_assert_eq(inspect_flush(r.pool), 0);
    usleep(50000);
    kill(worker, signal_number);
    for (int i = 0; i < 20; i++)
        add(&r, "good\n", "b.txt", 0);
    cr_assert_eq(drain(&r), 21u);
    cr_assert(!r.items.v[0].inspected);
    for (size_t i = 1; i < r.items.n; i++)
        cr_assert(r.items.v[i].inspected, "file %zu was lost with the worker", i);
    end(&r);
}

Test(inspect, a_killed_worker_program_is_started_anew, .timeout = 60)
{
    hurt_parent(SIGKILL);
}

Test(inspect, a_stopped_worker_program_is_killed, .timeout = 60)
{
    hurt_parent(SIGSTOP);
}

Test(inspect, a_stopped_child_is_a_timeout, .timeout = 60)
{
    struct trial r;
    pid_t worker = 0, child[8];
    begin(&r, 1, 400);
    cr_assert_eq(children_of(getpid(), &worker, 1), 1u);
    struct item *item = add(&r, "hang\n", "a.txt", BIG);
    cr_assert_eq(inspect_flush(r.pool), 0);
    usleep(50000);
    size_t n = children_of(worker, child, 8);
    cr_assert(n >= 1);
    for (size_t i = 0; i < n; i++)
        kill(child[i], SIGSTOP);
    cr_assert_eq(drain(&r), 1u);
    cr_assert(!item->inspected);
    cr_assert(has(item, FINDING_INSPECT_TIMEOUT));
    usleep(50000);
    cr_assert_eq(children_of(worker, child, 8), 0u);
    end(&r);
}

Test(inspect, nothing_is_left_behind)
{
    struct trial r;
    pid_t pids[8];
    begin(&r, 2, 0);
    add(&r, "hang\n", "a.txt", BIG);
    cr_assert_eq(inspect_flush(r.pool), 0);
    end(&r);
    cr_assert_eq(children_of(getpid(), pids, 8), 0u);
}

/* The broker is killed with a file under way: nobody works on for a promotion that will not be. */
Test(inspect, workers_end_with_the_broker, .timeout = 30)
{
    int ready[2];
    pid_t pids[8];
    char byte = 0;
    cr_assert_eq(pipe(ready), 0);
    pid_t broker = fork();
    if (broker == 0) {
        struct trial r;
        begin(&r, 2, 0);
        add(&r, "hang\n", "a.txt", BIG);
        if (inspect_flush(r.pool) == 0)
            (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    usleep(100000);
    pid_t worker = 0;
    cr_assert_eq(children_of(broker, &worker, 1), 1u);
    size_t n = children_of(worker, pids, 8);
    cr_assert(n >= 1 && runs(worker) && runs(pids[0]));
    kill(broker, SIGKILL);
    cr_assert_eq(waitpid(broker, NULL, 0), broker);
    usleep(200000);
    cr_assert(!runs(worker));
    for (size_t i = 0; i < n; i++)
        cr_assert(!runs(pids[i]), "a child outlived the broker");
    close(ready[0]);
    close(ready[1]);
}

#ifdef __linux__
/* A system that refuses the filter is one on which nothing is inspected: errno says so, and the caller ends with 4. */
Test(inspect, without_a_filter_nothing_starts)
{
    static const struct bpf_rule rules[] = {{SYS_seccomp, SECCOMP_RET_ERRNO | ENOSYS, {{0}}}};
    const char *dir = getenv("builddir");
    char libexec[4096];
    snprintf(libexec, sizeof(libexec), "%s/tests/bin/bad", dir ? dir : ".");
    struct inspect_options options = {.libexec = libexec, .rules_fd = -1};
    static struct bpf_program p; /* too large for a frame with red zones around it */
    bpf_begin(&p, bpf_own_arch());
    bpf_rules(&p, rules, 1);
    bpf_end(&p, SECCOMP_RET_ALLOW);
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(bpf_install(&p), 0);
    struct inspect_pool *pool = inspect_open(&options);
    cr_assert_not_null(pool);
    cr_assert_eq(inspect_ready(pool), -1);
    cr_assert_eq(errno, ENOTSUP);
    inspect_close(&pool);
}
#endif

Test(inspect, a_program_of_others_is_not_started)
{
    char dir[] = "/tmp/sallyport-test-XXXXXX", name[64];
    cr_assert_not_null(mkdtemp(dir));
    struct inspect_options options = {.libexec = dir, .rules_fd = -1};
    cr_assert_null(inspect_open(&options));
    cr_assert_eq(errno, ENOENT);
    snprintf(name, sizeof(name), "%s/sallyport-inspect", dir);
    AUTO_FD fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    cr_assert_eq(fchmod(fd, 0775), 0);
    cr_assert_null(inspect_open(&options));
    cr_assert_eq(errno, EPERM);
    cr_assert_eq(fchmod(fd, 0755), 0);
    if (geteuid() == 0) {
        cr_assert_eq(fchown(fd, 12345, 0), 0);
        cr_assert_null(inspect_open(&options));
        cr_assert_eq(errno, EPERM);
    }
    unlink(name);
    rmdir(dir);
}
