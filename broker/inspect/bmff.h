/* SPDX-License-Identifier: ISC
 * The box structure of ISO base media files (ISO 14496-12): MP4, QuickTime, AVIF. */
#ifndef SALLYPORT_BMFF_H
#define SALLYPORT_BMFF_H

#include "inspect/image.h"

/* Boxes tile the file, dimensions are bounded, and no track takes its samples from another file. False where a finding
 * was said. */
bool bmff_walk(const struct image *image);

#endif
