/* SPDX-License-Identifier: ISC
 * Harness for inspect/active_eml.c, eml_head.c, eml_param.c, eml_decode.c and eml_part.c. Ends of lines in either form are
 * one structure: what is said of a mail with LF is said of it with CRLF. */
#include "active_harness.h"

static const struct harness_choice mail = {0, active_eml_scan, TYPE_EML, TYPE_EML, false};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct harness_said said, again;
    size_t n = 0;
    harness_scan(&mail, data, size, &said);
    if (memchr(data, '\r', size) || size > 4096)
        return 0;
    uint8_t *other = malloc(2 * size + 1);
    require(other != NULL);
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\n')
            other[n++] = '\r';
        other[n++] = data[i];
    }
    harness_scan(&mail, other, n, &again);
    free(other);
    require(memcmp(&said, &again, sizeof(said)) == 0);
    return 0;
}
