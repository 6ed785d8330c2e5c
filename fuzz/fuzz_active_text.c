/* SPDX-License-Identifier: ISC
 * Harness for inspect/terminal.c, textchars.c, active_csv.c, markdown.c, json_events.c and the scanners on them. */
#include "active_harness.h"

static const struct harness_choice choices[] = {
    {'t', active_text_scan, TYPE_TEXT, TYPE_TEXT, false},     {'l', active_text_scan, TYPE_LOG, TYPE_LOG, false},
    {'s', active_text_scan, TYPE_SOURCE, TYPE_SOURCE, false}, {'c', active_csv_scan, TYPE_CSV, TYPE_CSV, false},
    {'m', active_markdown_scan, TYPE_MARKDOWN, TYPE_MARKDOWN, false},
    {'n', active_notebook_scan, TYPE_NOTEBOOK, TYPE_NOTEBOOK, true},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    harness_run(choices, ARRAY_LEN(choices), data, size);
    return 0;
}
