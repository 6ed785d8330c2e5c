/* SPDX-License-Identifier: ISC
 * Bags as sources: each is verified first, its digest is bound into the new record, and what is copied is compared with
 * what was verified. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line_parts.h"
#include "collect/collect_list.h"
#include "contract/contract_match.h"
#include "record/verify.h"

struct line_part {
    struct root root;        /* of the bag */
    struct root data;        /* of its data/ */
    struct bag_list files;   /* sorted; paths start with data/ */
};

static const char prefix[] = "bag:";

static int read_manifest(struct line_part *part, const struct verify_result *verified)
{
    uint8_t *text = NULL, want[SHA256_SIZE], have[SHA256_SIZE];
    size_t len = 0;
    struct bag_list tags = {0};
    AUTO_FD tag_fd = root_openat(&part->root, "tagmanifest-sha256.txt", O_RDONLY);
    if (tag_fd < 0 || fd_read_all(tag_fd, (size_t)GIB, &text, &len) != 0)
        return -1;
    sha256_bytes(text, len, have);
    errno = EILSEQ;
    int rc = hex_decode(verified->tagmanifest_sha256, want, SHA256_SIZE) && sha256_equal(want, have) ? 0 : -1;
    if (rc == 0)
        rc = bag_list_parse(&tags, (const char *)text, len);
    free(text);
    text = NULL;
    AUTO_FD fd = rc == 0 ? root_openat(&part->root, "manifest-sha256.txt", O_RDONLY) : -1;
    if (fd < 0 || fd_read_all(fd, (size_t)GIB, &text, &len) != 0)
        rc = -1;
    if (rc == 0) {
        sha256_bytes(text, len, have);
        rc = -1;
        for (size_t i = 0; i < tags.n; i++)
            if (strcmp(tags.v[i].path, "manifest-sha256.txt") == 0 && sha256_equal(tags.v[i].sha256, have))
                rc = bag_list_parse(&part->files, (const char *)text, len);
    }
    free(text);
    bag_list_free(&tags);
    return rc;
}

static int open_data(struct line_part *part, const char *path, const struct verify_result *verified)
{
    if (root_open(&part->root, path, RESOLVE_UNPROBED) != 0 || read_manifest(part, verified) != 0)
        return -1;
    int data = root_openat(&part->root, "data", O_RDONLY | O_DIRECTORY);
    return data < 0 ? -1 : root_adopt(&part->data, &data, RESOLVE_UNPROBED);
}

static void keep_identity(struct part_line *line, const struct verify_result *verified)
{
    snprintf(line->id, sizeof(line->id), "%s", verified->id);
    snprintf(line->name, sizeof(line->name), "%s", verified->name);
    snprintf(line->content_sha256, sizeof(line->content_sha256), "%s", verified->content_sha256);
    snprintf(line->tagmanifest_sha256, sizeof(line->tagmanifest_sha256), "%s", verified->tagmanifest_sha256);
}

static int open_one(struct line *line, const char *path)
{
    struct verify_result verified = {0};
    const struct verify_options options = {0};
    struct line_part *part = &line->parts[line->parts_n];
    *part = (struct line_part){.root.fd = -1, .data.fd = -1};
    int rc = verify_bag(path, &options, &verified);
    char *shown = say_name(path);
    if (rc < 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
        line_fail("the bag cannot be read", path, errno);
    } else if (rc == 1) {
        say("the bag '%s' does not verify, so nothing is taken from it; see: sallyport verify", shown ? shown : "?");
        rc = EXIT_VERIFY;
    } else if (open_data(part, path, &verified) != 0) {
        rc = line_fail("the bag changed after it was verified, or cannot be read", path, errno);
    } else {
        rc = EXIT_OK;
        keep_identity(&line->part_lines[line->parts_n], &verified);
    }
    free(shown);
    line->parts_n++;
    verify_result_free(&verified);
    return rc;
}

int line_parts_open(struct line *line)
{
    const struct arg_list *from = &line->args->from;
    line->source_kind = "bag";
    line->parts = calloc(from->n, sizeof(*line->parts));
    line->part_lines = calloc(from->n, sizeof(*line->part_lines));
    if (!line->parts || !line->part_lines)
        return line_fail("the bags", NULL, ENOMEM);
    for (size_t i = 0; i < from->n; i++) {
        if (strncmp(from->v[i], prefix, strlen(prefix)) != 0) {
            say("several sources can only be bags: --from bag:A --from bag:B");
            return EXIT_USAGE;
        }
        int rc = open_one(line, from->v[i] + strlen(prefix));
        if (rc != EXIT_OK)
            return rc;
    }
    return EXIT_OK;
}

