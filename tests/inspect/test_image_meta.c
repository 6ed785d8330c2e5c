/* SPDX-License-Identifier: ISC
 * Descriptions that pictures and media pack or divide are handed to the secret inspector as they read: a word that stands
 * in no piece of the file as a whole is seen, what does not unpack is refused, and the bounds hold. */
#include <zlib.h>

#include "inspect/inspector.h"

static void see_word(struct inspection *in);
#define BINARY_SECRET see_word
#include "binary_cases.h"

#define WORD "the-divided-word"
#define FRAME "\xff\xc0\0\x0b\x08\0\1\0\1\1\1\x11\0"
#define SCAN "\xff\xda\0\x08\1\1\0\0\x3f\0\x77\xff\0\x12\xff\xd0\x55\xff\xd9"
#define GIF(between) "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" between ",\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
#define GUID "0123456789ABCDEF0123456789ABCDEF"
#define PAGE(kind, number, length) "OggS\0" kind "\0\0\0\0\0\0\0\0\1\0\0\0" number "\0\0\0crcs\1" length

/* Stands in for the secret inspector: a warning where the word is in one piece. */
static void see_word(struct inspection *in)
{
    size_t len = 0;
    const uint8_t *p = bytes_chunk(in->bytes, 0, &len);
    if (p && memmem(p, len, WORD, sizeof(WORD) - 1))
        inspect_find_at(in, FINDING_ACTIVE_IMAGE_PIXELS, LEVEL_WARN, 0, 0, "seen");
}

#define SEEN "image-pixels warn"
#define ROW(path, types, data, want) {path, types, data, sizeof(data) - 1, want}

static const struct {
    const char *path, *types, *data;
    size_t len;
    const char *want;
} rows[] = {
    ROW("a.gif", "gif", GIF("!\xfe\x05the-d\x0bivided-word\0"), SEEN),
    ROW("a.gif", "gif", GIF("!\xff\x0b" "ABCDEFGH123\x05the-d\x0bivided-word\0"), SEEN),
    ROW("a.gif", "gif", GIF("!\xf9\x05the-d\x0bivided-word\0"), ""), /* no text: a frame's times */
    ROW("a.gif", "gif", GIF("!\xff\0"), ""),
    ROW("a.gif", "gif", GIF("!\xfe\x05the-d\x0bother-words\0"), ""),
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xfe\0\x07the-d\xff\xfe\0\x0divided-word" FRAME SCAN, SEEN),
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xe1\0\x52http://ns.adobe.com/xmp/extension/\0" GUID "lengoffsthe-d"
        FRAME "\xff\xe1\0\x58http://ns.adobe.com/xmp/extension/\0" GUID "lengoffsivided-word" SCAN, SEEN),
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xed\0\x15Photoshop 3.0\0the-d\xff\xed\0\x1bPhotoshop 3.0\0ivided-word" FRAME SCAN, SEEN),
    ROW("a.ogg", "ogg", PAGE("\2", "\0", "\5") "the-d" PAGE("\5", "\1", "\x0b") "ivided-word", SEEN),
};

Test(image_meta, divided_text_is_put_together)
{
    struct sink_list list;
    char line[512];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        binary_run(&list, rows[i].path, rows[i].types, rows[i].data, rows[i].len);
        binary_line(&list, line, sizeof(line));
        cr_expect_str_eq(line, rows[i].want, "row %zu: said \"%s\", want \"%s\"", i, line, rows[i].want);
        sink_list_free(&list);
    }
}

/* --- packed ------------------------------------------------------------------------------------------------------- */

struct file {
    uint8_t data[2048];
    size_t len;
};

static void put(struct file *f, const void *data, size_t len)
{
    cr_assert_leq(len, sizeof(f->data) - f->len);
    memcpy(f->data + f->len, data, len);
    f->len += len;
}

#define PUT(f, text) put(f, text, sizeof(text) - 1)

static void put_be32(struct file *f, size_t value)
{
    uint8_t b[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    put(f, b, 4);
}

static void put_packed(struct file *f, const void *data, size_t len)
{
    uint8_t out[1024];
    uLongf n = sizeof(out);
    cr_assert_eq(compress(out, &n, data, len), Z_OK);
    put(f, out, n);
}

static void put_chunk(struct file *f, const char *type, const void *data, size_t len)
{
    put_be32(f, len);
    put(f, type, 4);
    put(f, data, len);
    put_be32(f, crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)len));
}

static void check(const struct file *f, const char *path, const char *types, const char *want)
{
    binary_check(want, path, types, f->data, f->len, want);
}

Test(image_meta, chunks_that_one_program_packs_are_unpacked)
{
    struct file png = {.len = 0}, chunk = {.len = 0}, rows_of = {.len = 0};
    PUT(&png, "\x89PNG\r\n\x1a\n");
    put_chunk(&png, "IHDR", "\0\0\0\1\0\0\0\1\x08\0\0\0\0", 13);
    PUT(&chunk, "\0\0\0\0\x10");
    put_packed(&chunk, "II*\0 " WORD, 5 + sizeof(WORD) - 1);
    put_chunk(&png, "zxIf", chunk.data, chunk.len);
    put_packed(&rows_of, "\0\0", 2);
    put_chunk(&png, "IDAT", rows_of.data, rows_of.len);
    put_chunk(&png, "IEND", "", 0);
    check(&png, "a.png", "png", SEEN);
}

