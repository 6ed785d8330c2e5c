/* SPDX-License-Identifier: ISC
 * What the harnesses of active-content scanners share: one scanner over the input, what it said as sets of codes, and
 * what must hold of every finding. The first byte of an input chooses scanner and admitted types. */
#ifndef SALLYPORT_FUZZ_ACTIVE_HARNESS_H
#define SALLYPORT_FUZZ_ACTIVE_HARNESS_H

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "inspect/active_scanners.h"
#include "inspect/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One scanner at a time: nothing else runs. */
const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

struct harness_choice {
    uint8_t first;
    void (*scan)(struct inspection *in);
    enum type claim, admitted;
    bool prefixed; /* white space in front changes nothing */
};

struct harness_said {
    uint64_t level[3]; /* codes at each level, as bits */
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void harness_collect(const struct sink_list *list, size_t size, struct harness_said *said)
{
    _Static_assert(FINDING_COUNT <= 128, "codes are folded into 64 bits");
    *said = (struct harness_said){.level = {0}};
    require(list->findings.n < 64); /* gathered: however large the input */
    for (size_t i = 0; i < list->findings.n; i++) {
        const struct finding *f = &list->findings.v[i];
        require(!f->has_offset || f->offset <= size);
        said->level[f->level] |= (uint64_t)1 << ((unsigned)f->code % 64);
    }
}

static void harness_scan(const struct harness_choice *choice, const uint8_t *data, size_t size,
                         struct harness_said *said)
{
    struct task task;
    struct bytes bytes;
    struct inspection in;
    struct sink_list list;
    sink_list_init(&list);
    sink_task(&task, "input", NULL);
    type_set_add(&task.admitted, choice->admitted);
    bytes_init_memory(&bytes, data, size);
    inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
    claims_add(&in.claims, choice->claim, EVIDENCE_TEXT);
    in.text = utf8_valid(data, size) && !memchr(data, 0, size) ? TYPE_PLAIN : TYPE_NONE;
    choice->scan(&in);
    harness_collect(&list, size, said);
    sink_list_free(&list);
}

UNUSED static void harness_run(const struct harness_choice *choices, size_t n, const uint8_t *data, size_t size)
{
    enum { BLANKS = 70 };
    struct harness_said said, again;
    for (size_t i = 0; size > 0 && i < n; i++) {
        if (choices[i].first != data[0])
            continue;
        harness_scan(&choices[i], data + 1, size - 1, &said);
        if (!choices[i].prefixed)
            return;
        uint8_t *padded = malloc(size + BLANKS);
        require(padded != NULL);
        memset(padded, '\n', BLANKS);
        memcpy(padded + BLANKS, data + 1, size - 1);
        harness_scan(&choices[i], padded, size - 1 + BLANKS, &again);
        free(padded);
        require(memcmp(&said, &again, sizeof(said)) == 0);
        return;
    }
}

#endif
