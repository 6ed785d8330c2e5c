/* SPDX-License-Identifier: ISC
 * Formulas of spreadsheets, OOXML and OpenDocument: what reaches outside the document or starts a program. */
#ifndef SALLYPORT_OFFICE_FORMULA_H
#define SALLYPORT_OFFICE_FORMULA_H

#include "inspect/tally.h"

/* text: decoded, in lower case; it is changed. */
void office_formula(struct tally *t, uint8_t *text, size_t len, uint64_t at);

#endif
