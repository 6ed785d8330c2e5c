/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "archive_make.h"

#define PART(n)                                                                                              \
    {                                                                                                        \
        .name = n, .data = "hello\n"                                                                         \
    }

static void claims_of(const struct make_zip_part *parts, size_t n, const char *path, struct sink_list *list)
{
    struct buf zip;
    buf_init(&zip, 1 << 20);
    make_zip(&zip, parts, n, NULL);
    archive_look(list, path, &zip);
    buf_free(&zip);
}

static const struct {
    const char *names[4];
    const char *first_data;
    enum type type;
} packages[] = {
    {{"[Content_Types].xml", "word/document.xml"}, NULL, TYPE_DOCX},
    {{"a.xml", "xl/workbook.xml", "[Content_Types].xml"}, NULL, TYPE_XLSX},
    {{"[Content_Types].xml", "ppt/presentation.xml"}, NULL, TYPE_PPTX},
    {{"[Content_Types].xml", "a.nuspec"}, NULL, TYPE_NUPKG},
    {{"[Content_Types].xml", "visio/document.xml"}, NULL, TYPE_OTHER_DOCUMENT},
    {{"mimetype", "content.xml"}, "application/vnd.oasis.opendocument.text", TYPE_ODT},
    {{"mimetype", "content.xml"}, "application/vnd.oasis.opendocument.spreadsheet", TYPE_ODS},
    {{"mimetype", "META-INF/container.xml"}, "application/epub+zip\n", TYPE_EPUB},
    {{"mimetype", "content.xml"}, "application/vnd.oasis.opendocument.chart", TYPE_OTHER_DOCUMENT},
    {{"a.class", "META-INF/MANIFEST.MF"}, NULL, TYPE_JAR},
    {{"META-INF/MANIFEST.MF", "AndroidManifest.xml"}, NULL, TYPE_APK},
    {{"m.py", "m.dist-info/WHEEL", "m.dist-info/METADATA", "m.dist-info/RECORD"}, NULL, TYPE_WHL},
    {{"m.py", "m.dist-info/WHEEL", "m.dist-info/METADATA"}, NULL, TYPE_NONE},
    {{"d/META-INF/MANIFEST.MF", "d/word/document.xml"}, NULL, TYPE_NONE},
};

Test(package, a_zip_is_the_package_that_its_members_make_it)
{
    for (size_t i = 0; i < ARRAY_LEN(packages); i++) {
        struct make_zip_part parts[4] = {{0}};
        struct sink_list list;
        size_t n = 0;
        for (; n < 4 && packages[i].names[n]; n++)
            parts[n] = (struct make_zip_part){
                .name = packages[i].names[n],
                .data = n == 0 && packages[i].first_data ? packages[i].first_data : "hello\n"};
        claims_of(parts, n, "a.zip", &list);
        for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
            bool claimed = list.claims.of[t] & (1u << EVIDENCE_STRUCTURE);
            bool wanted = t == (int)packages[i].type || t == TYPE_ZIP;
            cr_assert_eq(claimed, wanted, "package %zu, claim %s", i, type_name((enum type)t));
        }
        sink_list_free(&list);
    }
}

Test(package, two_packages_in_one_are_both_claimed)
{
    const struct make_zip_part parts[] = {PART("[Content_Types].xml"), PART("word/document.xml"),
                                          PART("META-INF/MANIFEST.MF")};
    struct sink_list list;
    claims_of(parts, 3, "a.docx", &list);
    cr_assert(claims_by_content(&list.claims, TYPE_DOCX) && claims_by_content(&list.claims, TYPE_JAR));
    sink_list_free(&list);
}

static void ar_member(struct buf *out, const char *name, const void *data, size_t len)
{
    char h[61];
    snprintf(h, sizeof(h), "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "100644", len);
    buf_bytes(out, h, 60);
    buf_bytes(out, data, len);
    if (len & 1)
        buf_u8(out, '\n');
}

Test(package, a_debian_package_is_walked_to_its_files)
{
    struct buf deb, tar, gz;
    struct sink_list list;
    buf_init(&deb, 1 << 20);
    buf_init(&tar, 1 << 20);
    buf_init(&gz, 1 << 20);
    make_tar(&tar, "./usr/A.txt", '0', "hello\n", 6, NULL);
    make_tar(&tar, "./usr/a.txt", '0', "hello\n", 6, NULL);
    make_tar(&tar, "./usr/with\\backslash", '0', "hello\n", 6, NULL);
    make_tar_end(&tar);
    make_gzip(&gz, tar.data, tar.len);
    buf_text(&deb, "!<arch>\n");
    ar_member(&deb, "debian-binary", "2.0\n", 4);
    ar_member(&deb, "control.tar.gz", gz.data, gz.len);
    ar_member(&deb, "data.tar.gz", gz.data, gz.len);
    archive_look(&list, "a.deb", &deb);
    cr_assert(!archive_refused(&list), "what a Unix system keeps apart is no collision there");
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_COLLISION), 2u, "but it is noted");
    cr_assert(claims_by_content(&list.claims, TYPE_DEB));
    cr_assert_str_eq(archive_last(), "data.tar.gz!usr/with\\backslash");
    sink_list_free(&list);
    deb.len -= 10;
    archive_look(&list, "a.deb", &deb);
    cr_assert(archive_refused(&list));
    sink_list_free(&list);
    buf_free(&gz);
    buf_free(&tar);
    buf_free(&deb);
}

