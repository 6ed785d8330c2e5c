/* SPDX-License-Identifier: ISC
 * Field instructions of a WordprocessingML part. Source: ECMA-376 part 1, 17.16. */
#ifndef SALLYPORT_OFFICE_FIELDS_H
#define SALLYPORT_OFFICE_FIELDS_H

#include "inspect/tally.h"

/* DDE and DDEAUTO, and includes from another host, also where the instruction is split over runs. */
void office_fields(struct tally *t, struct bytes *content);

#endif
