/* SPDX-License-Identifier: ISC
 * Two bags, both verified first: what the second has that the first has not, by path and SHA-256, and whether contract and
 * decision are the same. Nothing is said of bytes that did not verify. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/bag.h"
#include "record/verify.h"

/* One of the two. */
struct side {
    struct bag_list files;
    char decision[16], contract[SHA256_HEX];
};

struct change {
    const char *what, *path; /* "added", "removed", "changed"; borrowed */
};

struct changes {
    struct change *v; /* owned */
    size_t n, same;
};

static int read_file(const struct root *root, const char *path, uint8_t **data, size_t *len)
{
    AUTO_FD fd = root_openat(root, path, O_RDONLY);
    return fd < 0 ? -1 : fd_read_all(fd, (size_t)GIB, data, len);
}

static int read_list(const struct root *root, struct side *side)
{
    uint8_t *data = NULL;
    size_t len = 0;
    int rc = read_file(root, "manifest-sha256.txt", &data, &len);
    if (rc == 0)
        rc = bag_list_parse(&side->files, (const char *)data, len);
    free(data);
    bag_list_sort(&side->files);
    return rc;
}

static int read_record(const struct root *root, struct side *side)
{
    uint8_t *data = NULL;
    size_t len = 0;
    if (read_file(root, "sallyport/record.json", &data, &len) != 0)
        return -1;
    json_t *record = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, NULL);
    json_t *contract = json_object_get(json_object_get(record, "content"), "contract");
    const char *sha256 = json_string_value(json_object_get(contract, "sha256"));
    snprintf(side->contract, sizeof(side->contract), "%s", sha256 ? sha256 : "");
    json_decref(record);
    free(data);
    return 0;
}

/* EXIT_OK, or an exit code after it said why. */
static int load(const char *path, struct side *side)
{
    const struct verify_options options = {0};
    struct verify_result result = {0};
    struct root root = {.fd = -1};
    int rc = verify_bag(path, &options, &result);
    snprintf(side->decision, sizeof(side->decision), "%s", result.decision);
    verify_result_free(&result);
    if (rc == 1) {
        char *shown = say_name(path);
        say("the bag '%s' does not verify, so it is not compared; see: sallyport verify", shown ? shown : "?");
        free(shown);
        return EXIT_VERIFY;
    }
    if (rc == 0)
        rc = root_open(&root, path, RESOLVE_UNPROBED);
    if (rc == 0 && (read_list(&root, side) != 0 || read_record(&root, side) != 0))
        rc = -1;
    int error = errno;
    root_close(&root);
    if (rc == 0)
        return EXIT_OK;
    line_fail("the bag cannot be read as a directory", path, error);
    return error == ENOENT || error == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
}

static void note(struct changes *changes, const char *what, const char *path)
{
    changes->v[changes->n++] = (struct change){what, path};
}

/* Both lists are sorted: one pass. */
static int compare(const struct bag_list *a, const struct bag_list *b, struct changes *changes)
{
    size_t i = 0, k = 0;
    changes->v = calloc(a->n + b->n + 1, sizeof(*changes->v));
    if (!changes->v)
        return EXIT_INTERNAL;
    while (i < a->n || k < b->n) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->v[i].path, b->v[k].path);
        if (order < 0)
            note(changes, "removed", a->v[i].path);
        else if (order > 0)
            note(changes, "added", b->v[k].path);
        else if (!sha256_equal(a->v[i].sha256, b->v[k].sha256))
            note(changes, "changed", a->v[i].path);
        else
            changes->same++;
        i += order <= 0;
        k += order >= 0;
    }
    return EXIT_OK;
}

static void print_human(const struct side *a, const struct side *b, const struct changes *changes)
{
    for (size_t i = 0; i < changes->n; i++) {
        char *shown = say_name(changes->v[i].path);
        printf("  %-8s %s\n", changes->v[i].what, shown ? shown : "?");
        free(shown);
    }
    if (strcmp(a->contract, b->contract) != 0)
        printf("  the contracts differ: %s, %s\n", a->contract, b->contract);
    if (strcmp(a->decision, b->decision) != 0)
        printf("  the decisions differ: %s, %s\n", a->decision, b->decision);
    printf("%zu differ, %zu are the same\n", changes->n, changes->same);
}

static void put_path(struct jsonw *j, const char *path)
{
    bool escaped = false;
    char *text = say_path_text(path, strlen(path), &escaped);
    jsonw_put_text(j, "path", text);
    if (escaped)
        jsonw_put_bool(j, "path_escaped", true);
    free(text);
}

static int print_json(const struct side *a, const struct side *b, const struct changes *changes)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, 512 * MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_put_bool(&j, "contract_same", strcmp(a->contract, b->contract) == 0);
    jsonw_put_bool(&j, "decision_same", strcmp(a->decision, b->decision) == 0);
    jsonw_key(&j, "differences");
    jsonw_array(&j);
    for (size_t i = 0; i < changes->n; i++) {
        jsonw_object(&j);
        put_path(&j, changes->v[i].path);
        jsonw_put_text(&j, "what", changes->v[i].what);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_put_u64(&j, "same", changes->same);
    jsonw_put_text(&j, "schema", "sallyport.diff/1");
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int show(const struct args *args, const struct side *a, const struct side *b)
{
    struct changes changes = {0};
    int rc = compare(&a->files, &b->files, &changes);
    bool same = changes.n == 0 && strcmp(a->contract, b->contract) == 0 && strcmp(a->decision, b->decision) == 0;
    if (rc == EXIT_OK && args->format == REPORT_JSON)
        rc = print_json(a, b, &changes);
    else if (rc == EXIT_OK && !(args->quiet && same))
        print_human(a, b, &changes);
    free(changes.v);
    return rc != EXIT_OK ? rc : same ? EXIT_OK : EXIT_REFUSED;
}

int cmd_diff(const struct args *args)
{
    struct side a = {0}, b = {0};
    if (args->operands.n != 2 || (args->format_given && args->format != REPORT_JSON && args->format != REPORT_HUMAN)) {
        say("two bags are wanted, and human or json: sallyport diff BAG BAG [--format json]");
        return EXIT_USAGE;
    }
    int rc = load(args->operands.v[0], &a);
    if (rc == EXIT_OK)
        rc = load(args->operands.v[1], &b);
    if (rc == EXIT_OK)
        rc = show(args, &a, &b);
    bag_list_free(&a.files);
    bag_list_free(&b.files);
    return rc;
}
