/* SPDX-License-Identifier: ISC
 * What an error of the source's system calls says: about the object, or about the broker itself. Pure. */
#ifndef SALLYPORT_COLLECT_FAULT_H
#define SALLYPORT_COLLECT_FAULT_H

#include <stdbool.h>

#include "base/finding.h"

/* Why a name that was seen does not open; what no row names is unreadable. */
enum finding_code collect_fault(int error);
/* The broker lacks descriptors or memory: nothing is said about the object. */
bool collect_is_ours(int error);

#endif