Test(package, a_library_may_repeat_names_and_another_ar_may_not)
{
    for (int library = 0; library < 2; library++) {
        struct buf ar;
        struct sink_list list;
        buf_init(&ar, 1 << 16);
        buf_text(&ar, "!<arch>\n");
        if (library)
            ar_member(&ar, "/", "\0\0\0\0", 4);
        ar_member(&ar, "//", "a-long-name-beyond-sixteen.o/\n", 30);
        ar_member(&ar, "/0", "hello", 5);
        ar_member(&ar, "/0", "again", 5);
        archive_look(&list, "a.a", &ar);
        cr_assert_eq(archive_refused(&list), !library);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_DUPLICATE), 1u);
        cr_assert_str_eq(archive_last(), "a-long-name-beyond-sixteen.o");
        sink_list_free(&list);
        buf_free(&ar);
    }
}

Test(package, formats_that_cannot_be_looked_into_are_unsupported)
{
    static const struct {
        const char *bytes;
        size_t len;
    } heads[] = {{"Rar!\032\007\001\0", 8},
                 {"MSCF\0\0\0\0", 8},
                 {"\307\161\1\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0x", 28},
                 {"\355\253\356\333\003\0", 6},
                 {"xar!\0\034", 6},
                 {"hsqs\0\0", 6},
                 {"!<thin>\n", 8},
                 {"\037\235\220", 3},
                 {"LRZI\0\006", 6},
                 {"PK\007\010PK\003\004", 8},
                 {"xx-lh5-x", 8}};
    for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
        struct buf b;
        struct sink_list list;
        struct task task;
        buf_init(&b, 1 << 10);
        buf_bytes(&b, heads[i].bytes, heads[i].len);
        for (int pad = 0; pad < 600; pad++)
            buf_u8(&b, 'x');
        sink_task(&task, "a.bin", (const char *const[]){"zip", NULL}); /* no output names cpio or rpm */
        archive_look_task(&list, &task, &b);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_UNSUPPORTED), 1u, "head %zu", i);
        sink_list_free(&list);
        buf_free(&b);
    }
}

static void cpio_member(struct buf *out, const char *name, unsigned mode, const char *data)
{
    size_t len = strlen(data), at = out->len;
    unsigned sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += (uint8_t)data[i];
    buf_printf(out, "070702%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", 1u, mode, 0u, 0u, 1u, 0u,
               len, 0u, 0u, 0u, 0u, strlen(name) + 1, sum);
    buf_bytes(out, name, strlen(name) + 1);
    buf_bytes(out, "\0\0\0", -(out->len - at) & 3);
    buf_text(out, data);
    buf_bytes(out, "\0\0\0", -len & 3);
}

Test(package, a_cpio_is_walked_to_its_trailer)
{
    struct buf b;
    struct sink_list list;
    buf_init(&b, 1 << 16);
    cpio_member(&b, ".", 0040755, "");
    cpio_member(&b, "./a.txt", 0100644, "hello\n");
    cpio_member(&b, "TRAILER!!!", 0, "");
    size_t whole = b.len;
    archive_look(&list, "a.cpio", &b);
    cr_assert(!archive_refused(&list));
    cr_assert(claims_by_content(&list.claims, TYPE_CPIO));
    cr_assert_str_eq(archive_last(), "a.txt");
    cr_assert_eq(list.listing_count, 1u);
    sink_list_free(&list);
    for (b.len = 120; b.len < whole; b.len += 3) {
        archive_look(&list, "a.cpio", &b);
        cr_assert(archive_refused(&list) || b.len >= whole - 3, "cut to %zu of %zu", b.len, whole);
        sink_list_free(&list);
    }
    b.len = whole;
    buf_text(&b, "more");
    archive_look(&list, "a.cpio", &b);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), 1u);
    sink_list_free(&list);
    b.len = 0;
    cpio_member(&b, "l", 0120777, "/etc/passwd");
    cpio_member(&b, "../d", 0020644, "");
    cpio_member(&b, "TRAILER!!!", 0, "");
    archive_look(&list, "a.cpio", &b);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_LINK), 1u);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_SPECIAL), 1u);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_PATH), 1u);
    sink_list_free(&list);
    buf_free(&b);
}
