/* SPDX-License-Identifier: ISC
 * Harness for broker/inspect/pickle.c: what a prefix of the bytes was seen to do, the whole does too, since an unpickler
 * has done it by then; and only what was read counts. */
#include <stdlib.h>

#include "inspect/inspector.h"
#include "inspect/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes whole, part;
    bytes_init_memory(&whole, data, size);
    struct pickle_walk w = pickle_walk(&whole, 0);
    require(w.end <= size && w.ops <= size + 1);
    require(!w.call || (w.global && w.call_at >= w.global_at && w.call_at < size));
    require(!w.complete || w.end == size);
    for (size_t cut = 0; cut < size && cut < 64; cut++) {
        bytes_init_memory(&part, data, size - cut);
        struct pickle_walk p = pickle_walk(&part, 0);
        require(!p.call || w.call);
        require(!p.global || w.global);
    }
    return 0;
}
