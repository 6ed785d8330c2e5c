/* SPDX-License-Identifier: ISC */
#ifndef SALLYPORT_BAG_AROUND_H
#define SALLYPORT_BAG_AROUND_H

#include <stdbool.h>

/* Is the directory a bag, or does it lie in one of ours? */
bool bag_around(int fd);

#endif
