/* SPDX-License-Identifier: ISC
 * What can be verified of a token without a network. Runs in a worker child. A checksum that holds raises confidence;
 * one that fails never lets anything pass, since one changed character must not be a way out. Sources of the formats:
 * GitHub and npm: GitHub's posts on token formats (2021); GitLab: routable tokens design document; Cloudflare: token
 * formats documentation; age: BIP 173; JWT: RFC 7519; the others were computed from published sample tokens. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "inspect/secret.h"
#include "inspect/secret_class.h"

enum { DECODED = 4096 };

static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

typedef enum check_result check_fn(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len);

static enum check_result result(bool holds)
{
    return holds ? CHECK_RESULT_HOLDS : CHECK_RESULT_FAILS;
}

/* --- tools ------------------------------------------------------------------------------------------- */

/* CRC-32/ISO-HDLC, bit by bit: a token has sixty bytes. */
static uint32_t crc32_of(const uint8_t *s, size_t len)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < len; i++) {
        crc ^= s[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* Does value, in this alphabet and left-padded with its first character, equal the n characters at s? */
static bool digits_equal(uint32_t value, const char *alphabet, unsigned base, const uint8_t *s, size_t n)
{
    for (size_t i = n; i-- > 0; value /= base)
        if (s[i] != (uint8_t)alphabet[value % base])
            return false;
    return value == 0;
}

static size_t decode_base64(const uint8_t *s, size_t len, uint8_t *out, size_t max)
{
    uint32_t v = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t i = 0; i < len && n < max; i++) {
        uint8_t d = secret_class_base64(s[i]);
        if (d == 255)
            break;
        v = (v << 6 | d) & 0xffffffu;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (uint8_t)(v >> have);
        }
    }
    return n;
}

static const uint8_t *find(const uint8_t *s, size_t len, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; n <= len && i <= len - n; i++)
        if (memcmp(s + i, what, n) == 0)
            return s + i;
    return NULL;
}

/* Behind the last `sign`. */
static size_t behind(const uint8_t *s, size_t len, uint8_t sign)
{
    while (len > 0 && s[len - 1] != sign)
        len--;
    return len;
}

/* --- checksums --------------------------------------------------------------------------------------- */

/* prefix_ body crc: six base62 digits over the body without its prefix */
static enum check_result crc62(const uint8_t *s, size_t len)
{
    const uint8_t *sign = len > 0 ? memchr(s, '_', len) : NULL;
    size_t body = sign ? (size_t)(sign - s) + 1 : 0;
    if (len < body + 12)
        return CHECK_RESULT_NONE;
    return result(digits_equal(crc32_of(s + body, len - body - 6), base62, 62, s + len - 6, 6));
}

static enum check_result check_github(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    return crc62(s, len);
}

/* github_pat_ 22 _ 59, of which 43 are random, 8 are base32 of a SHA-256 over all before, 8 more follow */
static enum check_result check_github_pat(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    enum { SIGNED = 11 + 22 + 1 + 43 };
    uint8_t digest[SHA256_SIZE];
    (void)whole;
    (void)whole_len;
    if (len != SIGNED + 16)
        return CHECK_RESULT_NONE;
    sha256_bytes(s, SIGNED, digest);
    uint64_t bits = 0;
    for (int i = 0; i < 5; i++)
        bits = bits << 8 | digest[i];
    for (int i = 7; i >= 0; i--, bits >>= 5)
        if (s[SIGNED + i] != (uint8_t)base32[bits & 31])
            return CHECK_RESULT_FAILS;
    return CHECK_RESULT_HOLDS;
}

static enum check_result check_gitlab(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    if (len < 30 || !memchr(s, '.', len))
        return CHECK_RESULT_NONE;
    return result(digits_equal(crc32_of(s, len - 7), "0123456789abcdefghijklmnopqrstuvwxyz", 36, s + len - 7, 7));
}

static bool hex_equal(uint32_t value, const uint8_t *s)
{
    char text[9];
    snprintf(text, sizeof(text), "%08x", value);
    return memcmp(text, s, 8) == 0;
}

/* glsa_ 32 _ 8: the CRC of what is before the second underscore, its bytes the other way round */
static enum check_result check_grafana(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    return len == 46 ? result(hex_equal(__builtin_bswap32(crc32_of(s, 37)), s + 38)) : CHECK_RESULT_NONE;
}

