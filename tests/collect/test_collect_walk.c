/* SPDX-License-Identifier: ISC */
#include "collect/collect_walk.h"

#include <criterion/criterion.h>
#include <errno.h>

#include "base/limits.h"
#include "contract/contract_match.h"
#include "tests/collect/scratch.h"

static struct scratch s;
static struct root root;
static struct walk_result out;
static struct contract contract;
static struct output outputs[4];

static const struct output *match(const void *ctx, const char *path, bool *hidden)
{
    return contract_match(ctx, path, hidden);
}

static bool enter(const void *ctx, const char *dir)
{
    return contract_enter(ctx, dir);
}

static bool hides(const void *ctx, const char *dir)
{
    return contract_hides(ctx, dir);
}

static struct walk_options options = {
    .contract = &contract, .match = match, .enter = enter, .hides = hides, .ctx = &contract};

static void setup(void)
{
    s = scratch_new();
    contract = (struct contract){.outputs = outputs};
    contract.limits.files = 100;
    contract.limits.depth = 16;
    contract.limits.visited = 1000;
}

static void teardown(void)
{
    walk_result_free(&out);
    root_close(&root);
    scratch_free(&s);
}

TestSuite(collect_walk, .init = setup, .fini = teardown);

static char texts[4][16];

static struct output *add(bool glob, const char *pattern)
{
    char *text = texts[contract.outputs_n];
    snprintf(text, sizeof(texts[0]), "%s", pattern);
    struct output *o = &outputs[contract.outputs_n];
    *o = (struct output){.index = contract.outputs_n++,
                         .path = glob ? NULL : text,
                         .glob = glob ? text : NULL,
                         .count_min = 1,
                         .count_max = UINT64_MAX};
    return o;
}

static void walk(void)
{
    walk_result_free(&out);
    root_close(&root);
    cr_assert_eq(root_open(&root, s.path, RESOLVE_UNPROBED), 0);
    cr_assert_eq(collect_walk(&root, &options, &out), 0, "%s", strerror(errno));
}

static const struct item *find(const char *path)
{
    for (size_t i = 0; i < out.items.n; i++)
        if (strcmp(out.items.v[i].path, path) == 0)
            return &out.items.v[i];
    return NULL;
}

/* The one finding of this item is of that code; FINDING_NONE: it has none. */
static void expect(const char *path, enum finding_code code)
{
    const struct item *item = find(path);
    cr_assert_not_null(item, "%s is not recorded", path);
    if (code == FINDING_NONE) {
        cr_assert_eq(item->findings.n, 0u, "%s: %s", path,
                     item->findings.n ? finding_code_name(item->findings.v[0].code) : "");
        return;
    }
    cr_assert_eq(item->findings.n, 1u, "%s has %zu findings", path, item->findings.n);
    cr_assert_eq(item->findings.v[0].code, code, "%s: %s", path, finding_code_name(item->findings.v[0].code));
}

static enum finding_level level(const char *path)
{
    return find(path)->findings.v[0].level;
}

Test(collect_walk, everything_seen_is_an_item_in_order)
{
    add(true, "**/*.txt");
    scratch_dir(&s, "a");
    scratch_text(&s, "a/x.txt", "1");
    scratch_text(&s, "a.txt", "2");
    scratch_text(&s, "b.bin", "3");
    scratch_text(&s, "a/y.bin", "4");
    walk();
    static const char *const order[] = {"a.txt", "a/x.txt", "a/y.bin", "b.bin"};
    cr_assert_eq(out.items.n, 4u);
    for (size_t i = 0; i < 4; i++)
        cr_assert_str_eq(out.items.v[i].path, order[i]);
    expect("a.txt", FINDING_NONE);
    expect("a/x.txt", FINDING_NONE);
    cr_assert_eq(find("a/x.txt")->output, &outputs[0]);
    cr_assert_eq(find("a.txt")->source.size, 1u);
    expect("b.bin", FINDING_FILE_UNLISTED);
    cr_assert_eq(level("b.bin"), LEVEL_NOTE);
    cr_assert_eq(out.visited, 5u);
    cr_assert_eq(out.unlisted, 2u);
    cr_assert_eq(out.directories, 2u);
}

