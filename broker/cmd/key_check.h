/* SPDX-License-Identifier: ISC
 * Can these keys sign? Asked before any work is done, of a child that ends before anything hostile is looked at: the
 * broker itself opens a key only at the very end. */
#ifndef SALLYPORT_KEY_CHECK_H
#define SALLYPORT_KEY_CHECK_H

#include "cmd/args.h"

/* EXIT_OK, or an exit code after it said why. */
int key_check(const struct arg_list *keys);

#endif