static enum check_result check_cloudflare(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    size_t body = behind(s, len, '_');
    return len - body == 48 ? result(hex_equal(crc32_of(s + body, 40), s + len - 8)) : CHECK_RESULT_NONE;
}

static enum check_result check_zuplo(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    return len == 46 ? result(hex_equal(crc32_of(s + 5, 32), s + 38)) : CHECK_RESULT_NONE;
}

static enum check_result check_confluent(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[8];
    (void)whole;
    (void)whole_len;
    if (len != 64 || decode_base64(s + 58, 6, out, sizeof(out)) < 4)
        return CHECK_RESULT_NONE;
    uint32_t crc = crc32_of(s + 4, 54);
    const uint8_t want[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)};
    return result(memcmp(out, want, sizeof(want)) == 0);
}

static uint32_t bech32_step(uint32_t state, uint8_t value)
{
    static const uint32_t generator[5] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    uint32_t top = state >> 25;
    state = (state & 0x1ffffff) << 5 ^ value;
    for (unsigned i = 0; i < 5; i++)
        if (top >> i & 1)
            state ^= generator[i];
    return state;
}

static enum check_result check_age(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    static const char charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    size_t data = behind(s, len, '1');
    uint32_t state = 1;
    (void)whole;
    (void)whole_len;
    if (data < 2 || data == len)
        return CHECK_RESULT_NONE;
    for (size_t i = 0; i + 1 < data; i++)
        state = bech32_step(state, (uint8_t)(tolower(s[i]) >> 5));
    state = bech32_step(state, 0);
    for (size_t i = 0; i + 1 < data; i++)
        state = bech32_step(state, (uint8_t)(tolower(s[i]) & 31));
    for (size_t i = data; i < len; i++) {
        const char *at = strchr(charset, tolower(s[i]));
        if (!at || !*at)
            return CHECK_RESULT_FAILS;
        state = bech32_step(state, (uint8_t)(at - charset));
    }
    return result(state == 1);
}

/* --- structures -------------------------------------------------------------------------------------- */

static bool is_json_object(const uint8_t *s, size_t n)
{
    size_t i = 1;
    if (n < 2 || s[0] != '{')
        return false;
    while (i < n && isspace(s[i]))
        i++;
    return i < n && (s[i] == '"' || s[i] == '}');
}

/* The first part is a JSON object with "alg" that ends where it should. */
static enum check_result check_jwt(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[DECODED];
    (void)whole;
    (void)whole_len;
    const uint8_t *start = find(s, len, "ey");
    if (!start)
        return CHECK_RESULT_FAILS;
    const uint8_t *dot = memchr(start, '.', len - (size_t)(start - s));
    size_t n = decode_base64(start, dot ? (size_t)(dot - start) : 0, out, sizeof(out));
    while (n > 0 && isspace(out[n - 1]))
        n--;
    return result(is_json_object(out, n) && out[n - 1] == '}' && find(out, n, "\"alg\""));
}

/* The first line of the body decodes to DER, to an OpenSSH key or to OpenPGP packets. */
static enum check_result check_pem(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[48];
    (void)whole;
    (void)whole_len;
    size_t n = decode_base64(s, len, out, sizeof(out));
    if (n < 16)
        return CHECK_RESULT_FAILS;
    return result(out[0] == 0x30 || memcmp(out, "openssh-key-v1", 15) == 0 || (out[0] & 0xc0) == 0xc0 ||
                  (out[0] & 0xfc) == 0x94);
}

/* Behind the last underscore before "ey": base64 of a JSON object. */
static enum check_result check_json_base64(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[64];
    (void)whole;
    (void)whole_len;
    const uint8_t *start = find(s, len, "ey");
    size_t n = start ? decode_base64(start, len - (size_t)(start - s), out, sizeof(out)) : 0;
    return result(is_json_object(out, n));
}

/* pypi-: a version 2 macaroon whose first field is the location (libmacaroons, format 2). */
static enum check_result check_macaroon(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[24];
    (void)whole;
    (void)whole_len;
    size_t body = behind(s, len < 8 ? len : 8, '-');
    size_t n = decode_base64(s + body, len - body, out, sizeof(out));
    return result(n >= 12 && out[0] == 2 && out[1] == 1 && find(out, n, "pypi.org"));
}

static enum check_result check_service_account(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)s;
    (void)len;
    return result(find(whole, whole_len, "service_account") && find(whole, whole_len, "PRIVATE KEY"));
}

