/* SPDX-License-Identifier: ISC
 * Walk, copy and publish without a judge, for tests that need mounts or a broken kernel around them. Usage:
 * collect_show TIER SCRATCH [DEST NAME | open PATH]. One line per object, then the grade of DEST. Exit 0, or
 * 1 with the errno's name. COLLECT_UNNAMED, COLLECT_IN_PLACE: the other ways of staging. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "collect/collect_copy.h"
#include "collect/collect_walk.h"
#include "publish/publish.h"

/* Everything has leave here: what is tested stands before and after the judge. */
struct clearance {
    char unused;
};

bool clearance_covers(const struct clearance *clearance, const struct digest *digest)
{
    return clearance && digest;
}

bool clearance_executable(const struct clearance *clearance)
{
    (void)clearance;
    return false;
}

static struct output everything = {.glob = (char[]){"**"}, .has_count = true, .count_max = UINT64_MAX};

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

static int fail(const char *what)
{
    printf("failed: %s: %s\n", what, strerrorname_np(errno));
    return 1;
}

static void show(const struct item *item, bool copied)
{
    static const char *const grades[] = {"unknown", "remote", "stat-only", "leased", "quiesced"};
    printf("%s:", item->path);
    for (size_t i = 0; i < item->findings.n; i++)
        printf(" %s", finding_code_name(item->findings.v[i].code));
    if (copied)
        printf(" copied %llu %s", (unsigned long long)item->digest.bytes, grades[item->stability]);
    printf("\n");
}

static int each(struct walk_result *out, const struct copy_job *job, struct publish *p)
{
    struct clearance leave = {0};
    for (size_t i = 0; i < out->items.n; i++) {
        struct item *item = &out->items.v[i];
        if (item->findings.n == 0) {
            int staged = !p                           ? fileno(tmpfile())
                         : getenv("COLLECT_IN_PLACE") ? publish_stage_at(p, "data", item->path)
                                                      : publish_stage(p);
            int result = staged < 0 ? -1 : collect_copy(job, item, staged);
            if (result < 0)
                return fail("copy");
            if (p && result == 0 && publish_place(p, "data", item, &leave, &staged) < 0)
                return fail("place");
        }
        show(item, item->copied);
    }
    return 0;
}

static int line(const struct root *root, struct publish *p)
{
    struct contract contract = {
        .outputs = &everything, .outputs_n = 1, .limits = {.files = 100000, .depth = 64, .visited = 100000}};
    struct walk_options options = {.contract = &contract, .match = match_all, .enter = enter_all};
    struct copy_job job = {
        .root = root, .digest = digest_new(), .block = malloc(COPY_BLOCK), .max = GIB, .total_left = GIB};
    struct walk_result out;
    if (!job.digest || !job.block || collect_walk(root, &options, &out) < 0)
        return fail("walk");
    int result = each(&out, &job, p);
    walk_result_free(&out);
    digest_free(&job.digest);
    free(job.block);
    return result;
}

static int bag(const struct root *root, const char *dest, const char *name)
{
    struct destination d;
    if (destination_open(&d, dest, false) < 0)
        return fail("destination");
    d.unnamed = getenv("COLLECT_UNNAMED") != NULL;
    printf("destination: %s tmpfile=%d noreplace=%d syncfs=%d dir_sync=%d modes=%d\n", d.grade.filesystem,
           d.grade.tmpfile, d.grade.noreplace, d.grade.syncfs, d.grade.dir_sync, d.grade.modes);
    struct publish *p = publish_begin(&d);
    int result = p ? line(root, p) : fail("begin");
    if (result == 0 && publish_commit(p, name) < 0)
        result = fail("commit");
    publish_end(&p);
    destination_close(&d);
    return result;
}

int main(int argc, char **argv)
{
    struct root root;
    enum resolve_tier tier = argc < 2                             ? RESOLVE_UNPROBED
                             : strcmp(argv[1], "openat2") == 0    ? RESOLVE_OPENAT2
                             : strcmp(argv[1], "components") == 0 ? RESOLVE_COMPONENTS
                                                                  : RESOLVE_UNPROBED;
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: collect_show openat2|components|best SCRATCH [DEST NAME]\n");
        return 2;
    }
    if (root_open(&root, argv[2], tier) < 0)
        return fail("root");
    printf("tier: %s remote=%d overlay=%d\n", root.tier == RESOLVE_OPENAT2 ? "openat2" : "components",
           root.remote, root.overlay);
    int result;
    if (argc == 5 && strcmp(argv[3], "open") == 0) {
        AUTO_FD fd = root_openat(&root, argv[4], O_RDONLY);
        result = fd < 0 ? fail("open") : 0;
    } else {
        result = argc == 5 ? bag(&root, argv[3], argv[4]) : line(&root, NULL);
    }
    root_close(&root);
    return result;
}
