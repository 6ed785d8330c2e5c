/* SPDX-License-Identifier: ISC
 * What each system provides, behind confine.c: confine_linux.c, confine_darwin.c or confine_bsd.c. */
#ifndef SALLYPORT_CONFINE_SYSTEM_H
#define SALLYPORT_CONFINE_SYSTEM_H

#include "confine/confine.h"

int system_lower(struct confinement *applied) MUST_CHECK;
int system_filter(struct confinement *applied) MUST_CHECK;

#endif
