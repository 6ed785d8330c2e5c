/* SPDX-License-Identifier: ISC
 * JPEG, GIF, WebP, TIFF, BMP, icons, MP4 and AVIF, sound and fonts: the smallest file of each that holds, every cut of it,
 * and one fault at a time. */
#include "binary_cases.h"

#define R "image-malformed refuse"
#define ROW(path, types, data, want) {path, types, data, sizeof(data) - 1, want}

#define JPEG_HEAD "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
#define JPEG_FRAME "\xff\xc0\0\x0b\x08\0\1\0\1\1\1\x11\0"
#define JPEG_SCAN "\xff\xda\0\x08\1\1\0\0\x3f\0\x77\xff\0\x12\xff\xd0\x55\xff\xd9"
#define JPEG JPEG_HEAD JPEG_FRAME JPEG_SCAN
#define MPF "\xff\xe2\0\x0aMPF\0abcd"
#define XMP "\xff\xe1\0\x37http://ns.adobe.com/xap/1.0/\0 GCamera:MotionPhoto=\"1\""
#define FTYP "\0\0\0\x14" "ftypisom\0\0\0\0isom"
#define MOOV "\0\0\0\x08moov"
#define GIF "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
#define VP8L "VP8L\x0a\0\0\0\x2f\0\0\0\0abcde"
#define WEBP "RIFF\x16\0\0\0WEBP" VP8L
#define TIFF_STRIP "II*\0\x08\0\0\0\2\0\x11\1\4\0\1\0\0\0\x26\0\0\0\x17\1\4\0\1\0\0\0\2\0\0\0\0\0\0\0"
#define TIFF "II*\0\x08\0\0\0\2\0\0\1\3\0\1\0\0\0\1\0\0\0\1\1\3\0\1\0\0\0\1\0\0\0\0\0\0\0"
#define BMP "BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0abcd"
#define ICO "\0\0\1\0\1\0\1\1\0\0\1\0\x18\0\x28\0\0\0\x16\0\0\0\x28\0\0\0\1\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define WAV "RIFF\x28\0\0\0WAVEfmt \x10\0\0\0abcdefghijklmnopdata\4\0\0\0abcd"
#define OGG "OggS\0\2aaaaaaaabbbbccccdddd\1\3xyz"
#define WOFF "wOFF\0\1\0\0\0\0\0\x2c\0\1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define TTF "\0\1\0\0\0\1\0\0\0\0\0\0head\0\0\0\0\0\0\0\x1c\0\0\0\4abcd"
#define FRAME_HEAD "\xff\xfb\x10\xc4" /* layer III, 32 kbit/s, 44.1 kHz: 104 bytes */
#define WEBM "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x83\xec\x81x"

