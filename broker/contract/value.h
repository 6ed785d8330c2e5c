/* SPDX-License-Identifier: ISC
 * The scalars of contracts: sizes, durations, dates, counts. Questions: false means "not of that form", *out untouched.
 * `text` need not be terminated. Pure. */
#ifndef SALLYPORT_VALUE_H
#define SALLYPORT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only, no sign. */
bool value_u64(const char *text, size_t len, uint64_t *out);
/* Digits and nothing, K, M, G, Ki, Mi or Gi: powers of 1024. */
bool value_size(const char *text, size_t len, uint64_t *out);
/* "90s", "10m", "1h30m": hours, minutes, seconds in that order, each once; milliseconds out. */
bool value_duration(const char *text, size_t len, uint64_t *ms);
/* "2027-01-31": the last second of that day, UTC, as Unix time. Years 1970 to 9999. */
bool value_date(const char *text, size_t len, int64_t *out);
/* "3", "0..50" or "2..": at most max, and min is not above max. */
bool value_count(const char *text, size_t len, uint64_t *min, uint64_t *max);
/* "2" or "1.5": thousandths, at most three decimals. */
bool value_milli(const char *text, size_t len, uint64_t *out);

#endif
