/* SPDX-License-Identifier: ISC
 * Harness for the walkers of Parquet and Arrow: the input is the file. Each ends within its bounds, says what it says in a
 * few findings with a place inside the file, and derives the same bytes however the file is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t derived; /* a sum over all that was shown, in order */

/* Stands for the search for credentials: touches every byte. */
static void sum_bytes(struct inspection *in)
{
    size_t len;
    for (uint64_t at = 0; at < in->bytes->size; at += len) {
        const uint8_t *p = bytes_chunk(in->bytes, at, &len);
        for (size_t i = 0; i < len; i++)
            derived = derived * 31 + p[i];
    }
}

const struct inspector inspectors[] = {{"secret", INSPECTOR_SECRET, sum_bytes, NULL}, {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static uint64_t look(enum type type, struct bytes *bytes, struct sink_list *list)
{
    static const char *const types[] = {"passive", NULL};
    struct task task;
    struct inspection in;
    sink_task(&task, "x", types);
    task.inside.unpacked = 16 * MIB;
    sink_list_init(list);
    inspection_init(&in, bytes, &task, &list->budget, &list->sink);
    claims_add(&in.claims, type, EVIDENCE_HEAD);
    derived = 0;
    if (type == TYPE_PARQUET && active_parquet_applies(&in))
        active_parquet_scan(&in);
    if (type == TYPE_ARROW && active_arrow_applies(&in))
        active_arrow_scan(&in);
    require(list->findings.n <= 8 && list->budget.unpacked <= 16 * MIB && list->budget.held == 0);
    for (size_t i = 0; i < list->findings.n; i++)
        require(list->findings.v[i].offset <= bytes->size);
    return derived;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes memory, file;
    struct sink_list first, second;
    enum type type = size > 0 && data[0] == 'P' ? TYPE_PARQUET : TYPE_ARROW;
    bytes_init_memory(&memory, data, size);
    uint64_t one = look(type, &memory, &first);
    FILE *f = tmpfile();
    require(f && fwrite(data, 1, size, f) == size && fflush(f) == 0);
    bytes_init_fd(&file, fileno(f), 0, size);
    require(look(type, &file, &second) == one && first.findings.n == second.findings.n);
    for (size_t i = 0; i < first.findings.n; i++)
        require(first.findings.v[i].code == second.findings.v[i].code);
    bytes_free(&file);
    fclose(f);
    sink_list_free(&first);
    sink_list_free(&second);
    return 0;
}
