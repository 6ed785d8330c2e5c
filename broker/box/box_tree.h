/* SPDX-License-Identifier: ISC
 * One number for a whole tree: SHA-256 over its entries in byte order of their names, each as "TYPE MODE NAME\0" and the
 * digest of a file's bytes, a link's target or a directory's own number. Owners and times do not count. */
#ifndef SALLYPORT_BOX_TREE_H
#define SALLYPORT_BOX_TREE_H

#include <stdint.h>

#include "base/compiler.h"

/* The object behind fd: a directory or a plain file, opened for reading; borrowed. 0 or -1 with errno (E2BIG: too deep or too
 * many entries). */
int tree_digest(int fd, uint8_t out[32]) MUST_CHECK;

#endif