static const struct {
    const char *path, *types, *data;
    size_t len;
    const char *want;
} rows[] = {
    ROW("a.jpg", "jpeg", JPEG, ""),
    ROW("a.jpg", "jpeg", JPEG "\n", ""),
    ROW("a.jpg", "jpeg", JPEG "MZ this is more than padding\xff\xd9", "image-trailing refuse"),
    ROW("a.jpg", "jpeg", JPEG JPEG, "image-trailing refuse"),
    ROW("a.jpg", "jpeg", JPEG_HEAD MPF JPEG_FRAME JPEG_SCAN JPEG, ""),
    ROW("a.jpg", "jpeg", JPEG_HEAD MPF JPEG_FRAME JPEG_SCAN "\0\0\0\0" JPEG, ""),
    ROW("a.jpg", "jpeg", JPEG_HEAD MPF JPEG_FRAME JPEG_SCAN JPEG "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.jpg", "jpeg", JPEG_HEAD XMP JPEG_FRAME JPEG_SCAN FTYP MOOV, ""),
    ROW("a.jpg", "jpeg", JPEG_HEAD XMP JPEG_FRAME JPEG_SCAN FTYP MOOV "\0\0\0\x40moov", R),
    ROW("a.jpg", "jpeg", JPEG_HEAD JPEG_SCAN, R),
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xc0\0\x0b\x08\xff\xff\xff\xff\1\1\x11\0" JPEG_SCAN, "image-pixels refuse"),
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xff\xff" JPEG_FRAME JPEG_SCAN, ""), /* fill bytes */
    ROW("a.jpg", "jpeg", "\xff\xd8\xff\xe0\0\1" JPEG_FRAME JPEG_SCAN, R),
    ROW("a.gif", "gif", GIF, ""),
    ROW("a.gif", "gif", GIF "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.gif", "gif", "GIF89a\xff\xff\xff\xff\0\0\0;", "image-pixels refuse"),
    ROW("a.gif", "gif", "GIF89a\1\0\1\0\0\0\0!\xfe\3abc\0;", ""),
    ROW("a.gif", "gif", "GIF89a\1\0\1\0\0\0\0?;", R),
    ROW("a.webp", "webp", WEBP, ""),
    ROW("a.webp", "webp", WEBP "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.webp", "webp", "RIFF\x16\0\0\0WEBPVP8L\x0b\0\0\0\x2f\0\0\0\0abcde", R),
    ROW("a.webp", "webp", "RIFF\x16\0\0\0WEBPALPH\x0a\0\0\0\x2f\0\0\0\0abcde", R),
    ROW("a.webp", "webp", "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff", "image-pixels refuse"),
    ROW("a.tif", "tiff", TIFF, ""),
    ROW("a.tif", "tiff", TIFF "\n", ""),
    ROW("a.tif", "tiff", TIFF "<?php x();", "image-trailing refuse"),
    /* a strip, which the file ends with, and bytes behind it */
    ROW("a.tif", "tiff", TIFF_STRIP "pp", ""),
    ROW("a.tif", "tiff", TIFF_STRIP "pp<?php x();", "image-trailing refuse"),
    ROW("a.tif", "tiff", "II*\0\x08\0\0\0\1\0\0\1\3\0\1\0\0\0\1\0\0\0\x08\0\0\0", R), /* a circle */
    ROW("a.tif", "tiff", "II*\0\x08\0\0\0\1\0\0\1\4\0\x09\0\0\0\1\0\0\0\0\0\0\0", R), /* values outside */
    ROW("a.tif", "tiff", "MM\0*\0\0\0\x08\0\2\1\0\0\4\0\0\0\1\0\1\0\0\1\1\0\4\0\0\0\1\0\1\0\0\0\0\0\0", "image-pixels refuse"),
    ROW("a.bmp", "bmp", BMP, ""),
    ROW("a.bmp", "bmp", BMP "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.ico", "ico", ICO, ""),
    ROW("a.ico", "ico", ICO "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.mp4", "mp4", FTYP MOOV, ""),
    ROW("a.mp4", "mp4", FTYP MOOV "\0\0\0\x40mdat", R),
    ROW("a.mp4", "mp4", FTYP, R),
    ROW("a.mp4", "mp4", FTYP "\0\0\0\x24moov\0\0\0\x1c" "dref\0\0\0\0\0\0\0\1\0\0\0\x0curl \0\0\0\1", ""),
    ROW("a.mp4", "mp4", FTYP "\0\0\0\x24moov\0\0\0\x1c" "dref\0\0\0\0\0\0\0\1\0\0\0\x0curl \0\0\0\0", "external-load refuse"),
    ROW("a.mp4", "mp4", FTYP MOOV "\0\0\0\x10mdat#EXTM3U\n", "playlist refuse"),
    ROW("a.avif", "avif", "\0\0\0\x14" "ftypavif\0\0\0\0avif\0\0\0\x30meta\0\0\0\0\0\0\0\x24iprp\0\0\0\x1cipco\0\0\0\x14ispe\0\0\0\0\0\0\0\1\0\0\0\1", ""),
    ROW("a.avif", "avif", "\0\0\0\x14" "ftypavif\0\0\0\0avif\0\0\0\x30meta\0\0\0\0\0\0\0\x24iprp\0\0\0\x1cipco\0\0\0\x14ispe\0\0\0\0\0\1\0\0\0\1\0\0", "image-pixels refuse"),
    ROW("a.wav", "wav", WAV, ""),
    ROW("a.wav", "wav", WAV "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.wav", "wav", "RIFF\x10\0\0\0WAVEdata\4\0\0\0abcd", R),
    ROW("a.ogg", "ogg", OGG OGG, ""),
    ROW("a.ogg", "ogg", OGG "0123456789abcdefghijklmnopq", R),
    ROW("a.woff", "woff", WOFF, ""),
    ROW("a.woff", "woff", WOFF "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.ttf", "ttf", TTF, ""),
    ROW("a.ttf", "ttf", TTF "0123456789abcdefg", "image-trailing refuse"),
    ROW("a.webm", "webm", WEBM, ""),
    ROW("a.webm", "webm", WEBM "\x19\x41\xa4\x69\x81x", "inspect/incomplete refuse"),
    ROW("a.webm", "webm", WEBM "\xec\x85x", R),
};

