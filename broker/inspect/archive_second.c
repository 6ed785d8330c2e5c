/* SPDX-License-Identifier: ISC
 * libarchive as the second reader, and the only file that knows it. Child of sallyport-second. One format and
 * one filter are registered, chosen by what the first reader found: `_all` would run programs, peel any
 * number of layers and take text for archives. Any answer but "ok" and "end" is a disagreement. */
#include "inspect/archive_second.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inspect/listing.h"

struct feed {
    struct bytes *bytes;
    uint64_t at;
};

static la_ssize_t feed_read(struct archive *a, void *data, const void **out)
{
    struct feed *feed = data;
    size_t n = 0;
    (void)a;
    *out = bytes_chunk(feed->bytes, feed->at, &n);
    feed->at += n;
    return (la_ssize_t)n;
}

static la_int64_t feed_skip(struct archive *a, void *data, la_int64_t request)
{
    struct feed *feed = data;
    uint64_t left = feed->bytes->size - feed->at, n = request > 0 ? (uint64_t)request : 0;
    (void)a;
    n = n < left ? n : left;
    feed->at += n;
    return (la_int64_t)n;
}

static la_int64_t feed_seek(struct archive *a, void *data, la_int64_t offset, int whence)
{
    struct feed *feed = data;
    la_int64_t size = (la_int64_t)feed->bytes->size;
    la_int64_t from = whence == SEEK_CUR ? (la_int64_t)feed->at : whence == SEEK_END ? size : 0;
    la_int64_t to;
    (void)a;
    if (__builtin_add_overflow(from, offset, &to) || to < 0 || to > size)
        return ARCHIVE_FATAL;
    feed->at = (uint64_t)to;
    return to;
}

/* Claims of packages are zips to libarchive; a compressed tar needs its one filter. */
static const struct {
    enum type type;
    int (*format)(struct archive *a);
    int (*filter)(struct archive *a);
} readers[] = {
    {TYPE_TAR, archive_read_support_format_tar, NULL},
    {TYPE_GEM, archive_read_support_format_tar, NULL},
    {TYPE_TAR_GZ, archive_read_support_format_tar, archive_read_support_filter_gzip},
    {TYPE_TAR_BZ2, archive_read_support_format_tar, archive_read_support_filter_bzip2},
    {TYPE_TAR_XZ, archive_read_support_format_tar, archive_read_support_filter_xz},
    {TYPE_TAR_ZST, archive_read_support_format_tar, archive_read_support_filter_zstd},
    {TYPE_TAR_LZ4, archive_read_support_format_tar, archive_read_support_filter_lz4},
    {TYPE_TAR_LZMA, archive_read_support_format_tar, archive_read_support_filter_lzma},
};

static bool begins(struct bytes *bytes, const char *magic, size_t len)
{
    const uint8_t *p = bytes_at(bytes, 0, len);
    return p && memcmp(p, magic, len) == 0;
}

static int choose(struct archive *a, struct bytes *bytes, enum type container)
{
    for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
        if (readers[i].type != container)
            continue;
        int rc = readers[i].filter ? readers[i].filter(a) : ARCHIVE_OK;
        return rc == ARCHIVE_OK ? readers[i].format(a) : rc;
    }
    if (begins(bytes, "!<arch>\n", 8))
        return archive_read_support_format_ar(a);
    if (begins(bytes, "7z\274\257\047\034", 6))
        return archive_read_support_format_7zip(a);
    if (begins(bytes, "0707", 4))
        return archive_read_support_format_cpio(a);
    /* an end record at offset 0 (no members) is the one place where the seeking reader does not look */
    if (begins(bytes, "PK\005\006", 4))
        return archive_read_support_format_zip_streamable(a);
    return archive_read_support_format_zip_seekable(a);
}

/* Members of ar are files; many writers leave the type out of the mode, which reads as none. */
static bool untyped_file(struct archive *a, struct archive_entry *entry)
{
    return (archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR && archive_entry_filetype(entry) == 0;
}

static enum object_kind kind_of(struct archive *a, struct archive_entry *entry)
{
    static const struct {
        unsigned type;
        enum object_kind kind;
    } kinds[] = {{AE_IFREG, OBJECT_FILE},   {AE_IFDIR, OBJECT_DIRECTORY}, {AE_IFLNK, OBJECT_SYMLINK},
                 {AE_IFCHR, OBJECT_DEVICE}, {AE_IFBLK, OBJECT_DEVICE},    {AE_IFIFO, OBJECT_FIFO}};
    if (archive_entry_hardlink(entry))
        return OBJECT_OTHER;
    if (untyped_file(a, entry))
        return OBJECT_FILE;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (kinds[i].type == (unsigned)archive_entry_filetype(entry))
            return kinds[i].kind;
    return OBJECT_OTHER;
}

/* NULL, or why the list is not whole. */
static const char *list(struct archive *a, struct listing *listing)
{
    struct archive_entry *entry;
    int rc;
    while ((rc = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
        const char *name = archive_entry_pathname(entry);
        if (!name)
            return "the second reader (libarchive) cannot read a member's name";
        la_int64_t size = archive_entry_size(entry);
        listing_add(listing, name, strlen(name), size > 0 ? (uint64_t)size : 0, kind_of(a, entry));
        if (listing->failed)
            return "the second reader (libarchive) sees more members than the bound admits";
    }
    return rc == ARCHIVE_EOF ? NULL : "the second reader (libarchive) does not read the archive to its end";
}

int archive_second_setup(int rules_fd)
{
    (void)rules_fd;
    if (setenv("TZ", "UTC0", 1) != 0)
        return -1;
    tzset();
    /* without it every name beyond ASCII is a warning, which counts as a disagreement */
    if (setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "C.utf8") || setlocale(LC_CTYPE, "en_US.UTF-8"))
        return 0;
    errno = ENOENT;
    return -1;
}

void archive_second_inspect(struct inspection *in)
{
    struct feed feed = {.bytes = in->bytes};
    struct listing listing = {.max = in->inside.entries};
    uint8_t digest[SHA256_SIZE];
    uint64_t count;
    if (in->task->ask != ASK_LISTING || in->depth != 0)
        return;
    struct archive *a = archive_read_new();
    const char *fault = "the second reader (libarchive) does not take the archive for what it is";
    if (a && choose(a, in->bytes, in->task->container) == ARCHIVE_OK &&
        archive_read_set_seek_callback(a, feed_seek) == ARCHIVE_OK &&
        archive_read_open2(a, &feed, NULL, feed_read, feed_skip, NULL) == ARCHIVE_OK)
        fault = list(a, &listing);
    if (a)
        (void)archive_read_free(a);
    if (fault)
        inspect_find(in, FINDING_ARCHIVE_AMBIGUOUS, fault);
    else if (listing_finish(&listing, digest, &count))
        inspect_listing(in, in->task->container, digest, count);
    listing_free(&listing);
}

void archive_second_version(char *out, size_t size)
{
    int v = archive_version_number();
    snprintf(out, size, "libarchive %d.%d.%d", v / 1000000, v / 1000 % 1000, v % 1000);
}
