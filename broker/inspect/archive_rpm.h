/* SPDX-License-Identifier: ISC
 * rpm: a lead, a signature header, a header, and a compressed cpio to the end of the file. */
#ifndef SALLYPORT_ARCHIVE_RPM_H
#define SALLYPORT_ARCHIVE_RPM_H

#include "inspect/archive.h"

void archive_rpm(struct inspection *in);

#endif
