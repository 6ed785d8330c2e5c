/* SPDX-License-Identifier: ISC
 * Harness for the walkers of 7z and rpm (archive_sevenzip.c, sevenzip_*.c, archive_rpm.c): bounds hold and memory is
 * given back. */
#include "archive_drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!archive_drive("a.7z", data, size))
        archive_drive_appended("a.7z", data, size);
    return 0;
}