Test(collect_walk, what_is_no_regular_file_says_so)
{
    add(false, "link");
    add(false, "dir");
    add(false, "fifo");
    add(false, "d/inner.txt");
    cr_assert_eq(symlinkat("/etc/passwd", s.fd, "link"), 0);
    scratch_dir(&s, "dir");
    cr_assert_eq(mkfifoat(s.fd, "fifo", 0600), 0);
    scratch_dir(&s, "real");
    scratch_text(&s, "real/inner.txt", "x");
    cr_assert_eq(symlinkat("real", s.fd, "d"), 0);
    walk();
    expect("link", FINDING_FILE_SYMLINK);
    expect("dir", FINDING_FILE_NOT_REGULAR);
    expect("fifo", FINDING_FILE_NOT_REGULAR);
    expect("d/inner.txt", FINDING_FILE_SYMLINK);
    cr_assert(find("d/inner.txt")->unmet);
    expect("d", FINDING_FILE_UNLISTED);
    expect("real", FINDING_FILE_UNLISTED);
    cr_assert_null(find("real/inner.txt"));
}

Test(collect_walk, a_directory_that_a_glob_fits_is_not_a_file)
{
    add(true, "*");
    scratch_text(&s, "a", "x");
    scratch_dir(&s, "d");
    walk();
    expect("a", FINDING_NONE);
    expect("d", FINDING_FILE_UNLISTED);
}

Test(collect_walk, links_do_not_loop_and_do_not_lead)
{
    add(true, "**/*.txt");
    scratch_dir(&s, "real");
    scratch_text(&s, "real/a.txt", "x");
    cr_assert_eq(symlinkat(".", s.fd, "loop"), 0);
    cr_assert_eq(symlinkat("/etc", s.fd, "etc"), 0);
    walk();
    cr_assert_eq(out.items.n, 3u);
    expect("real/a.txt", FINDING_NONE);
    expect("loop", FINDING_FILE_UNLISTED);
}

Test(collect_walk, skipped_links_are_recorded_and_do_not_meet_an_output)
{
    contract.symlinks = SYMLINKS_SKIP;
    add(true, "*.txt")->has_count = true;
    outputs[0].count_min = 0;
    add(false, "must");
    cr_assert_eq(symlinkat("x", s.fd, "a.txt"), 0);
    cr_assert_eq(symlinkat("x", s.fd, "must"), 0);
    walk();
    expect("a.txt", FINDING_FILE_SYMLINK);
    cr_assert_eq(level("a.txt"), LEVEL_NOTE);
    cr_assert(find("a.txt")->skipped);
    cr_assert(find("must")->unmet);
    cr_assert_eq(find("must")->findings.v[1].code, FINDING_FILE_MISSING);
}

Test(collect_walk, outputs_that_are_not_met_are_items)
{
    add(false, "needed");
    add(false, "maybe")->optional = true;
    add(true, "*.xml");
    add(true, "*.log")->has_count = true;
    outputs[3].count_min = 1;
    outputs[3].count_max = 2;
    scratch_text(&s, "1.log", "");
    scratch_text(&s, "2.log", "");
    scratch_text(&s, "3.log", "");
    walk();
    expect("needed", FINDING_FILE_MISSING);
    cr_assert_null(find("maybe"));
    expect("*.xml", FINDING_FILE_MISSING);
    expect("*.log", FINDING_FILE_TOO_MANY);
    cr_assert(find("*.log")->unmet);
    expect("1.log", FINDING_NONE);
}

Test(collect_walk, names_are_judged_where_they_are_listed)
{
    add(true, "**");
    scratch_text(&s, "a\nb", "x");
    scratch_text(&s, "-rf", "x");
    scratch_text(&s, "CON", "x");
    scratch_text(&s, "evil.pth", "x");
    walk();
    expect("a\nb", FINDING_NAME_UNSAFE);
    expect("-rf", FINDING_NAME_UNSAFE);
    expect("CON", FINDING_NAME_UNSAFE);
    expect("evil.pth", FINDING_NAME_AUTO_RUN);
    contract.names = NAMES_POSIX;
    walk();
    expect("CON", FINDING_NONE);
    expect("a\nb", FINDING_NAME_UNSAFE);
}

