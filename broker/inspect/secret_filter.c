/* SPDX-License-Identifier: ISC
 * What looks like a credential and is none. Runs in a worker child. A placeholder of a known token is noted; what
 * stands behind a word like "password" must look chosen or generated. Never applied because the text asks for it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "inspect/secret.h"

enum {
    LOOKED_AT = 256,
    SAME_RUN = 8,     /* so many equal characters in a row do not come from a generator */
    FEW_DISTINCT = 5, /* a body of at least BODY characters has more different ones */
    BODY = 12,
    SHORT_PASSWORD = 4, /* shorter ones are "xyz" in a manual; nobody guards anything with them */
    VALUE_LEAST = 8,
    VALUE_MOST = 200
};

/* One of the words, in any case, in the first LOOKED_AT bytes. */
static bool has_word(const uint8_t *s, size_t len, const char *const *words, size_t n)
{
    char lower[LOOKED_AT];
    len = len < sizeof(lower) ? len : sizeof(lower);
    for (size_t i = 0; i < len; i++)
        lower[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] | 0x20 : s[i]);
    for (size_t i = 0; i < n; i++)
        if (memmem(lower, len, words[i], strlen(words[i])))
            return true;
    return false;
}

static size_t same_run(const uint8_t *s, size_t len)
{
    size_t best = 0, run = 0;
    for (size_t i = 0; i < len; i++) {
        run = i > 0 && s[i] == s[i - 1] ? run + 1 : 1;
        best = run > best ? run : best;
    }
    return best;
}

static size_t distinct(const uint8_t *s, size_t len)
{
    bool seen[256] = {false};
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += !seen[s[i]];
        seen[s[i]] = true;
    }
    return n;
}

uint32_t secret_entropy(const uint8_t *s, size_t len)
{
    unsigned count[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < len; i++)
        count[s[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (count[i])
            bits -= (double)count[i] * log2((double)count[i] / (double)len);
    return len ? (uint32_t)(bits * 100 / (double)len) : 0;
}

/* The last BODY characters of a token are behind every vendor's prefix. */
bool secret_placeholder(const uint8_t *s, size_t len)
{
    static const char *const words[] = {"example", "xxxx", "your_", "your-", "yourtoken", "yourkey", "yoursecret",
                                        "placeholder", "redacted", "changeme", "change_me", "replace_me", "replaceme",
                                        "insert_", "_here", "-here", "dummy", "****", "....", "tokenhere",
                                        "<", ">", "${", "{{"};
    if (has_word(s, len, words, ARRAY_LEN(words)))
        return true;
    size_t body = len < BODY ? len : BODY;
    return same_run(s, len) >= SAME_RUN || (body == BODY && distinct(s + len - body, body) < FEW_DISTINCT);
}

bool secret_documentation(const uint8_t *s, size_t len)
{
    static const char *const words[] = {"password", "passwd", "pass", "passw0rd", "pwd", "mypass", "mypassword", "token",
                                        "user", "username", "test", "xyzzy", "qwerty", "guest", "anonymous", "anoncvs", "pserver:anoncvs",
                                        "db_password", "dbpassword", "hunter2", "oauth2", "user@site"};
    bool quoted = len >= 2 && s[0] == s[len - 1] && (s[0] == '"' || s[0] == '\'');
    const char *text = (const char *)s + (quoted ? 1 : 0);
    size_t n = len - (quoted ? 2 : 0);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i]) == n && strncasecmp(text, words[i], n) == 0)
            return true;
    return n < SHORT_PASSWORD;
}

/* --- values ------------------------------------------------------------------------------------------ */

struct classes {
    size_t lower, upper, digit, other;
};

static struct classes count_classes(const uint8_t *s, size_t len)
{
    struct classes c = {0};
    for (size_t i = 0; i < len; i++) {
        if (islower(s[i]))
            c.lower++;
        else if (isupper(s[i]))
            c.upper++;
        else if (isdigit(s[i]))
            c.digit++;
        else
            c.other++;
    }
    return c;
}

static bool all_in(const uint8_t *s, size_t len, const char *set)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(set, s[i]) || !s[i])
            return false;
    return true;
}

/* 8-4-4-4-12 hex digits */
static bool is_uuid(const uint8_t *s, size_t len)
{
    if (len != 36)
        return false;
    for (size_t i = 0; i < len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s[i] != '-' : !isxdigit(s[i]))
            return false;
    }
    return true;
}

/* Code and templates: what computes or names a value instead of being it. */
static bool is_code(const uint8_t *s, size_t len)
{
    static const char *const signs[] = {"$", "{", "}", "(", ")", "[", "]", "<", ">", "::", "->", "env.", "os.", "self.",
                                        "this.", "%s", "%d", "\\", "null", "undefined", "://"};
    if (has_word(s, len, signs, ARRAY_LEN(signs)))
        return true;
    return s[0] == '/' || s[0] == '.' || s[0] == '@' || s[0] == '&' || s[0] == '*';
}

static bool is_word_like(const uint8_t *s, size_t len)
{
    static const char *const words[] = {"password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "sample",
                                        "test", "fake", "default", "string", "value", "none", "false", "true", "changeit",
                                        "notreal", "random", "hidden", "encrypted", "config", "localhost"};
    return has_word(s, len, words, ARRAY_LEN(words));
}

/* The cheap questions first: text that repeats "password=" asks them a hundred thousand times. */
bool secret_plausible(const uint8_t *s, size_t len)
{
    if (len < VALUE_LEAST || len > VALUE_MOST)
        return false;
    struct classes c = count_classes(s, len);
    if (c.digit == 0 || c.lower + c.upper == 0 || c.other * 3 > len)
        return false;
    int kinds = (c.lower > 0) + (c.upper > 0) + (c.digit > 0) + (c.other > 0);
    uint32_t entropy = secret_entropy(s, len);
    bool varied = len < 16 ? kinds >= 3 && entropy >= 300 : kinds >= 2 && entropy >= 350 && c.digit >= 2;
    if (!varied || is_uuid(s, len) || all_in(s, len, "0123456789abcdefABCDEF-:."))
        return false;
    return !secret_placeholder(s, len) && !is_code(s, len) && !is_word_like(s, len);
}
