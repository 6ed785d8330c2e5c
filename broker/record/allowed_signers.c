/* SPDX-License-Identifier: ISC */
#include "record/allowed_signers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "record/base64.h"
#include "record/sshsig.h"

enum { PATTERN_STEPS = 100000 };

/* '*' and '?' as in OpenSSH patterns, without recursion: the last '*' takes one byte more where the rest fails. */
static bool glob_match(const char *text, size_t text_len, const char *pattern, size_t pattern_len)
{
    size_t t = 0, p = 0, star = SIZE_MAX, retry = 0;
    for (unsigned steps = 0; t < text_len && steps < PATTERN_STEPS; steps++) {
        if (p < pattern_len && pattern[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern_len && (pattern[p] == '?' || pattern[p] == text[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern_len && pattern[p] == '*')
        p++;
    return t == text_len && p == pattern_len;
}

/* A list matches where one pattern does and no pattern with '!' does. */
static bool list_match(const char *text, const char *list)
{
    bool found = false;
    for (;;) {
        size_t n = strcspn(list, ",");
        bool negated = n > 0 && list[0] == '!';
        if (glob_match(text, strlen(text), list + negated, n - negated)) {
            if (negated)
                return false;
            found = true;
        }
        if (!list[n])
            return found;
        list += n + 1;
    }
}

static bool digits(const char *text, size_t n, int *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *out = *out * 10 + (text[i] - '0');
    }
    return true;
}

/* YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS; local time, or UTC with a Z behind it. */
static bool parse_time(const char *text, size_t n, int64_t *out)
{
    struct tm tm = {.tm_isdst = -1};
    bool utc = n > 0 && text[n - 1] == 'Z';
    n -= utc;
    if (n != 8 && n != 12 && n != 14)
        return false;
    if (!digits(text, 4, &tm.tm_year) || !digits(text + 4, 2, &tm.tm_mon) || !digits(text + 6, 2, &tm.tm_mday))
        return false;
    if (n >= 12 && (!digits(text + 8, 2, &tm.tm_hour) || !digits(text + 10, 2, &tm.tm_min)))
        return false;
    if (n == 14 && !digits(text + 12, 2, &tm.tm_sec))
        return false;
    if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 || tm.tm_min > 59 ||
        tm.tm_sec > 60)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    *out = utc ? (int64_t)timegm(&tm) : (int64_t)mktime(&tm);
    return *out > 0;
}

/* What is left of one line. */
struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

/* The next word; quotes keep blanks in it. False: none, or a quote that is not closed. */
static bool next_word(struct cursor *c, const char **word, size_t *len)
{
    bool quoted = false;
    skip_blanks(c);
    *word = c->at;
    for (; c->at < c->end && (quoted || (*c->at != ' ' && *c->at != '\t')); c->at++)
        quoted ^= *c->at == '"';
    *len = (size_t)(c->at - *word);
    return *len > 0 && !quoted;
}

static void unquote(const char **text, size_t *len)
{
    if (*len >= 2 && (*text)[0] == '"' && (*text)[*len - 1] == '"') {
        (*text)++;
        *len -= 2;
    }
}

static bool starts(const char *text, size_t len, const char *name)
{
    return len >= strlen(name) && strncasecmp(text, name, strlen(name)) == 0;
}

static bool one_option(struct allowed_signer *signer, const char *text, size_t len, bool *authority)
{
    const char *equals = memchr(text, '=', len);
    const char *value = equals ? equals + 1 : text + len;
    size_t value_len = (size_t)(text + len - value);
    unquote(&value, &value_len);
    if (len == strlen("cert-authority") && starts(text, len, "cert-authority"))
        *authority = true;
    else if (equals && starts(text, len, "namespaces=") && !signer->namespaces)
        return (signer->namespaces = strndup(value, value_len)) != NULL;
    else if (equals && starts(text, len, "valid-after=") && !signer->valid_after)
        return parse_time(value, value_len, &signer->valid_after);
    else if (equals && starts(text, len, "valid-before=") && !signer->valid_before)
        return parse_time(value, value_len, &signer->valid_before);
    else
        return false;
    return true;
}

static bool options(struct allowed_signer *signer, const char *text, size_t len, bool *authority)
{
    while (len > 0) {
        size_t n = 0;
        for (bool quoted = false; n < len && (quoted || text[n] != ','); n++)
            quoted ^= text[n] == '"';
        if (!one_option(signer, text, n, authority))
            return false;
        n += n < len;
        text += n;
        len -= n;
    }
    return true;
}

static bool is_key_type(const char *text, size_t len)
{
    return starts(text, len, "ssh-") || starts(text, len, "ecdsa-") || starts(text, len, "sk-");
}

/* 1: a key that can match; 0: another kind of key; -1: malformed. */
static int parse_line(struct allowed_signer *signer, struct cursor c)
{
    const char *word;
    size_t len, blob_len = 0;
    bool authority = false;
    if (!next_word(&c, &word, &len))
        return -1;
    unquote(&word, &len);
    signer->principals = strndup(word, len);
    if (!signer->principals || !next_word(&c, &word, &len))
        return -1;
    if (!is_key_type(word, len) && (!options(signer, word, len, &authority) || !next_word(&c, &word, &len)))
        return -1;
    if (!is_key_type(word, len))
        return -1;
    bool ed25519 = len == strlen("ssh-ed25519") && memcmp(word, "ssh-ed25519", len) == 0;
    if (!next_word(&c, &word, &len))
        return -1;
    if (!ed25519 || authority)
        return 0;
    uint8_t *blob = base64_decode(word, len, &blob_len);
    bool good = blob && ssh_public_decode(blob, blob_len, signer->key);
    free(blob);
    return good ? 1 : -1;
}

static void signer_clear(struct allowed_signer *signer)
{
    free(signer->principals);
    free(signer->namespaces);
    *signer = (struct allowed_signer){0};
}

static int add_line(struct allowed_signers *list, const char *text, size_t len, unsigned number)
{
    struct allowed_signer signer = {.line = number};
    struct cursor c = {text, text + len};
    skip_blanks(&c);
    if (c.at == c.end || *c.at == '#')
        return 0;
    int rc = parse_line(&signer, c);
    struct allowed_signer *grown = rc == 1 ? realloc(list->v, (list->n + 1) * sizeof(*grown)) : NULL;
    if (grown) {
        list->v = grown;
        list->v[list->n++] = signer;
        return 0;
    }
    signer_clear(&signer);
    return rc == 0 ? 0 : -1;
}

long allowed_signers_parse(struct allowed_signers *list, const char *text, size_t len)
{
    *list = (struct allowed_signers){0};
    for (unsigned number = 1; len > 0; number++) {
        const char *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) : len;
        size_t line_len = n > 0 && text[n - 1] == '\r' ? n - 1 : n;
        if (memchr(text, '\0', n) || add_line(list, text, line_len, number) != 0) {
            allowed_signers_free(list);
            return (long)number;
        }
        n += end != NULL;
        text += n;
        len -= n;
    }
    return 0;
}

void allowed_signers_free(struct allowed_signers *list)
{
    for (size_t i = 0; i < list->n; i++)
        signer_clear(&list->v[i]);
    free(list->v);
    *list = (struct allowed_signers){0};
}

static enum signer_match match_one(const struct allowed_signer *signer, const char *identity, int64_t when)
{
    if (!list_match(identity, signer->principals))
        return SIGNER_OTHER;
    if (signer->namespaces && !list_match(SSHSIG_NAMESPACE, signer->namespaces))
        return SIGNER_NAMESPACE;
    if (signer->valid_after && when < signer->valid_after)
        return SIGNER_NOT_YET;
    if (signer->valid_before && when > signer->valid_before)
        return SIGNER_EXPIRED;
    return SIGNER_MATCHES;
}

enum signer_match allowed_signers_match(const struct allowed_signers *list, const uint8_t key[ED25519_PUBLIC],
                                        const char *identity, int64_t time, const char **principals)
{
    enum signer_match best = SIGNER_UNKNOWN;
    *principals = NULL;
    for (size_t i = 0; i < list->n; i++) {
        if (memcmp(list->v[i].key, key, ED25519_PUBLIC) != 0)
            continue;
        enum signer_match match = match_one(&list->v[i], identity, time);
        if (match > best) {
            best = match;
            *principals = list->v[i].principals;
        }
    }
    return best;
}