/* base64 of "user:password", printable */
static enum check_result check_user_password(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[512];
    (void)whole;
    (void)whole_len;
    size_t n = decode_base64(s, len, out, sizeof(out));
    const uint8_t *colon = n > 0 ? memchr(out, ':', n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (out[i] < 0x20 || out[i] > 0x7e)
            return CHECK_RESULT_FAILS;
    return result(colon && colon > out && colon + 4 < out + n && !secret_placeholder(out, n) &&
                  !find(out, n, "password"));
}

static enum check_result check_pem_base64(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[64];
    (void)whole;
    (void)whole_len;
    size_t n = decode_base64(s, len, out, sizeof(out));
    return result(find(out, n, "-----BEGIN") && find(out, n, "PRIVATE"));
}

/* Discord: the first part is a user id, a decimal number in base64. */
static enum check_result check_snowflake(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    uint8_t out[32];
    (void)whole;
    (void)whole_len;
    const uint8_t *dot = len > 0 ? memchr(s, '.', len) : NULL;
    size_t n = dot ? decode_base64(s, (size_t)(dot - s), out, sizeof(out)) : 0;
    for (size_t i = 0; i < n; i++)
        if (!isdigit(out[i]))
            return CHECK_RESULT_FAILS;
    return result(n >= 15);
}

/* --- generated or not ----------------------------------------------------------------------------------- */

static unsigned kinds_of(const uint8_t *s, size_t len)
{
    bool lower = false, upper = false, digit = false;
    for (size_t i = 0; i < len; i++) {
        lower = lower || islower(s[i]);
        upper = upper || isupper(s[i]);
        digit = digit || isdigit(s[i]);
    }
    return (unsigned)lower + (unsigned)upper + (unsigned)digit;
}

/* Random base64 of this length holds all three kinds of characters. */
static enum check_result check_base64(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    return result(kinds_of(s, len) == 3 && !secret_placeholder(s, len));
}

/* Letters and digits, and no word a person would write. */
static enum check_result check_mixed(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    return result(kinds_of(s, len) >= 2 && !secret_placeholder(s, len));
}

/* The same, and at most half of it words: what a generator made, not the name of a thing. */
static enum check_result check_generated(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    return result(check_mixed(whole, whole_len, s, len) == CHECK_RESULT_HOLDS && !secret_wordy(s, len));
}

/* The password of a URL or a file: not a variable, a template or a row of stars. */
static enum check_result check_url_password(const uint8_t *whole, size_t whole_len, const uint8_t *s, size_t len)
{
    (void)whole;
    (void)whole_len;
    if (len < 3 || s[0] == '$' || s[0] == '%' || s[0] == '*' || s[0] == '<' || memchr(s, '{', len))
        return CHECK_RESULT_FAILS;
    return result(!memchr(s, '[', len) && !(memchr(s, '(', len) && memchr(s, ')', len)));
}

static check_fn *const checks[CHECK_COUNT] = {
    [CHECK_GITHUB] = check_github,
    [CHECK_GITHUB_PAT] = check_github_pat,
    [CHECK_GITLAB] = check_gitlab,
    [CHECK_GRAFANA] = check_grafana,
    [CHECK_VERCEL] = check_github,
    [CHECK_CLOUDFLARE] = check_cloudflare,
    [CHECK_CONFLUENT] = check_confluent,
    [CHECK_ZUPLO] = check_zuplo,
    [CHECK_AGE] = check_age,
    [CHECK_JWT] = check_jwt,
    [CHECK_PEM] = check_pem,
    [CHECK_JSON_BASE64] = check_json_base64,
    [CHECK_MACAROON] = check_macaroon,
    [CHECK_SERVICE_ACCOUNT] = check_service_account,
    [CHECK_USER_PASSWORD] = check_user_password,
    [CHECK_PEM_BASE64] = check_pem_base64,
    [CHECK_SNOWFLAKE] = check_snowflake,
    [CHECK_BASE64] = check_base64,
    [CHECK_MIXED] = check_mixed,
    [CHECK_URL_PASSWORD] = check_url_password,
    [CHECK_GENERATED] = check_generated,
};

enum check_result secret_check(enum rule_check check, const uint8_t *whole, size_t whole_len, const uint8_t *s,
                               size_t len)
{
    return check < CHECK_COUNT && checks[check] ? checks[check](whole, whole_len, s, len) : CHECK_RESULT_NONE;
}
