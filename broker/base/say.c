/* SPDX-License-Identifier: ISC */
#include "base/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

static void escape_bytes(struct buf *out, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "\\x%02X", p[i]);
}

void say_escape(struct buf *out, const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    for (size_t i = 0; i < len;) {
        uint32_t code = 0;
        size_t plain = utf8_plain(p + i, len - i);
        const char *backslash = memchr(text + i, '\\', plain);
        size_t n = backslash ? (size_t)(backslash - text) - i : plain;
        if (n > 0) {
            buf_bytes(out, p + i, n);
            i += n;
            continue;
        }
        n = utf8_decode(p + i, len - i, &code);
        if (n == 0 || utf8_is_control(code) || utf8_is_format(code))
            escape_bytes(out, p + i, n ? n : 1);
        else if (code == '\\')
            buf_text(out, "\\\\");
        else
            buf_bytes(out, p + i, n);
        i += n ? n : 1;
    }
}

char *say_path_text(const char *path, size_t len, bool *escaped)
{
    const uint8_t *p = (const uint8_t *)path;
    struct buf out;
    uint32_t code;
    buf_init(&out, 4 * (size_t)PATH_BYTES + len * 4);
    *escaped = !utf8_valid(p, len);
    if (!*escaped) {
        buf_bytes(&out, p, len);
        return buf_take_text(&out);
    }
    for (size_t i = 0; i < len;) {
        size_t n = utf8_decode(p + i, len - i, &code);
        if (n == 0)
            escape_bytes(&out, p + i, 1);
        else if (p[i] == '\\')
            buf_text(&out, "\\\\");
        else
            buf_bytes(&out, p + i, n);
        i += n ? n : 1;
    }
    return buf_take_text(&out);
}

void say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("sallyport: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

char *say_name(const char *text)
{
    struct buf out;
    size_t len = strlen(text);
    buf_init(&out, 4 * len + 1);
    say_escape(&out, text, len);
    return buf_take_text(&out);
}

int say_fault(char *out, size_t size, int error, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    char *shown = say_name(text);
    snprintf(out, size, "%s", shown ? shown : "?");
    free(shown);
    errno = error;
    return -1;
}

void say_size(uint64_t bytes, char out[32])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < KIB) {
        snprintf(out, 32, "%u bytes", (unsigned)bytes);
        return;
    }
    size_t unit = 0;
    uint64_t scale = KIB;
    while (unit + 1 < ARRAY_LEN(units) && bytes / scale >= 1024) {
        scale *= 1024;
        unit++;
    }
    snprintf(out, 32, "%llu.%llu %s", (unsigned long long)(bytes / scale),
             (unsigned long long)(bytes % scale * 10 / scale), units[unit]);
}
