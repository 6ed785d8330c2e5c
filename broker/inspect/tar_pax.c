/* SPDX-License-Identifier: ISC
 * Records of a pax extended header: "LEN KEY=VALUE\n", LEN counting itself. Pure; strict where readers
 * differ: leading zeros, missing newline, NUL in names, the same key twice. */
#include "inspect/tar_head.h"

#include <string.h>

enum { LENGTH_DIGITS = 10 };

static bool digits(const char *at, size_t len, uint64_t *out)
{
    *out = 0;
    if (len == 0 || len > 19)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
        *out = *out * 10 + (uint64_t)(at[i] - '0');
    }
    return true;
}

static bool is(struct tar_text key, const char *word)
{
    return key.len == strlen(word) && memcmp(key.at, word, key.len) == 0;
}

static bool begins(struct tar_text key, const char *word)
{
    return key.len >= strlen(word) && memcmp(key.at, word, strlen(word)) == 0;
}

static const char *set_text(struct tar_text *field, struct tar_text value)
{
    if (field->at)
        return "a pax key is given twice";
    if (memchr(value.at, 0, value.len))
        return "a pax name holds a NUL byte";
    *field = value;
    return NULL;
}

static const char *apply(struct tar_pax *pax, struct tar_text key, struct tar_text value)
{
    pax->overrides_content = pax->overrides_content || is(key, "path") || is(key, "linkpath") ||
                             is(key, "size") || is(key, "hdrcharset") || begins(key, "GNU.") ||
                             begins(key, "SCHILY.");
    pax->sparse = pax->sparse || begins(key, "GNU.sparse") || is(key, "SCHILY.realsize") ||
                  is(key, "SCHILY.filetype");
    pax->charset = pax->charset || is(key, "hdrcharset");
    pax->capability = pax->capability || is(key, "SCHILY.xattr.security.capability") ||
                      is(key, "LIBARCHIVE.xattr.security.capability");
    if (is(key, "path"))
        return set_text(&pax->path, value);
    if (is(key, "linkpath"))
        return set_text(&pax->linkpath, value);
    if (!is(key, "size"))
        return NULL;
    if (pax->has_size)
        return "a pax key is given twice";
    pax->has_size = true;
    return digits(value.at, value.len, &pax->size) ? NULL : "a pax size is no number";
}

/* The record at data: its key and value; NULL or what is wrong. */
static const char *record(const char *data, size_t len, size_t *taken, struct tar_text *key,
                          struct tar_text *value)
{
    static const char bad[] = "a pax record does not have the form \"LEN KEY=VALUE\"";
    uint64_t n;
    size_t head = len < LENGTH_DIGITS + 1 ? len : LENGTH_DIGITS + 1;
    const char *space = memchr(data, ' ', head);
    if (!space || data[0] == '0' || !digits(data, (size_t)(space - data), &n))
        return bad;
    size_t body = (size_t)(space - data) + 1;
    if (n > len || n < body + 3 || data[n - 1] != '\n')
        return bad;
    const char *equals = memchr(data + body, '=', (size_t)n - 1 - body);
    if (!equals || equals == data + body || memchr(data + body, 0, (size_t)(equals - (data + body))))
        return bad;
    *key = (struct tar_text){data + body, (size_t)(equals - (data + body))};
    *value = (struct tar_text){equals + 1, (size_t)(data + n - 1 - (equals + 1))};
    *taken = (size_t)n;
    return NULL;
}

const char *tar_pax_parse(const uint8_t *data, size_t len, struct tar_pax *pax)
{
    const char *at = (const char *)data;
    *pax = (struct tar_pax){.given = true};
    while (len > 0) {
        struct tar_text key, value;
        size_t taken;
        const char *fault = record(at, len, &taken, &key, &value);
        if (!fault)
            fault = apply(pax, key, value);
        if (fault)
            return fault;
        at += taken;
        len -= taken;
    }
    return NULL;
}
