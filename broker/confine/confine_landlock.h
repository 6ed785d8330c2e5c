/* SPDX-License-Identifier: ISC
 * Landlock: denies the filesystem, TCP and outside signals to this process and all it forks. */
#ifndef SALLYPORT_CONFINE_LANDLOCK_H
#define SALLYPORT_CONFINE_LANDLOCK_H

#include "base/compiler.h"

/* Denies everything that the kernel's version knows. Returns the ABI version that was enforced, 0 where the kernel has
 * none or has it switched off, -1 with errno where it is there and refused. */
int landlock_deny_all(void) MUST_CHECK;
/* The same, but what resolving names reads stays readable, and TCP is left: for the relay of a fetch phase. */
int landlock_resolver(void) MUST_CHECK;

#endif
