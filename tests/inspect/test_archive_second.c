/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>

#include "archive_make.h"
#include "inspect/archive_second.h"

/* Both readers over the same bytes; true when they list the same members. */
static bool agree(const struct buf *bytes, const char *path, enum type container)
{
    struct sink_list first, second;
    struct task task;
    struct bytes b;
    struct inspection in;
    archive_look(&first, path, bytes);
    sink_task(&task, path, NULL);
    task.ask = ASK_LISTING;
    task.container = container;
    sink_list_init(&second);
    bytes_init_memory(&b, bytes->data, bytes->len);
    inspection_init(&in, &b, &task, &second.budget, &second.sink);
    cr_assert_eq(archive_second_setup(-1), 0);
    archive_second_inspect(&in);
    cr_assert_eq(first.listings, 1u, "the first reader must have listed it");
    bool same = second.listings == 1 && first.listing_count == second.listing_count &&
                memcmp(first.listing, second.listing, sizeof(first.listing)) == 0;
    cr_assert(same || second.listings == 1 || sink_list_count(&second, FINDING_ARCHIVE_AMBIGUOUS) == 1);
    bytes_free(&b);
    sink_list_free(&first);
    sink_list_free(&second);
    return same;
}

Test(second, lists_what_the_first_reader_lists)
{
    const struct make_zip_part parts[] = {{.name = "d/", .data = ""},
                                          {.name = "d/r\xc3\xa9.txt", .data = "x", .flags = 1 << 11},
                                          {.name = "b.txt", .data = "bbbb", .method = 8, .descriptor = true}};
    static const struct {
        const char *path;
        enum type type;
        void (*make)(struct buf *out, const void *data, size_t len);
    } packed[] = {{"a.tar.gz", TYPE_TAR_GZ, make_gzip},
                  {"a.tar.bz2", TYPE_TAR_BZ2, make_bzip2},
                  {"a.tar.xz", TYPE_TAR_XZ, make_xz},
                  {"a.tar.zst", TYPE_TAR_ZST, make_zstd},
                  {"a.tar.lzma", TYPE_TAR_LZMA, make_lzma},
                  {"a.tar.lz4", TYPE_TAR_LZ4, make_lz4}};
    struct buf zip, tar;
    buf_init(&zip, 1 << 20);
    buf_init(&tar, 1 << 20);
    make_zip(&zip, parts, 3, NULL);
    cr_assert(agree(&zip, "a.zip", TYPE_ZIP));
    buf_reset(&zip);
    make_zip(&zip, NULL, 0, "no members");
    cr_assert(agree(&zip, "a.zip", TYPE_ZIP));
    make_tar(&tar, "./", '5', "", 0, NULL);
    make_tar(&tar, "./d/", '5', "", 0, NULL);
    make_tar(&tar, "./d/r\xc3\xa9.txt", '0', "hello\n", 6, NULL);
    make_tar(&tar, "l", '2', "", 0, "d");
    make_tar(&tar, "h", '1', "", 0, "d/r\xc3\xa9.txt");
    make_tar_end(&tar);
    cr_assert(agree(&tar, "a.tar", TYPE_TAR));
    for (size_t i = 0; i < ARRAY_LEN(packed); i++) {
        struct buf b;
        buf_init(&b, 1 << 20);
        packed[i].make(&b, tar.data, tar.len);
        cr_assert(agree(&b, packed[i].path, packed[i].type), "%s", packed[i].path);
        buf_free(&b);
    }
    buf_free(&zip);
    buf_free(&tar);
}

Test(second, members_of_ar_are_files_unless_their_mode_says_otherwise)
{
    static const struct {
        const char *mode;
        bool same;
    } modes[] = {{"100644", true}, {"644", true}, {"0", true}, {"40755", false}, {"120777", false}};
    for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
        struct buf ar;
        buf_init(&ar, 1 << 10);
        buf_printf(&ar, "!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\nx\n", "m.txt/", 0, 0, 0, modes[i].mode, 2);
        cr_expect_eq(agree(&ar, "a.a", TYPE_AR), modes[i].same, "mode %s", modes[i].mode);
        buf_free(&ar);
    }
}

Test(second, a_name_that_the_locale_cannot_read_is_a_disagreement_and_never_a_crash)
{
    struct buf tar;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "a\xff.txt", '0', "x", 1, NULL);
    make_tar_end(&tar);
    (void)agree(&tar, "a.tar", TYPE_TAR);
    cr_assert(!agree(&tar, "a.tar", TYPE_ZIP), "read as another container it cannot agree");
    buf_free(&tar);
}