Test(collect_walk, unlisted_names_are_not_judged)
{
    add(false, "a.txt");
    scratch_text(&s, "a.txt", "x");
    scratch_text(&s, "b\x1b[31m", "x");
    walk();
    expect("b\x1b[31m", FINDING_FILE_UNLISTED);
}

Test(collect_walk, dotfiles_are_skipped_loudly)
{
    add(true, "**/*.txt");
    scratch_text(&s, "a.txt", "x");
    scratch_text(&s, ".hidden.txt", "x");
    scratch_dir(&s, ".cache");
    walk();
    expect(".hidden.txt", FINDING_FILE_UNLISTED);
    expect(".cache", FINDING_FILE_UNLISTED);
    cr_assert_eq(out.hidden, 2u);
}

Test(collect_walk, a_file_of_two_names_needs_both_in_scratch)
{
    add(true, "*.txt");
    scratch_text(&s, "a.txt", "x");
    cr_assert_eq(linkat(s.fd, "a.txt", s.fd, "b.bin", 0), 0);
    walk();
    expect("a.txt", FINDING_FILE_HARD_LINK);
    contract.hard_links = HARD_LINKS_WITHIN;
    walk();
    expect("a.txt", FINDING_NONE);
    scratch_dir(&s, "unseen");
    cr_assert_eq(linkat(s.fd, "a.txt", s.fd, "unseen/c", 0), 0);
    walk();
    expect("a.txt", FINDING_FILE_HARD_LINK);
    contract.unlisted = UNLISTED_COUNT; /* names that are only counted count too */
    cr_assert_eq(unlinkat(s.fd, "unseen/c", 0), 0);
    walk();
    expect("a.txt", FINDING_NONE);
}

Test(collect_walk, unlisted_refuse_sees_all_and_refuses)
{
    contract.unlisted = UNLISTED_REFUSE;
    add(false, "a.txt");
    scratch_text(&s, "a.txt", "x");
    scratch_dir(&s, "d");
    scratch_text(&s, "d/stray", "x");
    walk();
    expect("d/stray", FINDING_FILE_UNLISTED);
    cr_assert_eq(level("d/stray"), LEVEL_REFUSE);
    cr_assert_null(find("d"));
}

Test(collect_walk, counted_and_listed_names_have_one_digest)
{
    uint8_t listed[SHA256_SIZE], expected[SHA256_SIZE];
    static const char names[] = "b.bin\0c.bin";
    add(false, "a.txt");
    scratch_text(&s, "a.txt", "x");
    scratch_text(&s, "c.bin", "x");
    scratch_text(&s, "b.bin", "x");
    walk();
    memcpy(listed, out.unlisted_sha256, sizeof(listed));
    sha256_bytes(names, sizeof(names), expected);
    cr_assert(sha256_equal(listed, expected));
    contract.unlisted = UNLISTED_COUNT;
    walk();
    cr_assert_eq(out.items.n, 1u);
    cr_assert_eq(out.unlisted, 2u);
    cr_assert(sha256_equal(listed, out.unlisted_sha256));
}

Test(collect_walk, ignore_opens_exact_paths_and_lists_nothing)
{
    contract.unlisted = UNLISTED_IGNORE;
    add(false, "d/a.txt");
    scratch_dir(&s, "d");
    scratch_text(&s, "d/a.txt", "x");
    scratch_text(&s, "stray", "x");
    walk();
    cr_assert_eq(out.items.n, 1u);
    expect("d/a.txt", FINDING_NONE);
    cr_assert_eq(out.visited, 0u);
    cr_assert_eq(out.directories, 0u);
}

Test(collect_walk, the_bound_counts_what_is_visited_and_is_loud)
{
    char name[16];
    contract.limits.visited = 10;
    add(true, "*.txt")->has_count = true;
    outputs[0].count_min = 0;
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof(name), "n%d.dat", i);
        scratch_text(&s, name, "");
    }
    walk();
    cr_assert_eq(out.visited, 10u);
    expect("*.txt", FINDING_FILE_TOO_MANY);
    contract.limits.visited = 30;
    walk();
    cr_assert_null(find("*.txt"));
    cr_assert_eq(out.findings.n, 0u);
}

