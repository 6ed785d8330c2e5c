/* SPDX-License-Identifier: ISC
 * Harness for the decoders (archive_peel.c, peel_*.c) and what lies below one layer: bounds hold, memory is
 * given back, and appending a byte never makes an archive of what was none. */
#include "archive_drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!archive_drive("a.gz", data, size))
        archive_drive_appended("a.gz", data, size);
    return 0;
}
