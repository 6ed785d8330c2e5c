/* SPDX-License-Identifier: ISC
 * The second reader's opinion on files that nothing else claims: libmagic with the system's database, loaded before the
 * child is confined. The only file that knows <magic.h>. Positive evidence alone: a name in the table is a claim, and no
 * answer, an unknown name or any text means nothing. */
#include <magic.h>
#include <stdio.h>
#include <string.h>

#include "inspect/type_second.h"

/* What is handed over, and what of it regular expressions see: their library backtracks, and 8 KiB of blanks behind DIST
 * cost 170 ms. Of 19,716 inputs made from the database's own entries none takes 4 ms then. */
enum { LOOK_BYTES = 64 * 1024, REGEX_BYTES = 1024 };

struct mime_row {
    const char *mime;
    enum type type;
};

/* What weak magic names by chance in random bytes is not here: DOS programs (1 in 100), zlib, ADTS and MPEG audio (1 in
 * 1,000), arc, TFM, HPGL. Types that our own table knows stand here too: the two must not differ unseen. */
static const struct mime_row mimes[] = {
    {"application/dicom", TYPE_OTHER_DATA},
    {"application/java-archive", TYPE_JAR},
    {"application/mac-binhex40", TYPE_OTHER_ARCHIVE},
    {"application/msword", TYPE_OLE2},
    {"application/msonenote", TYPE_OTHER_DOCUMENT},
    {"application/ogg", TYPE_OGG},
    {"application/pdf", TYPE_PDF},
    {"application/pgp-keys", TYPE_KEYSTORE},
    {"application/postscript", TYPE_OTHER_DOCUMENT},
    {"application/vnd.debian.binary-package", TYPE_DEB},
    {"application/vnd.fdf", TYPE_OTHER_DOCUMENT},
    {"application/vnd.microsoft.portable-executable", TYPE_PE},
    {"application/vnd.ms-cab-compressed", TYPE_OTHER_ARCHIVE},
    {"application/vnd.ms-excel", TYPE_OLE2},
    {"application/vnd.ms-htmlhelp", TYPE_OTHER_DOCUMENT},
    {"application/vnd.ms-outlook", TYPE_OLE2},
    {"application/vnd.ms-powerpoint", TYPE_OLE2},
    {"application/vnd.ms-project", TYPE_OLE2},
    {"application/vnd.ms-publisher", TYPE_OLE2},
    {"application/vnd.ms-tnef", TYPE_OTHER_DOCUMENT},
    {"application/vnd.rn-realmedia", TYPE_OTHER_MEDIA},
    {"application/vnd.sqlite3", TYPE_SQLITE},
    {"application/vnd.symbian.install", TYPE_INSTALLER},
    {"application/vnd.tcpdump.pcap", TYPE_PCAP},
    {"application/warc", TYPE_OTHER_ARCHIVE},
    {"application/wasm", TYPE_WASM},
    {"application/winhelp", TYPE_OTHER_DOCUMENT},
    {"application/x-7z-compressed", TYPE_SEVENZIP},
    {"application/x-ace-compressed", TYPE_OTHER_ARCHIVE},
    {"application/x-apple-diskimage", TYPE_OTHER_ARCHIVE},
    {"application/x-archive", TYPE_AR},
    {"application/x-arj", TYPE_OTHER_ARCHIVE},
    {"application/x-bytecode.python", TYPE_OTHER_PROGRAM},
    {"application/x-bzip2", TYPE_BZIP2},
    {"application/x-cdf", TYPE_OLE2},
    {"application/x-chrome-extension", TYPE_OTHER_ARCHIVE},
    {"application/x-compress", TYPE_OTHER_ARCHIVE},
    {"application/x-compressed-iso", TYPE_OTHER_ARCHIVE},
    {"application/x-coredump", TYPE_MEMORY_DUMP},
    {"application/x-cpio", TYPE_CPIO},
    {"application/x-dbm", TYPE_OTHER_DATA},
    {"application/x-dmp", TYPE_MEMORY_DUMP},
    {"application/x-elc", TYPE_OTHER_PROGRAM},
    {"application/x-executable", TYPE_ELF},
    {"application/x-gdbm", TYPE_OTHER_DATA},
    {"application/x-gtar", TYPE_TAR},
    {"application/x-gzip", TYPE_GZIP},
    {"application/gzip", TYPE_GZIP},
    {"application/x-hdf", TYPE_OTHER_DATA},
    {"application/x-hdf5", TYPE_OTHER_DATA},
    {"application/x-innosetup", TYPE_INSTALLER},
    {"application/x-installshield", TYPE_INSTALLER},
    {"application/x-ios-app", TYPE_OTHER_PROGRAM},
    {"application/x-iso9660-image", TYPE_OTHER_ARCHIVE},
    {"application/x-java-applet", TYPE_CLASS},
    {"application/x-java-image", TYPE_OTHER_ARCHIVE},
    {"application/x-java-jce-keystore", TYPE_KEYSTORE},
    {"application/x-java-jmod", TYPE_OTHER_ARCHIVE},
    {"application/x-java-keystore", TYPE_KEYSTORE},
    {"application/x-java-pack200", TYPE_OTHER_PROGRAM},
    {"application/x-lha", TYPE_OTHER_ARCHIVE},
    {"application/x-lrzip", TYPE_OTHER_ARCHIVE},
    {"application/x-lx-executable", TYPE_OTHER_PROGRAM},
    {"application/x-lz4", TYPE_LZ4},
    {"application/x-lzip", TYPE_OTHER_ARCHIVE},
    {"application/x-mach-binary", TYPE_MACHO},
    {"application/x-matlab-data", TYPE_OTHER_DATA},
    {"application/x-mobipocket-ebook", TYPE_OTHER_DOCUMENT},
    {"application/x-ms-evtx", TYPE_EVTX},
    {"application/x-ms-ne-executable", TYPE_OTHER_PROGRAM},
    {"application/x-ms-shortcut", TYPE_SHORTCUT},
    {"application/x-ms-wim", TYPE_OTHER_ARCHIVE},
    {"application/x-msi", TYPE_INSTALLER},
    {"application/x-msaccess", TYPE_OTHER_DATA},
    {"application/x-netcdf", TYPE_OTHER_DATA},
    {"application/x-numpy-data", TYPE_NPY},
    {"application/x-ole-storage", TYPE_OLE2},
    {"application/x-putty-private-key", TYPE_KEYSTORE},
    {"application/x-qemu-disk", TYPE_OTHER_ARCHIVE},
    {"application/x-rar", TYPE_OTHER_ARCHIVE},
    {"application/x-rpm", TYPE_RPM},
    {"application/x-sharedlib", TYPE_ELF},
    {"application/x-shockwave-flash", TYPE_OTHER_PROGRAM},
    {"application/x-silverlight-app", TYPE_OTHER_PROGRAM},
    {"application/x-stuffit", TYPE_OTHER_ARCHIVE},
    {"application/x-sylk", TYPE_OTHER_DOCUMENT},
    {"application/x-tar", TYPE_TAR},
    {"application/x-virtualbox-vhd", TYPE_OTHER_ARCHIVE},
    {"application/x-xar", TYPE_OTHER_ARCHIVE},
    {"application/x-xz", TYPE_XZ},
    {"application/x-zoo", TYPE_OTHER_ARCHIVE},
    {"application/zip", TYPE_ZIP},
    {"application/zstd", TYPE_ZSTD},
    {"audio/flac", TYPE_OTHER_MEDIA},
    {"audio/midi", TYPE_OTHER_MEDIA},
    {"audio/x-aiff", TYPE_OTHER_MEDIA},
    {"audio/x-wav", TYPE_WAV},
    {"font/sfnt", TYPE_TTF},
    {"font/woff", TYPE_WOFF},
    {"font/woff2", TYPE_WOFF2},
    {"image/gif", TYPE_GIF},
    {"image/heic", TYPE_OTHER_MEDIA},
    {"image/jp2", TYPE_OTHER_MEDIA},
    {"image/jpeg", TYPE_JPEG},
    {"image/jxl", TYPE_OTHER_MEDIA},
    {"image/png", TYPE_PNG},
    {"image/tiff", TYPE_TIFF},
    {"image/vnd.adobe.photoshop", TYPE_OTHER_MEDIA},
    {"image/vnd.djvu", TYPE_OTHER_DOCUMENT},
    {"image/vnd.dwg", TYPE_OTHER_DOCUMENT},
    {"image/webp", TYPE_WEBP},
    {"image/wmf", TYPE_OTHER_MEDIA},
    {"text/rtf", TYPE_RTF},
    {"video/mp4", TYPE_MP4},
    {"video/quicktime", TYPE_OTHER_MEDIA},
    {"video/webm", TYPE_WEBM},
    {"video/x-flv", TYPE_OTHER_MEDIA},
    {"video/x-matroska", TYPE_OTHER_MEDIA},
    {"video/x-ms-asf", TYPE_OTHER_MEDIA},
    {"video/x-msvideo", TYPE_OTHER_MEDIA},
};