static void put_tag(struct file *f, bool packed, unsigned flags, size_t cut)
{
    struct file body = {.len = 0};
    if (packed) {
        put_be32(&body, 64);
        put_packed(&body, "\0eng\0" WORD, 5 + sizeof(WORD) - 1);
    } else {
        PUT(&body, "\0eng\0nothing of note");
    }
    body.len -= cut;
    PUT(f, "ID3\3\0\0\0\0\0");
    uint8_t len = (uint8_t)(10 + body.len), flag = (uint8_t)flags;
    put(f, &len, 1);
    PUT(f, "COMM");
    put_be32(f, body.len);
    PUT(f, "\0");
    put(f, &flag, 1);
    put(f, body.data, body.len);
    for (int i = 0; i < 8; i++) {
        uint8_t frame[104] = {0xFF, 0xFB, 0x10, 0xC4};
        put(f, frame, sizeof(frame));
    }
}

Test(image_meta, packed_text_of_sounds_is_unpacked_and_locked_text_refused)
{
    struct file plain = {.len = 0}, packed = {.len = 0}, broken = {.len = 0}, locked = {.len = 0};
    put_tag(&plain, false, 0, 0);
    check(&plain, "a.mp3", "mp3", "");
    put_tag(&packed, true, 0x80, 0);
    check(&packed, "a.mp3", "mp3", SEEN);
    put_tag(&broken, true, 0x80, 9);
    check(&broken, "a.mp3", "mp3", "inspect/incomplete refuse");
    put_tag(&locked, false, 0x40, 0);
    check(&locked, "a.mp3", "mp3", "inspect/incomplete refuse");
}

static void put_movie(struct file *f, const void *inner, size_t len, size_t cut)
{
    struct file packed = {.len = 0};
    put_packed(&packed, inner, len);
    packed.len -= cut;
    PUT(f, "\0\0\0\x14" "ftypqt  \0\0\0\0qt  ");
    put_be32(f, 8 + 8 + 8 + 4 + packed.len);
    PUT(f, "moov");
    put_be32(f, 8 + 8 + 4 + packed.len);
    PUT(f, "cmov");
    put_be32(f, 8 + 4 + packed.len);
    PUT(f, "cmvd\0\0\0\x20");
    put(f, packed.data, packed.len);
}

Test(image_meta, packed_headers_of_videos_are_walked)
{
    static const char text[] = "\0\0\0\x18" "free" WORD, away[] = "\0\0\0\x10moov\0\0\0\x08rdrf";
    struct file seen = {.len = 0}, load = {.len = 0}, broken = {.len = 0};
    put_movie(&seen, text, sizeof(text) - 1, 0);
    check(&seen, "a.mov", "mp4", SEEN);
    put_movie(&load, away, sizeof(away) - 1, 0);
    check(&load, "a.mov", "mp4", "external-load refuse");
    put_movie(&broken, text, sizeof(text) - 1, 7);
    check(&broken, "a.mov", "mp4", "image-malformed refuse");
}

Test(image_meta, packed_items_of_pictures_are_said)
{
#define AVIF_HEAD "\0\0\0\x14" "ftypavif\0\0\0\0avif"
#define ITEM(size, text) AVIF_HEAD "\0\0\0" size "meta\0\0\0\0\0\0\0\x20hdlr\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0" text
    static const char plain[] = ITEM("\x57", "\0\0\0\x2biinf\0\0\0\0\0\1\0\0\0\x1d" "infe\2\0\0\0\0\1\0\0mimea\0text/x\0");
    static const char packed[] = ITEM("\x5f", "\0\0\0\x33iinf\0\0\0\0\0\1\0\0\0\x25" "infe\2\0\0\0\0\1\0\0mimea\0text/x\0deflate\0");
    binary_check("plain", "a.avif", "avif", plain, sizeof(plain) - 1, "");
    binary_check("packed", "a.avif", "avif", packed, sizeof(packed) - 1, "inspect/incomplete refuse");
}

Test(image_meta, more_pieces_than_are_put_together_are_a_limit)
{
    enum { SEGMENTS = 260, SEGMENT = 65535 };
    struct sink_list list;
    char line[512];
    uint8_t *data = malloc(SEGMENTS * (SEGMENT + 2u) + 64), *p = data;
    cr_assert_not_null(data);
    memcpy(p, "\xff\xd8", 2);
    p += 2;
    for (int i = 0; i < SEGMENTS; i++, p += SEGMENT + 2) {
        memset(p, 'a', SEGMENT + 2);
        memcpy(p, "\xff\xfe\xff\xff", 4);
    }
    memcpy(p, FRAME SCAN, sizeof(FRAME SCAN) - 1);
    p += sizeof(FRAME SCAN) - 1;
    binary_run(&list, "a.jpg", "jpeg", data, (size_t)(p - data));
    binary_line(&list, line, sizeof(line));
    cr_expect_str_eq(line, "inspect/limit refuse");
    sink_list_free(&list);
    free(data);
}