Test(collect_walk, an_exhausted_bound_without_a_glob_is_a_finding_of_no_file)
{
    contract.limits.visited = 1;
    add(false, "z.txt");
    scratch_text(&s, "a", "");
    scratch_text(&s, "b", "");
    scratch_text(&s, "z.txt", "");
    walk();
    cr_assert_eq(out.findings.n, 1u);
    cr_assert_eq(out.findings.v[0].code, FINDING_FILE_TOO_MANY);
    cr_assert_not_null(find("z.txt"));
    cr_assert(!find("z.txt")->unmet);
}

Test(collect_walk, files_beyond_the_limit_refuse_in_path_order)
{
    contract.limits.files = 2;
    add(true, "*");
    scratch_text(&s, "c", "");
    scratch_text(&s, "a", "");
    scratch_text(&s, "b", "");
    walk();
    expect("a", FINDING_NONE);
    expect("b", FINDING_NONE);
    expect("c", FINDING_FILE_TOO_MANY);
}

Test(collect_walk, depth_is_bounded_and_loud)
{
    contract.limits.depth = 2;
    add(true, "**");
    scratch_dir(&s, "a");
    scratch_dir(&s, "a/b");
    scratch_text(&s, "a/ok", "");
    scratch_text(&s, "a/b/deep", "");
    scratch_dir(&s, "a/b/c");
    walk();
    expect("a/ok", FINDING_NONE);
    expect("a/b/deep", FINDING_FILE_TOO_DEEP);
    expect("a/b/c", FINDING_FILE_TOO_DEEP);
    cr_assert_eq(level("a/b/c"), LEVEL_REFUSE);
}

Test(collect_walk, a_chain_deeper_than_any_path_ends_without_harm)
{
    contract.limits.depth = UINT64_MAX;
    contract.limits.visited = UINT64_MAX;
    add(true, "**");
    int at = dup(s.fd);
    for (int i = 0; i < 3000; i++) {
        cr_assert_eq(mkdirat(at, "d", 0755), 0);
        int next = openat(at, "d", O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    close(at);
    walk();
    cr_assert_eq(out.directories, 257u);
    bool loud = false;
    for (size_t i = 0; i < out.items.n; i++)
        loud |= out.items.v[i].findings.n > 0 && out.items.v[i].findings.v[0].code == FINDING_FILE_TOO_DEEP;
    cr_assert(loud);
}

/* As another user: root reads everything. */
Test(collect_walk, an_unreadable_directory_is_loud)
{
    add(true, "**");
    scratch_dir(&s, "secret");
    scratch_text(&s, "a", "");
    cr_assert_eq(fchmodat(s.fd, "secret", 0, 0), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
    walk();
    if (geteuid() != 0 && getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    expect("secret", FINDING_FILE_UNREADABLE);
    cr_assert_eq(level("secret"), LEVEL_REFUSE);
    expect("a", FINDING_NONE);
}

Test(collect_walk, a_destination_inside_is_left_out)
{
    struct stat st;
    struct walk_options skip = options;
    add(true, "**");
    scratch_dir(&s, "out");
    scratch_text(&s, "out/bag", "");
    scratch_text(&s, "a", "");
    cr_assert_eq(fstatat(s.fd, "out", &st, 0), 0);
    skip.skip = true;
    skip.skip_dev = (uint64_t)st.st_dev;
    skip.skip_ino = (uint64_t)st.st_ino;
    cr_assert_eq(root_open(&root, s.path, RESOLVE_UNPROBED), 0);
    cr_assert_eq(collect_walk(&root, &skip, &out), 0);
    cr_assert_eq(out.items.n, 1u);
}

Test(collect_walk, an_elapsed_deadline_is_loud)
{
    struct walk_options late = options;
    late.deadline_ns = 1;
    add(true, "*");
    scratch_text(&s, "a", "");
    cr_assert_eq(root_open(&root, s.path, RESOLVE_UNPROBED), 0);
    cr_assert_eq(collect_walk(&root, &late, &out), 0);
    expect("*", FINDING_FILE_TOO_MANY);
}
