/* SPDX-License-Identifier: ISC
 * Harness for the walkers of tar, cpio and ar (archive_tar.c, tar_*.c, archive_cpio.c, archive_ar.c): bounds
 * hold, memory is given back, and appending a byte never makes an archive of what was none. */
#include "archive_drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!archive_drive("a.tar", data, size))
        archive_drive_appended("a.tar", data, size);
    return 0;
}
