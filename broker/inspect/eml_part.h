/* SPDX-License-Identifier: ISC
 * One part of a mail as a member: decoded, in UTF-8 where it is text, under the name it would be saved as. */
#ifndef SALLYPORT_EML_PART_H
#define SALLYPORT_EML_PART_H

#include "inspect/eml_head.h"
#include "inspect/inspector.h"

struct eml_part {
    struct eml_head head;
    uint64_t start;  /* of its body */
    unsigned number; /* from 1 */
};

/* Looks at the body [part->start, end) of `bytes`. False: a bound was hit or the mail must be given up. */
bool eml_part_look(const struct eml_part *part, struct inspection *in, struct bytes *bytes, uint64_t end);

#endif
