/* SPDX-License-Identifier: ISC
 * cpio archives: the ASCII formats "newc" (070701), "crc" (070702) and POSIX.1 "odc" (070707). Only an output that lists
 * cpio admits them. */
#ifndef SALLYPORT_ARCHIVE_CPIO_H
#define SALLYPORT_ARCHIVE_CPIO_H

#include "inspect/archive.h"

void archive_cpio(struct inspection *in);

#endif
