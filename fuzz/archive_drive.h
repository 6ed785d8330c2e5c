/* SPDX-License-Identifier: ISC
 * What the archive harnesses share: the archive inspector over one input under small bounds, and what must
 * hold of it. */
#ifndef SALLYPORT_ARCHIVE_DRIVE_H
#define SALLYPORT_ARCHIVE_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs over the bytes under this name; aborts where a bound was passed or memory was kept. True: it is an
 * archive and nothing refuses it. */
bool archive_drive(const char *path, const uint8_t *data, size_t size);
/* The same with one byte appended: of two values at most one may be what was missing, so not both may pass.
 */
void archive_drive_appended(const char *path, const uint8_t *data, size_t size);

#endif