static const struct output *match(const void *ctx, const char *path, bool *hidden)
{
    return contract_match(ctx, path, hidden);
}

static int list_part(struct line *line, size_t index, struct listed_object *objects, size_t *n)
{
    const struct line_part *part = &line->parts[index];
    for (size_t i = 0; i < part->files.n; i++) {
        struct listed_object *object = &objects[*n];
        *object = (struct listed_object){.path = part->files.v[i].path + strlen("data/"), .origin = index + 1};
        if (root_facts(&part->data, object->path, &object->facts) != 0)
            return -1;
        (*n)++;
    }
    return 0;
}

int line_parts_walk(struct line *line)
{
    const struct walk_options options = {.contract = line->contract, .match = match, .ctx = line->contract};
    size_t all = 1, n = 0;
    for (size_t i = 0; i < line->parts_n; i++)
        all += line->parts[i].files.n;
    struct listed_object *objects = calloc(all, sizeof(*objects));
    int rc = objects ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < line->parts_n; i++)
        rc = list_part(line, i, objects, &n);
    if (rc == 0)
        rc = collect_list(&options, objects, n, &line->walk);
    int error = errno;
    free(objects);
    return rc == 0 ? EXIT_OK : line_fail("the files of the bags", NULL, error);
}

static const struct bag_file *find(const struct line_part *part, const char *path)
{
    size_t low = 0, high = part->files.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(part->files.v[middle].path + strlen("data/"), path);
        if (order == 0)
            return &part->files.v[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int line_parts_copy(struct line *line, struct copy_job *job, struct item *item, int staged)
{
    if (item->origin == 0 || item->origin > line->parts_n) {
        errno = EPROTO;
        return -1;
    }
    const struct line_part *part = &line->parts[item->origin - 1];
    job->root = &part->data;
    int rc = collect_copy(job, item, staged);
    const struct bag_file *file = find(part, item->path);
    if (rc != 0 || (file && sha256_equal(file->sha256, item->digest.sha256)))
        return rc;
    item->copied = false;
    return finding_list_note(&item->findings, FINDING_FILE_CHANGED, "the file is not the one that was verified in its bag") == 0
               ? 1
               : -1;
}

void line_parts_free(struct line *line)
{
    for (size_t i = 0; i < line->parts_n; i++) {
        bag_list_free(&line->parts[i].files);
        root_close(&line->parts[i].data);
        root_close(&line->parts[i].root);
    }
    free(line->parts);
    free(line->part_lines);
    line->parts = NULL;
    line->part_lines = NULL;
    line->parts_n = 0;
}

/* --- shares ------------------------------------------------------------------------------- */

int line_shard_parse(struct line *line)
{
    enum { SHARDS_MAX = 65536 };
    unsigned long index, of;
    char *slash, *end;
    const char *text = line->args->shard;
    if (!text)
        return EXIT_OK;
    index = strtoul(text, &slash, 10);
    of = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
    if (strspn(text, "0123456789/") != strlen(text) || of < 1 || of > SHARDS_MAX || *end || index < 1 || index > of) {
        say("--shard wants K/N, from 1/N to N/N");
        return EXIT_USAGE;
    }
    line->shard_index = index;
    line->shard_of = of;
    return EXIT_OK;
}

/* By digest of the path: stable, even, and known to every machine without asking. */
static bool ours(const struct line *line, const char *path)
{
    uint8_t sha256[SHA256_SIZE];
    uint64_t v = 0;
    sha256_bytes(path, strlen(path), sha256);
    for (size_t i = 0; i < sizeof(v); i++)
        v = v << 8 | sha256[i];
    return v % line->shard_of == line->shard_index - 1;
}

/* A glob's count is of all shares together: too few is for the promotion that joins them to say. */
static bool keeps(const struct line *line, const struct item *item)
{
    if (item->unmet && item->output && item->output->glob)
        return item->findings.n != 1 || item->findings.v[0].code != FINDING_FILE_MISSING;
    return ours(line, item->path);
}

void line_shard_keep(struct line *line)
{
    struct item_list *items = &line->walk.items;
    size_t kept = 0;
    if (!line->shard_of)
        return;
    for (size_t i = 0; i < items->n; i++) {
        if (keeps(line, &items->v[i]))
            items->v[kept++] = items->v[i];
        else
            item_clear(&items->v[i]);
    }
    items->n = kept;
}
