/* SPDX-License-Identifier: ISC
 * Harness for record/verify_record.c: one input is a record.json of a bag that holds nothing else. Nothing but a whole,
 * canonical record with a true digest and true sums goes without a difference of its own. */
#include <stdlib.h>
#include <string.h>

#include "record/verify_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct packed nothing = {.fd = -1};
    struct verify_result result = {0};
    const struct verify_options options = {0};
    struct verify v = {.root.fd = -1, .packed = &nothing, .options = &options, .out = &result};
    v.record = malloc(size + 1);
    v.record_len = size;
    if (!v.record)
        return 0;
    memcpy(v.record, data, size);
    v.record[size] = 0;
    verify_record_text(&v);
    bool about_record = false;
    for (size_t i = 0; i < result.n; i++) {
        if (!result.v[i].message || !result.v[i].code[0])
            abort();
        about_record |= strcmp(result.v[i].code, "record") == 0;
    }
    if (!about_record && (size < 2 || data[0] != '{' || data[size - 1] != '\n'))
        abort();
    free(v.record);
    verify_result_free(&result);
    return 0;
}
