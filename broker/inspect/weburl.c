/* SPDX-License-Identifier: ISC
 * In a worker child: hostile addresses, by table. An unknown scheme is one that no reader loads by itself. */
#include "inspect/weburl.h"

#include <string.h>

#include "inspect/scan.h"

static const struct {
    const char *scheme;
    enum weburl kind;
} schemes[] = {
    {"http", WEBURL_OUTSIDE},      {"https", WEBURL_OUTSIDE},       {"ftp", WEBURL_OUTSIDE},
    {"ftps", WEBURL_OUTSIDE},      {"ws", WEBURL_OUTSIDE},          {"wss", WEBURL_OUTSIDE},
    {"smb", WEBURL_OUTSIDE},       {"cid", WEBURL_LOCAL},           {"mid", WEBURL_LOCAL},
    {"about", WEBURL_LOCAL},       {"attachment", WEBURL_LOCAL},    {"file", WEBURL_FILE},
    {"mocha", WEBURL_SCRIPT},      {"blob", WEBURL_HANDLER},        {"filesystem", WEBURL_HANDLER},
    {"jar", WEBURL_HANDLER},       {"mhtml", WEBURL_HANDLER},       {"view-source", WEBURL_HANDLER},
    {"resource", WEBURL_HANDLER},  {"chrome", WEBURL_HANDLER},      {"res", WEBURL_HANDLER},
    {"its", WEBURL_HANDLER},       {"mk", WEBURL_HANDLER},          {"wyciwyg", WEBURL_HANDLER},
    {"search-ms", WEBURL_HANDLER}, {"shell", WEBURL_HANDLER},       {"hcp", WEBURL_HANDLER},
    {"onenote", WEBURL_HANDLER},   {"itms-services", WEBURL_HANDLER}, {"search", WEBURL_HANDLER},
};

static const struct {
    const char *start; /* of the media type */
    enum weburl kind;
} media[] = {
    {"image/svg", WEBURL_SVG},          {"image/png", WEBURL_IMAGE},
    {"image/jpeg", WEBURL_IMAGE},       {"image/jpg", WEBURL_IMAGE},
    {"image/gif", WEBURL_IMAGE},        {"image/webp", WEBURL_IMAGE},
    {"image/avif", WEBURL_IMAGE},       {"image/bmp", WEBURL_IMAGE},
    {"image/x-icon", WEBURL_IMAGE},     {"image/vnd.microsoft.icon", WEBURL_IMAGE},
    {"audio/", WEBURL_IMAGE},           {"video/", WEBURL_IMAGE},
    {"font/", WEBURL_IMAGE},            {"application/font", WEBURL_IMAGE},
    {";base64,ivborw0kggo", WEBURL_IMAGE}, /* without a type: PNG, JPEG and GIF by their first bytes */
    {";base64,/9j/", WEBURL_IMAGE},     {";base64,r0lgod", WEBURL_IMAGE},
    {"application/x-font", WEBURL_IMAGE}, {"application/vnd.ms-fontobject", WEBURL_IMAGE},
};

static enum weburl data_kind(const char *type)
{
    for (size_t i = 0; i < ARRAY_LEN(media); i++)
        if (strncmp(type, media[i].start, strlen(media[i].start)) == 0)
            return media[i].kind;
    return WEBURL_DOCUMENT;
}

static enum weburl scheme_kind(const char *scheme, const char *rest)
{
    if (strstr(scheme, "script"))
        return WEBURL_SCRIPT;
    if (strcmp(scheme, "data") == 0)
        return data_kind(rest);
    if (strlen(scheme) == 1)
        return WEBURL_FILE;
    if (strncmp(scheme, "ms-", 3) == 0)
        return WEBURL_HANDLER;
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
        if (strcmp(scheme, schemes[i].scheme) == 0)
            return schemes[i].kind;
    return WEBURL_PLAIN;
}

/* Most addresses have no scheme: another delimiter than ':' stands behind their first word, or nothing. */
static bool plainly_local(const uint8_t *text, size_t len)
{
    static const bool in_words[256] = {['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
                                       ['.'] = true, ['-'] = true, ['_'] = true, ['%'] = true};
    size_t i = 0;
    while (i < len && i < WEBURL_START && in_words[text[i]])
        i++;
    if (i == len || i == WEBURL_START)
        return i == len;
    return (i > 0 && text[i] == '/') || text[i] == '#' || text[i] == '?';
}

enum weburl weburl_classify(const uint8_t *text, size_t len)
{
    if (plainly_local(text, len))
        return WEBURL_LOCAL;
    char start[WEBURL_START + 1];
    size_t n = 0, i = 0;
    while (i < len && (text[i] <= 0x20 || text[i] >= 0x7F))
        i++;
    for (; i < len && n < WEBURL_START; i++)
        if (text[i] != '\t' && text[i] != '\n' && text[i] != '\r' && text[i] != 0)
            start[n++] = (char)ascii_lower(text[i]);
    start[n] = '\0';
    if ((start[0] == '/' || start[0] == '\\') && (start[1] == '/' || start[1] == '\\'))
        return WEBURL_OUTSIDE;
    size_t scheme = strcspn(start, ":/\\?#&;,<>\"' ");
    if (start[scheme] != ':' || !ascii_letter(start[0]))
        return WEBURL_LOCAL;
    start[scheme] = '\0';
    return scheme_kind(start, start + scheme + 1);
}
