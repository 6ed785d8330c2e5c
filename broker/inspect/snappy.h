/* SPDX-License-Identifier: ISC
 * The raw form of Snappy, memory to memory. Source: google/snappy, format_description.txt. */
#ifndef SALLYPORT_SNAPPY_H
#define SALLYPORT_SNAPPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Unpacks to exactly out_len bytes. False: it is damaged, or longer or shorter. */
bool snappy_unpack(const uint8_t *data, size_t len, uint8_t *out, size_t out_len) MUST_CHECK;

#endif
