/* SPDX-License-Identifier: ISC
 * Harness for inspect/active_office.c and office_fields.c: the first line is the part's name, the rest its content. What
 * is said does not hang on the case of the name. */
#include "active_harness.h"

#include "inspect/active_office.h"

static void scan(const char *name, size_t len, const uint8_t *data, size_t size, struct harness_said *said)
{
    struct task task;
    struct bytes package, content;
    struct inspection in;
    struct sink_list list;
    sink_list_init(&list);
    sink_task(&task, "input.docx", NULL);
    bytes_init_memory(&package, "PK", 2);
    bytes_init_memory(&content, data, size);
    inspection_init(&in, &package, &task, &list.budget, &list.sink);
    active_office_member(&in, name, len, &content);
    harness_collect(&list, size, said);
    sink_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    struct harness_said said, upper;
    char name[256];
    if (!line || line - data > (ptrdiff_t)sizeof(name))
        return 0;
    size_t len = (size_t)(line - data), left = size - len - 1;
    scan((const char *)data, len, line + 1, left, &said);
    for (size_t i = 0; i < len; i++)
        name[i] = (char)(data[i] >= 'a' && data[i] <= 'z' ? data[i] - 32 : data[i]);
    scan(name, len, line + 1, left, &upper);
    require(memcmp(&said, &upper, sizeof(said)) == 0);
    return 0;
}
