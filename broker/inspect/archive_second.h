/* SPDX-License-Identifier: ISC
 * The second reader of archives: libarchive lists the members, and the list must be the one that the first
 * reader found. */
#ifndef SALLYPORT_ARCHIVE_SECOND_H
#define SALLYPORT_ARCHIVE_SECOND_H

#include "inspect/inspector.h"

/* Locale and time zone, which libarchive would look up later; before confinement. */
int archive_second_setup(int rules_fd);
/* On ASK_LISTING: says the member list of task->container, or a finding. */
void archive_second_inspect(struct inspection *in);
/* "libarchive 3.6.2" */
void archive_second_version(char *out, size_t size);

#endif
