/* SPDX-License-Identifier: ISC
 * Leave to publish one item. The layout is known to decide.c alone: publish() takes a const pointer, compares the
 * digest it carries with what it places, and cannot make one. */
#ifndef SALLYPORT_CLEARANCE_H
#define SALLYPORT_CLEARANCE_H

#include <stdbool.h>

#include "base/digest.h"

struct clearance;

/* Does this leave cover the bytes with this digest? */
bool clearance_covers(const struct clearance *clearance, const struct digest *digest);
/* Is the file published with mode 0555? */
bool clearance_executable(const struct clearance *clearance);

#endif
