/* SPDX-License-Identifier: ISC
 * The last steps: the bag's own files, the one rename, the ledger. Nothing here can be reached without a decision. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/bag.h"
#include "record/verify.h"
#include "report/report.h"

/* A bag under construction: where its files go, and the list that becomes the tag manifest. */
struct bag {
    struct publish *into;
    struct bag_list tags;
};

static int put_file(struct bag *bag, const char *path, const void *data, size_t len)
{
    struct digest digest = {.bytes = len};
    sha256_bytes(data, len, digest.sha256);
    if (publish_write(bag->into, path, data, len) != 0)
        return -1;
    return bag_list_add(&bag->tags, path, &digest);
}

/* Writes what `out` holds and empties it. */
static int put_buf(struct bag *bag, const char *path, struct buf *out)
{
    int rc = -1;
    if (out->failed)
        errno = ENOMEM;
    else
        rc = put_file(bag, path, out->data ? out->data : (const uint8_t *)"", out->len);
    buf_reset(out);
    return rc;
}

static int put_html(struct line *line, struct bag *bag, struct buf *out)
{
    struct report report;
    char content_sha256[SHA256_HEX];
    line_report_common(line, content_sha256, &report);
    if (report_write(&report, REPORT_HTML, out) != 0)
        return -1;
    return put_buf(bag, "sallyport/report.html", out);
}

/* The order of SPEC 6: lists, then the record and what belongs to it, then the tag manifest over all of them. */
static int write_tag_files(struct line *line, struct bag *bag, const struct bag_list *files, struct buf *out)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < files->n; i++)
        bytes += files->v[i].bytes;
    bag_declaration(out);
    if (put_buf(bag, "bagit.txt", out) != 0)
        return -1;
    bag_info(out, line->contract, line->id, line->started, bytes, files->n, &line->args->labels);
    if (put_buf(bag, "bag-info.txt", out) != 0)
        return -1;
    bag_manifest_sha256(out, files);
    if (put_buf(bag, "manifest-sha256.txt", out) != 0)
        return -1;
    bag_manifest_xxh128(out, files);
    if (put_buf(bag, "sallyport/manifest-xxh128.txt", out) != 0)
        return -1;
    if (put_file(bag, "sallyport/contract.yaml", line->contract->text, line->contract->text_len) != 0 ||
        put_file(bag, "sallyport/record.json", line->record.data, line->record.len) != 0)
        return -1;
    return put_html(line, bag, out);
}

/* The tag manifest over everything so far stays in `out`: it is what signers sign. */
static int write_lists(struct line *line, struct bag *bag, const struct bag_list *files, struct buf *out)
{
    if (publish_directory(bag->into, "data") != 0 || write_tag_files(line, bag, files, out) != 0)
        return -1;
    bag_list_sort(&bag->tags);
    bag_manifest_sha256(out, &bag->tags);
    if (out->failed) {
        errno = ENOMEM;
        return -1;
    }
    sha256_bytes(out->data, out->len, line->tagmanifest_sha256);
    return publish_write(bag->into, "tagmanifest-sha256.txt", out->data, out->len);
}

/* All of the bag but its payload; says what failed and returns the exit code. */
static int write_bag(struct line *line, struct publish *into, const struct bag_list *files, const char *complaint)
{
    struct bag bag = {.into = into};
    struct buf out;
    buf_init(&out, (size_t)GIB);
    int rc = write_lists(line, &bag, files, &out) == 0 ? EXIT_OK : line_fail(complaint, NULL, errno);
    const struct sign_input input = {.tagmanifest = (const char *)out.data, .tagmanifest_len = out.len, .payload = files,
                                     .tags = &bag.tags, .record = (const char *)line->record.data,
                                     .record_len = line->record.len, .time = line->finished};
    if (rc == EXIT_OK && line->args->sign.n > 0)
        rc = line_sign(line, into, &input);
    buf_free(&out);
    bag_list_free(&bag.tags);
    return rc;
}

/* The lock is held for a rename and a line, so whoever has it will let go soon: it is waited for a while; --wait does not
 * give up. */
static int take_lock(struct line *line, int *lock)
{
    do {
        *lock = destination_lock(&line->dest, true);
    } while (*lock < 0 && errno == EWOULDBLOCK && line->args->wait && !cmd_interrupted());
    return *lock >= 0 ? 0 : -1;
}

