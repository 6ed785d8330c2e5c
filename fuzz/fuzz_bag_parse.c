/* SPDX-License-Identifier: ISC
 * Harness for record/bag_parse.c: what is read as a list comes out of the writer again, in order of its paths, and every path
 * in it is one that stays below the bag. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "record/bag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void check_written(struct bag_list *list)
{
    struct buf text;
    struct bag_list again = {0};
    bag_list_sort(list);
    buf_init(&text, 64 << 20);
    bag_manifest_sha256(&text, list);
    need(!text.failed && bag_list_parse(&again, text.data ? (const char *)text.data : "", text.len) == 0 && again.n == list->n);
    for (size_t i = 0; i < list->n; i++)
        need(strcmp(list->v[i].path, again.v[i].path) == 0 && sha256_equal(list->v[i].sha256, again.v[i].sha256));
    buf_free(&text);
    bag_list_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bag_list list = {0};
    char *text = malloc(size + 1);
    need(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (bag_list_parse(&list, text, size) == 0) {
        for (size_t i = 0; i < list.n; i++)
            need(path_grammar(list.v[i].path, strlen(list.v[i].path)) == PATH_OK);
        check_written(&list);
    }
    bag_list_free(&list);
    free(text);
    return 0;
}