/* The cookie lives as long as the program: made before the fork, used by every child. */
static magic_t *cookie(void)
{
    static magic_t one;
    return &one;
}

int type_second_setup(int rules_fd)
{
    (void)rules_fd;
    magic_t magic = magic_open(MAGIC_MIME_TYPE | MAGIC_CONTINUE | MAGIC_RAW | MAGIC_NO_CHECK_COMPRESS |
                               MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_TOKENS |
                               MAGIC_NO_CHECK_JSON | MAGIC_NO_CHECK_CSV);
    if (!magic)
        return -1;
    if (magic_load(magic, NULL) != 0) {
        fprintf(stderr, "sallyport-second: %s; install libmagic's database (libmagic-mgc)\n", magic_error(magic));
        magic_close(magic);
        return -1;
    }
    size_t regex = REGEX_BYTES;
    if (magic_setparam(magic, MAGIC_PARAM_REGEX_MAX, &regex) != 0) {
        fprintf(stderr, "sallyport-second: this libmagic cannot bound its regular expressions; install 5.40 or later\n");
        magic_close(magic);
        return -1;
    }
    *cookie() = magic;
    return 0;
}

enum type type_of_mime(const char *mime, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(mimes); i++)
        if (strlen(mimes[i].mime) == len && memcmp(mimes[i].mime, mime, len) == 0)
            return mimes[i].type;
    return TYPE_NONE;
}