static int join_path(struct line *line, const char *dir, const char *name)
{
    struct buf out;
    buf_init(&out, PATH_BYTES * 2);
    buf_printf(&out, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    free(line->bag_path);
    line->bag_path = buf_take_text(&out);
    return line->bag_path ? 0 : -1;
}

/* Is what stands in the bag at this relative path exactly these bytes? */
static bool same_file(const struct line *line, const char *relative, const void *data, size_t len)
{
    char path[LINE_NAME_BYTES + 64];
    uint8_t *have = NULL;
    size_t have_len = 0;
    snprintf(path, sizeof(path), "%s/%s", line->name, relative);
    AUTO_FD fd = openat(line->dest.fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fd_read_all(fd, (size_t)GIB, &have, &have_len) != 0)
        return false;
    bool same = have_len == len && (len == 0 || memcmp(have, data, len) == 0);
    free(have);
    return same;
}

/* The name is taken. It is success where that bag verifies and came from the same contract and the same bytes. */
static int check_already(struct line *line)
{
    struct verify_result verified = {0};
    const struct verify_options options = {0};
    struct buf manifest;
    buf_init(&manifest, (size_t)GIB);
    bag_manifest_sha256(&manifest, &line->files);
    bool same = !manifest.failed && same_file(line, "manifest-sha256.txt", manifest.data, manifest.len) &&
                same_file(line, "sallyport/contract.yaml", line->contract->text, line->contract->text_len);
    buf_free(&manifest);
    if (same && verify_bag(line->bag_path, &options, &verified) == 0) {
        line->already = line->published = true;
        hex_decode(verified.tagmanifest_sha256, line->tagmanifest_sha256, SHA256_SIZE);
        line_ledger_head(line);
        int rc = line_sign_published(line, &verified);
        verify_result_free(&verified);
        return rc == EXIT_OK ? line_record(line) : rc;
    }
    verify_result_free(&verified);
    say("'%s' already exists in the destination and is not this promotion: choose another --id", line->name);
    return EXIT_BROKER;
}

static int commit_bag(struct line *line)
{
    AUTO_FD lock = -1;
    if (take_lock(line, &lock) != 0)
        return line_fail("the destination is locked by another promotion", line->args->to, errno);
    if (cmd_interrupted()) {
        say("interrupted; nothing was published");
        return 128 + cmd_interrupted();
    }
    int rc = line_ledger_ready(line);
    if (rc != EXIT_OK)
        return rc;
    if (publish_commit(line->publish, line->name) != 0) {
        int error = errno;
        line_ledger_give_up(line);
        return error == EEXIST ? check_already(line)
                               : line_fail("the bag could not be published, nothing is there", line->name, error);
    }
    line->published = true;
    return line_ledger_append(line);
}

static int publish_bag(struct line *line)
{
    bag_list_sort(&line->files);
    if (join_path(line, line->args->to, line->name) != 0)
        return line_fail("bag", NULL, ENOMEM);
    int rc = write_bag(line, line->publish, &line->files, "the bag could not be written, nothing was published");
    if (rc != EXIT_OK)
        return rc;
    if (publish_sync(line->publish) != 0)
        return line_fail("the bag could not be written, nothing was published", NULL, errno);
    return commit_bag(line);
}

static int publish_tree(struct line *line, struct publish *tree)
{
    if (publish_commit_tree(tree, "data") == 0) {
        line->tree_path = line->args->tree;
        return EXIT_OK;
    }
    if (errno == EEXIST) {
        say("below '%s' stands a file of this promotion already, or no directory where one is wanted: nothing was written "
            "there; move it away or give an empty directory", line->args->tree);
        return EXIT_BROKER;
    }
    return line_fail("the files could not be written to", line->args->tree, errno);
}

/* A refused id may be used again, and what an earlier refusal left under the name stays: then it is NAME.2, NAME.3, ... */
static int commit_beside(struct publish *into, const char *name, char placed[LINE_NAME_BYTES + 8])
{
    snprintf(placed, LINE_NAME_BYTES + 8, "%s", name);
    int rc = publish_commit(into, placed);
    for (unsigned n = 2; rc != 0 && errno == EEXIST && n <= REFUSALS_MAX; n++) {
        snprintf(placed, LINE_NAME_BYTES + 8, "%s.%u", name, n);
        rc = publish_commit(into, placed);
    }
    return rc;
}

/* A refusal is evidence: the same bag with an empty data/. */
static int record_refusal(struct line *line)
{
    const struct bag_list none = {0};
    char placed[LINE_NAME_BYTES + 8];
    int rc = write_bag(line, line->refusal, &none, "the record of the refusal could not be written");
    if (rc == EXIT_OK && commit_beside(line->refusal, line->name, placed) != 0)
        rc = line_fail("the record of the refusal could not be written to", line->args->record_dir, errno);
    if (rc == EXIT_OK && !line->args->quiet) {
        char *shown = say_name(line->args->record_dir);
        say("the record of the refusal is in %s/%s", shown ? shown : "?", placed);
        free(shown);
    }
    return rc;
}

static int keep_held(struct line *line)
{
    char placed[LINE_NAME_BYTES + 8];
    if (commit_beside(line->hold, line->id, placed) != 0)
        return line_fail("the files could not be held in", line->args->hold, errno);
    char *shown = say_name(line->args->hold);
    say("the files are held: give a corrected contract with --from held:%s/%s", shown ? shown : "?", placed);
    free(shown);
    return EXIT_OK;
}

static int publish_refusal(struct line *line)
{
    int rc = EXIT_OK;
    if (line->refusal)
        rc = record_refusal(line);
    if (line->hold)
        rc = exit_worst(rc, keep_held(line));
    if (line->args->to) {
        AUTO_FD lock = -1;
        if (take_lock(line, &lock) != 0)
            return exit_worst(rc, line_fail("the destination is locked by another promotion", line->args->to, errno));
        int ledger = line_ledger_ready(line);
        rc = exit_worst(rc, ledger == EXIT_OK ? line_ledger_append(line) : ledger);
    }
    return rc;
}

int line_publish(struct line *line)
{
    int code = line->decision == DECISION_REFUSE ? EXIT_REFUSED
               : line->decision == DECISION_PARTIAL ? EXIT_PARTIAL
                                                    : EXIT_OK;
    if (!line->publishes)
        return code;
    if (line->decision == DECISION_REFUSE)
        return exit_worst(code, publish_refusal(line));
    int rc = EXIT_OK;
    if (line->args->to)
        rc = publish_bag(line);
    if (rc == EXIT_OK && line->args->tree)
        rc = publish_tree(line, line->tree ? line->tree : line->publish);
    line->failed = rc != EXIT_OK && !line->published && !line->tree_path;
    return exit_worst(rc, code);
}
