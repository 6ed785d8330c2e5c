/* SPDX-License-Identifier: ISC
 * A pickle that begins inside a file: behind the header of an array, or unpacked by another scanner. */
#ifndef SALLYPORT_ACTIVE_PICKLE_H
#define SALLYPORT_ACTIVE_PICKLE_H

#include "inspect/inspector.h"

/* Walks from offset on and says what it finds on the file. */
void active_pickle_at(struct inspection *in, uint64_t offset);

#endif
