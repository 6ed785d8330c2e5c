/* SPDX-License-Identifier: ISC
 * ar archives (the common format of System V, GNU and BSD; ar(5)) and Debian packages (deb(5)). */
#ifndef SALLYPORT_ARCHIVE_AR_H
#define SALLYPORT_ARCHIVE_AR_H

#include "inspect/archive.h"

void archive_ar(struct inspection *in);

#endif
