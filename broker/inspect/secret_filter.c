/* SPDX-License-Identifier: ISC
 * What looks like a credential and is none. Runs in a worker child. A placeholder of a known token is noted; what
 * stands behind a word like "password" must look chosen or generated. Never applied because the text asks for it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "inspect/secret.h"

enum {
    LOOKED_AT = 256,
    WORDS_MOST = 31, /* of one list */
    SAME_RUN = 8,     /* so many equal characters in a row do not come from a generator */
    FEW_DISTINCT = 5, /* a body of at least BODY characters has more different ones */
    BODY = 12,
    SHORT_PASSWORD = 4, /* shorter ones are "xyz" in a manual; nobody guards anything with them */
    WORD = 3, /* letters of the shortest word */
    SHORT_NAME = 16, /* a longer name with an underscore is made of words */
    CHOSEN_MOST = 32, /* what a person chooses is shorter */
    VALUE_LEAST = 8,
    VALUE_MOST = 200
};

/* How many bytes the words are, in any case, each once, of the first LOOKED_AT bytes; any: those of the first one found.
 * All words in one pass: text that repeats "password=" asks this of 200 bytes again and again. */
static size_t word_bytes(const uint8_t *s, size_t len, const char *const *words, size_t n, bool any)
{
    uint8_t lower[LOOKED_AT + 1], first[256] = {0}, behind[WORDS_MOST + 1] = {0}; /* words by their first byte, from 1 on */
    uint32_t seen = 0;
    size_t sum = 0;
    len = len < LOOKED_AT ? len : LOOKED_AT;
    for (size_t i = 0; i < len; i++)
        lower[i] = s[i] >= 'A' && s[i] <= 'Z' ? s[i] | 0x20 : s[i];
    lower[len] = 0;
    for (size_t i = 0; i < n && i < WORDS_MOST; i++) {
        behind[i + 1] = first[(uint8_t)words[i][0]];
        first[(uint8_t)words[i][0]] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < len; i++)
        for (unsigned w = first[lower[i]]; w; w = behind[w]) {
            const char *word = words[w - 1];
            if (word[1] && word[1] != (char)lower[i + 1])
                continue;
            size_t size = strlen(word);
            if (size > len - i || memcmp(lower + i, word, size) != 0)
                continue;
            if (any)
                return size;
            sum += seen >> w & 1 ? 0 : size;
            seen |= (uint32_t)1 << w;
        }
    return sum;
}

static bool has_word(const uint8_t *s, size_t len, const char *const *words, size_t n)
{
    return word_bytes(s, len, words, n, true) > 0;
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

static const char *const stand_ins[] = {"example", "xxxx", "your_", "your-", "yourtoken", "yourkey", "yoursecret",
                                        "placeholder", "redacted", "changeme", "change_me", "replace_me", "replaceme",
                                        "insert_", "_here", "-here", "dummy", "****", "....", "tokenhere"};
static const char *const templates[] = {"<", ">", "${", "{{"};

/* The last BODY characters of a token are behind every vendor's prefix. */
static bool is_monotonous(const uint8_t *s, size_t len)
{
    size_t body = len < BODY ? len : BODY;
    return same_run(s, len) >= SAME_RUN || (body == BODY && distinct(s + len - body, body) < FEW_DISTINCT);
}

bool secret_placeholder(const uint8_t *s, size_t len)
{
    return has_word(s, len, stand_ins, ARRAY_LEN(stand_ins)) || has_word(s, len, templates, ARRAY_LEN(templates)) ||
           is_monotonous(s, len);
}

/* A person may put any word into a password: it stands for one where such words are half of it. */
bool secret_password_placeholder(const uint8_t *s, size_t len)
{
    return word_bytes(s, len, stand_ins, ARRAY_LEN(stand_ins), false) * 2 >= len || secret_documentation(s, len) ||
           has_word(s, len, templates, ARRAY_LEN(templates)) || is_monotonous(s, len);
}

/* Values that standards and manuals print: public, and copied into a thousand files. By FNV-1a, so that this file looks
 * like no leak. */
bool secret_example(const uint8_t *s, size_t len)
{
    static const uint64_t known[] = {
        0x846b2a1e2fad7fcbu, /* RFC 6749: access token */
        0xecc1a4474851bc28u, /* RFC 6749: refresh token */
        0xdc8d8ca0645472e9u, /* RFC 6749: client of HTTP basic */
        0xdb9d9a015ca5096cu, /* RFC 6749: client of HTTP basic, encoded once more */
        0xd9ad86ad3724159bu, /* RFC 6749: client secret */
        0x30aa8188bb023e35u, /* RFC 6749: code */
        0x9617ea5685ae57eau, /* RFC 7617: user and password of HTTP basic */
        0x4f533d9fcc4bcbdcu, /* RFC 7617 without its padding */
        0xc84e05130ba01136u, /* user:pass in base64 */
        0x4f459807254f1ee7u, /* RFC 7009: token */
        0x058633e2ffe8cd27u, /* OAuth 1.0 (RFC 5849): token */
        0x3c0d8e9db0e6bea8u, /* OAuth 1.0: token of temporary credentials */
        0xd7ba480fb3bb167eu, /* OAuth 1.0: token */
        0xce68431bed00033eu, /* RFC 7519: JWT */
        0x0fd990c5156251feu, /* manual of PyJWT: JWT signed with the word "secret" */
        0x41713f90ee749c65u, /* manual of Ruby's URI: password */
        0x7ddd305fe7ef30eau, /* manual of Ruby's URI: the other one */
        0x617d0862d799231cu, /* manual of oauthlib: secret of a token */
    };
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ s[i]) * 0x100000001b3u;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i] == hash)
            return true;
    return false;
}

