/* SPDX-License-Identifier: ISC
 * Properties over many archives: bytes before or behind never make an archive pass that was refused, nor let
 * one pass that others read differently; and whatever is cut off is missed. */
#include <criterion/criterion.h>
#include <string.h>

#include "archive_make.h"

enum { SEEDS = 8, COMMENTED = 7, TRIES = 300 };

/* A fixed sequence, so that a failure can be repeated. */
static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void seed(struct buf *out, int which, const char **path)
{
    const struct make_zip_part parts[] = {
        {.name = "a.txt", .data = "hello\n"},
        {.name = "b.txt", .data = "again", .method = 8, .descriptor = true}};
    static void (*const makers[])(struct buf *, const void *, size_t) = {make_gzip, make_bzip2, make_xz,
                                                                                           make_lzma};
    static const char *const paths[] = {"a.zip", "a.tar", "a.gz", "a.bz2", "a.xz", "a.lzma", "a.tar.gz", "b.zip"};
    struct buf tar;
    buf_init(out, 1 << 20);
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    make_tar_end(&tar);
    *path = paths[which];
    if (which == 0 || which == COMMENTED)
        make_zip(out, parts, which ? 1 : 2, which ? "with a comment" : NULL);
    else if (which == 1)
        buf_bytes(out, tar.data, tar.len);
    else if (which == 6)
        make_gzip(out, tar.data, tar.len);
    else
        makers[which - 2](out, "hello\n", 6);
    buf_free(&tar);
}

/* An archive that nothing refuses. What is no archive at all is other inspectors' business. */
static bool passes(const char *path, const struct buf *bytes)
{
    struct sink_list list;
    bool archive = false;
    archive_look(&list, path, bytes);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        archive = archive || (list.claims.of[t] & (1u << EVIDENCE_STRUCTURE));
    bool pass = archive && !archive_refused(&list);
    sink_list_free(&list);
    return pass;
}

static void random_bytes(struct buf *out, uint32_t *state, size_t n)
{
    while (n-- > 0)
        buf_u8(out, (uint8_t)(next(state) | 1)); /* never NUL: that is padding */
}

/* Damages one byte or cuts the end, so that most are refused. Was it cut? */
static bool damage(struct buf *bytes, uint32_t *state)
{
    bool cut = !(next(state) & 1);
    if (cut)
        bytes->len -= 1 + next(state) % (bytes->len / 2);
    else
        bytes->data[next(state) % bytes->len] ^= (uint8_t)(1u << (next(state) & 7));
    return cut;
}

Test(property, appended_or_prepended_bytes_never_turn_refuse_into_pass)
{
    uint32_t state = 20261129;
    unsigned refused = 0;
    for (int i = 0; i < SEEDS * TRIES; i++) {
        struct buf b, longer;
        const char *path;
        seed(&b, i % SEEDS, &path);
        bool cut = damage(&b, &state);
        bool before = passes(path, &b);
        refused += !before;
        buf_init(&longer, 1 << 20);
        /* what is cut off a comment any bytes complete */
        bool front = next(&state) & 1 || (cut && i % SEEDS == COMMENTED);
        size_t n = 1 + next(&state) % 64;
        if (front)
            random_bytes(&longer, &state, n);
        buf_bytes(&longer, b.data, b.len);
        if (!front)
            random_bytes(&longer, &state, n);
        cr_assert(before || !passes(path, &longer), "seed %d, try %d", i % SEEDS, i);
        buf_free(&longer);
        buf_free(&b);
    }
    cr_assert_gt(refused, (unsigned)(SEEDS * TRIES / 2), "the damage must show");
}

Test(property, one_archive_before_or_behind_another_is_refused)
{
    for (int i = 0; i < SEEDS; i++)
        for (int j = 0; j < SEEDS; j++) {
            struct buf b, other;
            const char *path, *ignored;
            seed(&b, i, &path);
            seed(&other, j, &ignored);
            buf_bytes(&b, other.data, other.len);
            /* members of one compression may follow each other; a tar is not a member */
            bool streams = i >= 2 && i <= 4 && (i == j || (i == 2 && j == 6));
            if (!streams)
                cr_assert(!passes(path, &b), "%d then %d", i, j);
            buf_free(&other);
            buf_free(&b);
        }
}

Test(property, every_cut_is_missed)
{
    for (int i = 0; i < SEEDS; i++) {
        struct buf b;
        const char *path;
        seed(&b, i, &path);
        cr_assert(passes(path, &b));
        for (size_t whole = b.len; b.len > 0; b.len--)
            cr_assert(b.len == whole || !passes(path, &b), "seed %d cut to %zu of %zu", i, b.len, whole);
        buf_free(&b);
    }
}