/* All matches, one a line behind the first: "a/b\n- c/d". */
static void claim_all(struct inspection *in, const char *answer)
{
    while (*answer) {
        size_t len = strcspn(answer, "\n");
        const char *at = len > 2 && answer[0] == '-' && answer[1] == ' ' ? answer + 2 : answer;
        enum type type = type_of_mime(at, len - (size_t)(at - answer));
        if (type != TYPE_NONE)
            inspect_claim(in, type, EVIDENCE_SECOND);
        answer += len + (answer[len] != '\0');
    }
}

void type_second_inspect(struct inspection *in)
{
    if (in->task->ask != ASK_TYPE)
        return;
    size_t len = in->bytes->size < LOOK_BYTES ? (size_t)in->bytes->size : LOOK_BYTES;
    const uint8_t *head = bytes_at(in->bytes, 0, len);
    const char *answer = head ? magic_buffer(*cookie(), head, len) : NULL;
    if (answer)
        claim_all(in, answer);
    else /* an error of the library, not "no match": that is octet-stream */
        inspect_find(in, FINDING_INSPECT_INCOMPLETE, "the second reader could not look at the content");
}

void type_second_version(char *out, size_t size)
{
    snprintf(out, size, "libmagic %d.%02d", magic_version() / 100, magic_version() % 100);
}
