/* SPDX-License-Identifier: ISC
 * Harness for inspect/active_pdf.c, pdf_object.c, pdf_stream.c, pdf_token.c and pdf_watch.c. Only a whole file may pass:
 * one without its first or last byte that is not blank is malformed or encrypted. */
#include "active_harness.h"

static const struct harness_choice pdf = {0, active_pdf_scan, TYPE_PDF, TYPE_PDF, false};

static bool refused_as_whole(const struct harness_said *said)
{
    uint64_t whole = (uint64_t)1 << (FINDING_ACTIVE_PDF_MALFORMED % 64) |
                     (uint64_t)1 << (FINDING_ACTIVE_PDF_ENCRYPTED % 64);
    return (said->level[LEVEL_REFUSE] & whole) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct harness_said said;
    harness_scan(&pdf, data, size, &said);
    if (refused_as_whole(&said))
        return 0;
    harness_scan(&pdf, data + 1, size - 1, &said);
    require(refused_as_whole(&said));
    while (size > 0 && (data[size - 1] == 0 || strchr(" \t\n\r\f", data[size - 1])))
        size--;
    harness_scan(&pdf, data, size - 1, &said);
    require(refused_as_whole(&said));
    return 0;
}
