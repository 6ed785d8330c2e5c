/* SPDX-License-Identifier: ISC
 * Scanners of pictures, media, models, serialised objects and other data, one a file, as active.c lists them: `applies`
 * answers from claims and admitted types, `scan` reads. */
#ifndef SALLYPORT_ACTIVE_BINARY_H
#define SALLYPORT_ACTIVE_BINARY_H

#include "inspect/inspector.h"

bool active_pickle_applies(const struct inspection *in);
void active_pickle_scan(struct inspection *in);

#endif