bool secret_documentation(const uint8_t *s, size_t len)
{
    static const char *const words[] = {"password", "passwd", "pass", "passw0rd", "pwd", "mypass", "mypassword", "token",
                                        "user", "username", "test", "userpass", "proxypass", "xyzzy", "qwerty", "tiger", "guest", "anonymous", "anoncvs", "pserver:anoncvs",
                                        "db_password", "dbpassword", "oauth2", "user@site"};
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
    bool drive = len > 2 && isalpha(s[0]) && s[1] == ':'; /* a path of Windows, whose backslashes a view has eaten */
    return drive || s[0] == '/' || s[0] == '.' || s[0] == '@' || s[0] == '&' || s[0] == '*';
}

static bool is_word_like(const uint8_t *s, size_t len)
{
    static const char *const words[] = {"password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "sample",
                                        "test", "fake", "default", "string", "value", "none", "false", "true", "changeit",
                                        "notreal", "random", "hidden", "encrypted", "config", "localhost"};
    return has_word(s, len, words, ARRAY_LEN(words));
}

/* Pairs of letters that words and the names of programs are made of: what follows a, what follows b, ... Two of five
 * pairs of a generator are among them, and nine of ten of a text. */
static bool is_pair(uint8_t a, uint8_t b)
{
    static const char *const behind[26] = {
        "bcdfgiklmnprstuvxy",   "aeilorsu",       "acehiklorstu",  "abdeilorsu",      "abcdefgilmnopqrstvwxy",
        "aefilorstu",           "aehilnorsu",     "aeiortu",       "abcdefglmnoprstvxz", "ao",
        "aeios",                "adeilostuy",     "abeimopsu",     "acdefgiklnostuv", "abcdefgiklmnoprstuvw",
        "acehiloprstuy",        "u",              "acdegiklmnoprstuy", "acehiklmopstuy", "acefhilmoprstuy",
        "abcdefgilmnprst",      "aeio",           "aeios",         "ept",             "nps",
        "ei"};
    return strchr(behind[(a | 0x20) - 'a'], b | 0x20) != NULL;
}

/* Is half of it words? A word: three letters or more, three of four pairs usual; it ends where a capital follows a small
 * letter. */
bool secret_wordy(const uint8_t *s, size_t len)
{
    size_t words = 0;
    for (size_t i = 0, n; i < len; i += n) {
        size_t usual = 0;
        for (n = 1; isalpha(s[i]) && i + n < len && isalpha(s[i + n]); n++) {
            if (islower(s[i + n - 1]) && isupper(s[i + n]))
                break;
            usual += is_pair(s[i + n - 1], s[i + n]);
        }
        if (n >= WORD && usual * 4 >= (n - 1) * 3)
            words += n;
    }
    return words * 2 >= len;
}

/* The cheap questions first: text that repeats "password=" asks them a hundred thousand times. */
static bool is_plausible(const uint8_t *s, size_t len, struct classes c)
{
    if (c.digit == 0 || c.lower + c.upper == 0 || c.other * 3 > len)
        return false;
    int kinds = (c.lower > 0) + (c.upper > 0) + (c.digit > 0) + (c.other > 0);
    uint32_t entropy = secret_entropy(s, len);
    bool varied = len < 16 ? kinds >= 3 && entropy >= 300 : kinds >= 2 && entropy >= 350 && c.digit >= 2;
    if (!varied || is_uuid(s, len) || all_in(s, len, "0123456789abcdefABCDEF-:."))
        return false;
    return !is_word_like(s, len) && !is_code(s, len) && !secret_placeholder(s, len);
}

/* Signs that passwords have and names in programs have not. */
static bool has_sign(const uint8_t *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] && strchr("!#^~%", s[i]))
            return true;
    return false;
}

/* pkcs12_val, Td2i_Key */
static bool is_short_name(const uint8_t *s, size_t len)
{
    bool name = !isdigit(s[0]) && memchr(s, '_', len);
    for (size_t i = 0; i < len; i++)
        name = name && (isalnum(s[i]) || s[i] == '_');
    return name && len < SHORT_NAME;
}

/* WINHTTP_ERROR_BASE+185, ^MSV1_0_REQUEST: words in capitals that an underscore joins. */
static bool is_constant(const uint8_t *s, size_t len, struct classes c)
{
    size_t start = s[0] == '^';
    return c.lower == 0 && isalpha(s[start] == '_' ? s[start + 1] : s[start]) && memchr(s, '_', len) &&
           all_in(s + start, len - start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+*") && secret_wordy(s, len);
}

enum value_grade secret_value(const uint8_t *s, size_t len)
{
    if (len < VALUE_LEAST || len > VALUE_MOST)
        return VALUE_NONE;
    struct classes c = count_classes(s, len);
    if (!is_plausible(s, len, c))
        return VALUE_NONE;
    if (is_constant(s, len, c))
        return VALUE_NAME;
    bool chosen = len <= CHOSEN_MOST && c.lower > 0 && c.upper > 0 && c.digit > 0 && has_sign(s, len);
    return chosen || (!is_short_name(s, len) && !secret_wordy(s, len)) ? VALUE_LIKELY : VALUE_DOUBTFUL;
}
