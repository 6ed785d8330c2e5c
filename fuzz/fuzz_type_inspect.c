/* SPDX-License-Identifier: ISC
 * Harness for broker/inspect/type_*.c. The first line of an input is the name, the rest the content. Whatever the bytes,
 * the content gets a claim, the claims do not depend on how the bytes are read, and text is only said of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "inspect/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL}, {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void look(const struct task *task, struct bytes *bytes, struct sink_list *list)
{
    struct inspection in;
    sink_list_init(list);
    inspection_init(&in, bytes, task, &list->budget, &list->sink);
    type_inspect(&in);
    require((in.text == TYPE_PLAIN) == claims_has(&in.claims, TYPE_PLAIN));
}

static void check_claims(const struct claims *claims, const uint8_t *content, size_t len)
{
    bool any = false, text = len > 0 && utf8_valid(content, len) && !memchr(content, 0, len);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        any = any || claims_by_content(claims, (enum type)t);
    require(any);
    require(claims_has(claims, TYPE_PLAIN) == text);
    require(claims_has(claims, TYPE_EMPTY) == (len == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"passive", "jsonl", NULL};
    const uint8_t *end = size > 0 ? memchr(data, '\n', size < 256 ? size : 256) : NULL;
    size_t name = end ? (size_t)(end - data) : 0, start = end ? name + 1 : 0;
    char path[256] = "";
    struct task task;
    struct bytes memory, file;
    struct sink_list first, second;
    memcpy(path, data, name);
    sink_task(&task, path, types);
    bytes_init_memory(&memory, data + start, size - start);
    look(&task, &memory, &first);
    check_claims(&first.claims, data + start, size - start);
    FILE *f = tmpfile();
    require(f && fwrite(data, 1, size, f) == size && fflush(f) == 0);
    bytes_init_fd(&file, fileno(f), start, size - start);
    look(&task, &file, &second);
    require(memcmp(&first.claims, &second.claims, sizeof(first.claims)) == 0);
    require(first.findings.n == second.findings.n);
    bytes_free(&file);
    fclose(f);
    sink_list_free(&first);
    sink_list_free(&second);
    return 0;
}
