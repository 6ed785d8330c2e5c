/* SPDX-License-Identifier: ISC
 * init: a commented contract, with outputs proposed from what a directory holds. The directory is as hostile as any
 * source: it is walked by the same bounded walk, and nothing in it is opened. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "contract/contract_init.h"

static const struct output *match_none(const void *ctx, const char *path, bool *hidden)
{
    (void)ctx;
    (void)path;
    *hidden = false;
    return NULL;
}

static bool enter_all(const void *ctx, const char *dir)
{
    (void)ctx;
    (void)dir;
    return true;
}

static int list_files(const char *dir, struct walk_result *walk)
{
    const struct contract every = {.limits = {.files = DEFAULT_VISITED, .total = UINT64_MAX, .depth = WALK_DEPTH_MAX,
                                              .visited = DEFAULT_VISITED}};
    const struct walk_options options = {.contract = &every, .match = match_none, .enter = enter_all};
    struct root root = {.fd = -1};
    int rc = root_open(&root, dir, RESOLVE_UNPROBED);
    if (rc == 0)
        rc = collect_walk(&root, &options, walk);
    int error = errno;
    root_close(&root);
    errno = error;
    return rc;
}

static size_t pick_files(const struct walk_result *walk, struct init_file *files)
{
    size_t n = 0;
    for (size_t i = 0; i < walk->items.n; i++) {
        const struct item *item = &walk->items.v[i];
        if (item->source.kind == OBJECT_FILE)
            files[n++] = (struct init_file){.path = item->path, .size = item->source.size};
    }
    return n;
}

static const char *last_component(const char *dir)
{
    const char *slash = strrchr(dir, '/');
    return slash && slash[1] ? slash + 1 : dir;
}

int cmd_init(const struct args *args)
{
    struct walk_result walk = {0};
    struct buf out;
    const char *dir = args->from.n ? args->from.v[0] : NULL;
    if (args->operands.n || args->from.n > 1) {
        say("init takes no argument but --from DIR");
        return EXIT_USAGE;
    }
    if (dir && list_files(dir, &walk) != 0)
        return line_fail("the directory cannot be read", dir, errno) == EXIT_INTERNAL ? EXIT_INTERNAL : EXIT_USAGE;
    struct init_file *files = calloc(walk.items.n + 1, sizeof(*files));
    size_t n = files ? pick_files(&walk, files) : 0;
    buf_init(&out, 16 * MIB);
    if (files)
        contract_init_write(dir ? last_component(dir) : NULL, files, n, &out);
    int rc = !files || out.failed ? EXIT_INTERNAL : EXIT_OK;
    if (rc == EXIT_OK)
        fwrite(out.data, 1, out.len, stdout);
    buf_free(&out);
    free(files);
    walk_result_free(&walk);
    return rc;
}
