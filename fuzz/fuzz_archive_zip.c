/* SPDX-License-Identifier: ISC
 * Harness for the zip walker (archive_zip.c, zip_*.c): bounds hold, memory is given back, and appending a
 * byte never makes an archive of what was none. */
#include "archive_drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!archive_drive("a.zip", data, size))
        archive_drive_appended("a.zip", data, size);
    return 0;
}
