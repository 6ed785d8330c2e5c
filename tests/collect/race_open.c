/* SPDX-License-Identifier: ISC
 * A hostile job that swaps names with RENAME_EXCHANGE as fast as it can, against the copy. Usage: race_open
 * TIER|naive leaf|parent|walk TRIES DIRECTORY. Prints what happened; exit 0 only where nothing from outside
 * was read (naive: where something was, which proves the instrument), something from inside was, and names
 * did flip. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "collect/collect_copy.h"
#include "collect/collect_walk.h"

enum { EXCHANGE = 2, LIFE_S = 600 };

struct shared {
    volatile unsigned long flips;
};

struct tally {
    unsigned long tries, inside, outside, refused, faults, named[FINDING_COUNT];
};

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "race_open: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    must(f && fputs(text, f) >= 0 && fclose(f) == 0, path);
}

/* in/leaf and in/dir/leaf hold INSIDE; their counterparts lead to OUTSIDE. */
static void build(const char *where)
{
    must(chdir(where) == 0, where);
    must(mkdir("in", 0755) == 0 && mkdir("in/dir", 0755) == 0 && mkdir("outside", 0755) == 0, "mkdir");
    put("in/leaf", "INSIDE");
    put("in/dir/leaf", "INSIDE");
    put("outside/leaf", "OUTSIDE");
    put("outside/stolen", "OUTSIDE");
    must(symlink("../outside/leaf", "in/leaf.other") == 0, "symlink");
    must(symlink("../outside", "in/dir.other") == 0, "symlink");
}

/* Ends with its parent, and by itself in any case. */
static pid_t flipper(const char *name, struct shared *shared)
{
    char other[32];
    snprintf(other, sizeof(other), "%s.other", name);
    int in = open("in", O_RDONLY | O_DIRECTORY);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(LIFE_S);
    for (;;)
        if (syscall(SYS_renameat2, in, name, in, other, EXCHANGE) == 0)
            shared->flips++;
}

static void judge_bytes(struct tally *t, int fd)
{
    char text[16] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    t->outside += n >= 7 && strncmp(text, "OUTSIDE", 7) == 0;
    t->inside += n >= 6 && strncmp(text, "INSIDE", 6) == 0;
}

/* What much software does: looks at the name, then opens it, and only guards the last component. */
static void naive(struct tally *t, const char *path, bool leaf)
{
    char full[64];
    struct stat st;
    snprintf(full, sizeof(full), "in/%s", path);
    if (lstat(full, &st) < 0 || (leaf && !S_ISREG(st.st_mode))) {
        t->refused++;
        return;
    }
    int fd = open(full, O_RDONLY | O_NONBLOCK | (leaf ? 0 : O_NOFOLLOW));
    if (fd < 0) {
        t->refused++;
        return;
    }
    judge_bytes(t, fd);
    close(fd);
}

static void copy(struct tally *t, const struct copy_job *job, const char *path, int staged)
{
    struct item item = {.path = strdup(path), .fd = -1, .staged = -1};
    must(ftruncate(staged, 0) == 0 && lseek(staged, 0, SEEK_SET) == 0, "staged");
    int result = collect_copy(job, &item, staged);
    must(result >= 0, "collect_copy");
    if (result == 0) {
        judge_bytes(t, staged);
    } else {
        t->refused++;
        t->named[item.findings.v[0].code]++;
    }
    item_clear(&item);
}

static struct output everything = {.glob = (char[]){"**"}, .count_max = UINT64_MAX};

static const struct output *match_all(const void *ctx, const char *path, bool *hidden)
{
    (void)ctx;
    (void)path;
    *hidden = false;
    return &everything;
}

static bool enter_all(const void *ctx, const char *dir)
{
    (void)ctx;
    (void)dir;
    return true;
}

/* outside/stolen has no counterpart inside: its name in a walk is a leak. */
static void walk(struct tally *t, const struct root *root)
{
    struct contract contract = {
        .outputs = &everything, .outputs_n = 1, .limits = {.files = 99, .depth = 9, .visited = 99}};
    struct walk_options options = {.contract = &contract, .match = match_all, .enter = enter_all};
    struct walk_result out;
    must(collect_walk(root, &options, &out) == 0, "collect_walk");
    for (size_t i = 0; i < out.items.n; i++) {
        t->outside += strstr(out.items.v[i].path, "stolen") != NULL;
        t->inside += strcmp(out.items.v[i].path, "dir/leaf") == 0;
    }
    walk_result_free(&out);
}

static enum resolve_tier tier_of(const char *name)
{
    return strcmp(name, "openat2") == 0      ? RESOLVE_OPENAT2
           : strcmp(name, "components") == 0 ? RESOLVE_COMPONENTS
                                             : RESOLVE_UNPROBED;
}

static void run(struct tally *t, const struct shared *shared, const char *tier, const char *mode,
                unsigned long tries)
{
    bool leaf = strcmp(mode, "leaf") == 0, walks = strcmp(mode, "walk") == 0;
    const char *path = leaf ? "leaf" : "dir/leaf";
    struct root root = {.fd = -1};
    struct copy_job job = {
        .root = &root, .digest = digest_new(), .block = malloc(COPY_BLOCK), .max = 99, .total_left = 99};
    int staged = open("staged", O_RDWR | O_CREAT, 0600);
    bool is_naive = strcmp(tier, "naive") == 0;
    must(job.digest && job.block && staged >= 0, "set up");
    must(is_naive || root_open(&root, "in", tier_of(tier)) == 0, "root_open");
    /* The naive one is done when it is caught: that is all it is there for. The others go on, up to ten times
     * as long, on a machine too busy to have flipped at all. */
    for (t->tries = 0;
         t->tries < tries || (!is_naive && (t->inside == 0 || shared->flips == 0) && t->tries < 10 * tries);
         t->tries++) {
        if (is_naive && t->outside > 0 && t->inside > 0)
            break;
        if (is_naive)
            naive(t, path, leaf);
        else if (walks)
            walk(t, &root);
        else
            copy(t, &job, path, staged);
    }
    root_close(&root);
    digest_free(&job.digest);
    free(job.block);
    close(staged);
}

int main(int argc, char **argv)
{
    struct tally t = {0};
    must(argc == 5, "usage: race_open openat2|components|naive leaf|parent|walk TRIES DIRECTORY");
    unsigned long tries = strtoul(argv[3], NULL, 10);
    must(tries > 0, "a race without tries proves nothing");
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED, "mmap");
    build(argv[4]);
    pid_t pid = flipper(strcmp(argv[2], "leaf") == 0 ? "leaf" : "dir", shared);
    must(pid > 0, "fork");
    run(&t, shared, argv[1], argv[2], tries);
    unsigned long flips = shared->flips;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    printf("%s %s: %lu tries, %lu flips, %lu inside, %lu outside, %lu refused", argv[1], argv[2], t.tries,
           flips, t.inside, t.outside, t.refused);
    for (size_t i = 0; i < FINDING_COUNT; i++)
        if (t.named[i] > 0)
            printf(", %lu %s", t.named[i], finding_code_name((enum finding_code)i));
    printf("\n");
    bool caught = t.outside > 0;
    bool naive_run = strcmp(argv[1], "naive") == 0;
    return flips > 0 && t.inside > 0 && caught == naive_run ? 0 : 1;
}
