/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>

#include "base/compiler.h"
#include "contract/value.h"

enum { BAD = -1 };

static int64_t read_with(bool (*read)(const char *, size_t, uint64_t *), const char *text)
{
    uint64_t v;
    return read(text, strlen(text), &v) ? (int64_t)v : BAD;
}

struct row {
    const char *text;
    int64_t want;
};

static void expect_rows(bool (*read)(const char *, size_t, uint64_t *), const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(read_with(read, rows[i].text), rows[i].want, "%s", rows[i].text);
}

Test(value, sizes)
{
    static const struct row rows[] = {{"0", 0},       {"17", 17},   {"1K", 1024},  {"2Ki", 2048},   {"3M", 3145728},
                                      {"1Mi", 1048576}, {"1G", 1073741824}, {"1Gi", 1073741824}, {"", BAD}, {"K", BAD},
                                      {"1k", BAD},    {"1KB", BAD}, {"1 K", BAD},  {"-1", BAD},     {"1.5M", BAD},
                                      {"1i", BAD},    {"0x10", BAD}, {"17179869184G", BAD}, {"99999999999999999999", BAD}};
    expect_rows(value_size, rows, ARRAY_LEN(rows));
}

Test(value, durations)
{
    static const struct row rows[] = {{"90s", 90000}, {"10m", 600000}, {"1h30m", 5400000}, {"1h0m5s", 3605000}, {"2h5s", 7205000},
                                      {"", BAD},      {"10", BAD},     {"m", BAD},         {"5m1h", BAD},       {"1m1m", BAD},
                                      {"1h30", BAD},  {"1d", BAD},     {"1.5h", BAD},      {"9999999999999999h", BAD}};
    expect_rows(value_duration, rows, ARRAY_LEN(rows));
}

Test(value, thousandths)
{
    static const struct row rows[] = {{"2", 2000},  {"1.5", 1500}, {"0.125", 125}, {"1.05", 1050}, {"1.", BAD},
                                      {".5", BAD},  {"1.2345", BAD}, {"1.x", BAD}, {"", BAD},      {"18446744073709551615", BAD}};
    expect_rows(value_milli, rows, ARRAY_LEN(rows));
}

Test(value, dates_end_with_the_day)
{
    static const struct row rows[] = {{"1970-01-01", 86399},      {"2000-02-29", 951868799}, {"2027-01-31", 1801439999},
                                      {"2100-02-29", BAD},        {"2027-02-29", BAD},       {"2027-00-10", BAD},
                                      {"2027-13-10", BAD},        {"2027-04-31", BAD},       {"1969-12-31", BAD},
                                      {"2027-1-31", BAD},         {"2027-01-00", BAD},       {"2027/01/31", BAD},
                                      {"9999-12-31", 253402300799}, {"+027-01-31", BAD},     {"2027-01-31T00:00:00Z", BAD}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t v;
        cr_expect_eq(value_date(rows[i].text, strlen(rows[i].text), &v) ? v : BAD, rows[i].want, "%s", rows[i].text);
    }
}

Test(value, counts)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t min, max;
    } rows[] = {{"3", true, 3, 3},     {"0..50", true, 0, 50},   {"2..", true, 2, UINT64_MAX}, {"0", true, 0, 0},
                {"5..4", false, 0, 0}, {"..5", false, 0, 0},     {"1.5", false, 0, 0},         {"1...5", false, 0, 0},
                {"1..-5", false, 0, 0}, {"", false, 0, 0},       {"1-5", false, 0, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t min = 0, max = 0;
        bool good = value_count(rows[i].text, strlen(rows[i].text), &min, &max);
        cr_expect(good == rows[i].good && (!good || (min == rows[i].min && max == rows[i].max)), "%s", rows[i].text);
    }
}