Test(image_other, every_row)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char name[32];
        snprintf(name, sizeof(name), "%s row %zu", rows[i].path, i);
        binary_check(name, rows[i].path, rows[i].types, rows[i].data, rows[i].len, rows[i].want);
    }
}

Test(image_other, no_cut_of_a_file_that_holds_passes)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool counts = rows[i].want[0] == 0 && strcmp(rows[i].path, "a.tif") != 0;
        for (size_t cut = 32; counts && cut < rows[i].len; cut++) {
            struct sink_list list;
            enum type culprit;
            struct type_set admitted = {{0}};
            binary_run(&list, rows[i].path, rows[i].types, rows[i].data, cut);
            type_set_add(&admitted, type_from_name(rows[i].types, strlen(rows[i].types)));
            /* where two pictures stand back to back, the first alone holds too */
            bool holds = type_judge(&list.claims, &admitted, &culprit) == FINDING_NONE && list.findings.n == 0;
            cr_expect(!holds || rows[i].len - cut <= 4 || strcmp(rows[i].path, "a.jpg") == 0 ||
                          strcmp(rows[i].path, "a.ogg") == 0,
                      "%s row %zu cut at %zu", rows[i].path, i, cut);
            sink_list_free(&list);
        }
    }
}

Test(image_other, sound_is_frames_and_tags)
{
    static uint8_t sound[10 + 4 * 104 + 128 + 100000];
    memcpy(sound, "ID3\3\0\0\0\0\0\0", 10);
    for (size_t i = 0; i < 4; i++)
        memcpy(sound + 10 + i * 104, FRAME_HEAD, 4);
    binary_check("frames", "a.mp3", "mp3", sound, 10 + 4 * 104, "");
    memcpy(sound + 10 + 4 * 104, "TAG", 3);
    binary_check("a tag behind", "a.mp3", "mp3", sound, 10 + 4 * 104 + 128, "");
    memset(sound + 10 + 4 * 104, 'x', sizeof(sound) - 10 - 4 * 104);
    binary_check("a long stretch of nothing", "a.mp3", "mp3", sound, sizeof(sound), R);
    binary_check("a tag alone", "a.mp3", "mp3", "ID3\3\0\0\0\0\0\0" "abcdefgh", 18, R);
}

/* A tag of one frame in front of five frames of silence. */
static void tagged(const char *name, const char *head, const char *frame, size_t len, const char *want)
{
    static uint8_t sound[4096];
    size_t at = 0;
    memset(sound, 0, sizeof(sound));
    memcpy(sound, head, 6);
    sound[8] = (uint8_t)(len >> 7);
    sound[9] = len & 0x7F;
    memcpy(sound + 10, frame, len);
    for (at = 10 + len; at + 104 < 10 + len + 5 * 104 + 1; at += 104)
        memcpy(sound + at, "\xff\xfb\x10\xc0", 4);
    binary_check(name, "a.mp3", "mp3", sound, at, want);
}

Test(image_other, files_in_the_tag_of_a_sound_are_members)
{
#define FRAME(text) text, sizeof(text) - 1
#define V3 "ID3\3\0\0"
    tagged("title", V3, FRAME("TIT2\0\0\0\5\0\0\0GEOB"), "");
    tagged("object", V3, FRAME("GEOB\0\0\0\x1c\0\0\0a/b\0a.lnk\0x\0L\0\0\0\1\x14\2\0abcdefgh"), "shortcut refuse");
    tagged("object by its name", V3, FRAME("GEOB\0\0\0\x12\0\0\0a/b\0a.lnk\0x\0abcd\n"), "shortcut refuse");
    tagged("text", V3, FRAME("GEOB\0\0\0\x12\0\0\0a/b\0a.txt\0x\0abcd\n"), "");
    tagged("apart", "ID3\3\0\x80", FRAME("GEOB\0\0\0\x13\0\0\0a/b\0a\0x\0#!/bin/sh\n"), "script refuse");
    tagged("second version", "ID3\2\0\0", FRAME("GEO\0\0\x11\0a/b\0a\0x\0#!/bin\n"), "script refuse");
    tagged("picture", V3, FRAME("APIC\0\0\0\x14\0\0\0i/png\0\3d\0#!/bin/sh\n"), "script refuse");
    tagged("packed", V3, FRAME("GEOB\0\0\0\4\0\x80\0a/b"), "inspect/incomplete refuse");
    tagged("without a place", V3, FRAME("GEOB\0\0\0\4\0\0\0a/b"), "inspect/incomplete refuse");
}
