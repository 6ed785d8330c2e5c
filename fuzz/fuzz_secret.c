/* SPDX-License-Identifier: ISC
 * Harness for the secret inspector: one input is a file, read once from memory and once in windows. Both say the same;
 * every place lies inside the file, and no message holds a byte of it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/secret_first.h"
#include "inspect/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void scan(struct sink_list *list, struct bytes *bytes)
{
    static bool ready; /* as in the worker: once */
    struct task task;
    struct inspection in;
    if (!ready)
        require(secret_setup(-1) == 0);
    ready = true;
    sink_list_init(list);
    sink_task(&task, "input.txt", NULL);
    inspection_init(&in, bytes, &task, &list->budget, &list->sink);
    in.text = TYPE_PLAIN;
    secret_inspect(&in);
}

static void check(const struct finding *f, size_t size)
{
    require(f->code == FINDING_SECRET || f->code == FINDING_INSPECT_LIMIT);
    require(f->code != FINDING_SECRET || (f->rule[0] && f->offset < size && f->length <= size - f->offset));
    require(!f->message || strspn(f->message, "abcdefghijklmnopqrstuvwxyz0123456789 >()-,") == strlen(f->message));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sink_list memory, file;
    struct bytes bytes;
    AUTO_FD fd = memfd_create("input", MFD_CLOEXEC);
    require(fd >= 0 && fd_write_full(fd, data, size) == 0);
    bytes_init_memory(&bytes, data, size);
    scan(&memory, &bytes);
    bytes_free(&bytes);
    bytes_init_fd(&bytes, fd, 0, size);
    scan(&file, &bytes);
    bytes_free(&bytes);
    require(memory.findings.n == file.findings.n);
    for (size_t i = 0; i < memory.findings.n; i++) {
        check(&memory.findings.v[i], size);
        require(memory.findings.v[i].offset == file.findings.v[i].offset);
        require(strcmp(memory.findings.v[i].rule, file.findings.v[i].rule) == 0);
    }
    sink_list_free(&memory);
    sink_list_free(&file);
    return 0;
}
