/* SPDX-License-Identifier: ISC
 * Harness for record/packed*.c: one input is a tar or a zip. What is accepted has its members in order, inside the file,
 * and without overlap. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "record/packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct packed *packed, size_t size)
{
    uint64_t end = 0;
    for (size_t i = 0; i < packed->n; i++) {
        const struct packed_member *m = &packed->v[i];
        require(m->at >= end && m->at <= size && m->size <= size - m->at);
        require(i < 2 ? m->directory : path_grammar(m->path, strlen(m->path)) == PATH_OK && packed_find(packed, m->path) == m);
        end = m->at + m->size;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct packed packed = {.fd = memfd_create("packed", MFD_CLOEXEC)};
    if (packed.fd < 0 || fd_write_full(packed.fd, data, size) != 0) {
        fd_close(&packed.fd);
        return 0;
    }
    packed.zip = size > 4 && memcmp(data, "PK", 2) == 0;
    int rc = packed.zip ? packed_read_zip(&packed, size) : packed_read_tar(&packed, size);
    require(rc == 0 || rc == 1);
    if (rc == 0)
        check(&packed, size);
    packed_close(&packed);
    return 0;
}
