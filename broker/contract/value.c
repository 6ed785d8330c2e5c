/* SPDX-License-Identifier: ISC
 * Broker. Readers of the small forms that contracts use. Arithmetic is checked: what does not fit is not of the form. */
#include "contract/value.h"

#include "base/compiler.h"

bool value_u64(const char *text, size_t len, uint64_t *out)
{
    uint64_t v = 0;
    if (len == 0)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
            return false;
    }
    *out = v;
    return true;
}

/* Length of the run of digits at the start. */
static size_t digits(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

bool value_size(const char *text, size_t len, uint64_t *out)
{
    size_t n = digits(text, len);
    unsigned shift = 0;
    uint64_t v;
    if (!value_u64(text, n, &v))
        return false;
    if (n < len) {
        shift = text[n] == 'K' ? 10 : text[n] == 'M' ? 20 : text[n] == 'G' ? 30 : 0;
        n += 1;
        if (n < len && text[n] == 'i')
            n++;
        if (shift == 0 || n != len)
            return false;
    }
    return !__builtin_mul_overflow(v, (uint64_t)1 << shift, out);
}

bool value_duration(const char *text, size_t len, uint64_t *ms)
{
    static const struct {
        char unit;
        uint64_t ms;
    } units[] = {{'h', 3600000}, {'m', 60000}, {'s', 1000}};
    uint64_t total = 0;
    size_t at = 0;
    for (size_t u = 0; u < ARRAY_LEN(units) && at < len; u++) {
        size_t n = digits(text + at, len - at);
        uint64_t v;
        if (at + n >= len || text[at + n] != units[u].unit)
            continue;
        if (!value_u64(text + at, n, &v) || __builtin_mul_overflow(v, units[u].ms, &v) ||
            __builtin_add_overflow(total, v, &total))
            return false;
        at += n + 1;
    }
    if (len == 0 || at != len)
        return false;
    *ms = total;
    return true;
}

static bool leap(uint64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static uint64_t month_days(uint64_t year, uint64_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && leap(year) ? 1u : 0u);
}

bool value_date(const char *text, size_t len, int64_t *out)
{
    uint64_t year, month, day, days = 0;
    if (len != 10 || text[4] != '-' || text[7] != '-' || !value_u64(text, 4, &year) ||
        !value_u64(text + 5, 2, &month) || !value_u64(text + 8, 2, &day))
        return false;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > month_days(year, month))
        return false;
    for (uint64_t y = 1970; y < year; y++)
        days += leap(y) ? 366 : 365;
    for (uint64_t m = 1; m < month; m++)
        days += month_days(year, m);
    *out = (int64_t)((days + day) * 86400 - 1);
    return true;
}

bool value_count(const char *text, size_t len, uint64_t *min, uint64_t *max)
{
    size_t n = digits(text, len);
    uint64_t low, high;
    if (!value_u64(text, n, &low))
        return false;
    if (n == len)
        high = low;
    else if (len - n < 2 || text[n] != '.' || text[n + 1] != '.')
        return false;
    else if (n + 2 == len)
        high = UINT64_MAX;
    else if (!value_u64(text + n + 2, len - n - 2, &high))
        return false;
    if (low > high)
        return false;
    *min = low;
    *max = high;
    return true;
}

bool value_milli(const char *text, size_t len, uint64_t *out)
{
    size_t n = digits(text, len), decimals = n < len ? len - n - 1 : 0;
    uint64_t whole, part = 0;
    if (!value_u64(text, n, &whole) || __builtin_mul_overflow(whole, 1000u, &whole))
        return false;
    if (n < len && (text[n] != '.' || decimals < 1 || decimals > 3 || !value_u64(text + n + 1, decimals, &part)))
        return false;
    for (size_t i = decimals; n < len && i < 3; i++)
        part *= 10;
    return !__builtin_add_overflow(whole, part, out);
}
