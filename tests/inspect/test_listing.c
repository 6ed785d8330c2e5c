/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>

#include "inspect/listing.h"

struct row {
    const char *name;
    uint64_t size;
    enum object_kind kind;
};

static bool digest_of(const struct row *rows, size_t n, uint64_t max, uint8_t out[SHA256_SIZE], uint64_t *count)
{
    struct listing list = {.max = max};
    for (size_t i = 0; i < n; i++)
        listing_add(&list, rows[i].name, strlen(rows[i].name), rows[i].size, rows[i].kind);
    return listing_finish(&list, out, count);
}

static const struct row plain[] = {{"a/b", 5, OBJECT_FILE}, {"a", 0, OBJECT_DIRECTORY}, {"c", 7, OBJECT_SYMLINK}};

Test(listing, order_and_dot_slash_and_trailing_slash_do_not_matter)
{
    static const struct row other[] = {
        {"./", 0, OBJECT_DIRECTORY}, {"./c", 99, OBJECT_SYMLINK}, {"a/", 4096, OBJECT_DIRECTORY}, {"a/b", 5, OBJECT_FILE}};
    uint8_t x[SHA256_SIZE], y[SHA256_SIZE];
    uint64_t n = 0, m = 0;
    cr_assert(digest_of(plain, 3, 100, x, &n));
    cr_assert(digest_of(other, 4, 100, y, &m));
    cr_assert(sha256_equal(x, y));
    cr_assert_eq(n, 3u);
    cr_assert_eq(m, 3u);
}

Test(listing, every_difference_shows)
{
    uint8_t x[SHA256_SIZE], y[SHA256_SIZE];
    uint64_t n = 0;
    cr_assert(digest_of(plain, 3, 100, x, &n));
    struct row name[] = {plain[0], plain[1], {"C", 7, OBJECT_SYMLINK}};
    struct row size[] = {{"a/b", 6, OBJECT_FILE}, plain[1], plain[2]};
    struct row kind[] = {plain[0], plain[1], {"c", 0, OBJECT_OTHER}};
    struct row twice[] = {plain[0], plain[1], plain[2], plain[2]};
    cr_assert(digest_of(name, 3, 100, y, &n) && !sha256_equal(x, y));
    cr_assert(digest_of(size, 3, 100, y, &n) && !sha256_equal(x, y));
    cr_assert(digest_of(kind, 3, 100, y, &n) && !sha256_equal(x, y));
    cr_assert(digest_of(twice, 4, 100, y, &n) && !sha256_equal(x, y));
    cr_assert(digest_of(plain, 2, 100, y, &n) && !sha256_equal(x, y));
}

Test(listing, more_than_max_is_no_listing)
{
    uint8_t x[SHA256_SIZE];
    uint64_t n = 0;
    cr_assert(digest_of(plain, 3, 3, x, &n));
    cr_assert(!digest_of(plain, 3, 2, x, &n));
}
