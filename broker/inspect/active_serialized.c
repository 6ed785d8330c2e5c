/* SPDX-License-Identifier: ISC
 * Serialised objects whose loading runs code, where no signature at the start shows them: YAML tags, PHP and Java in
 * text, .NET resources, PHP archives inside other files, compressed pickles. Runs in the confined child on hostile bytes.
 * Invariant: a YAML tag is harmless only if it is of the core set, or local to the application. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/find.h"
#include "inspect/pickle.h"
#include "inspect/scan.h"

static void refuse(struct inspection *in, uint64_t at, uint32_t line, const char *message)
{
    inspect_find_at(in, FINDING_ACTIVE_SERIALIZED, LEVEL_REFUSE, at, line, message);
}

/* --- YAML -------------------------------------------------------------------------------------------------------------- */

static bool one_of(const char *tag, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(tag, *list) == 0)
            return true;
    return false;
}

static bool mentions(const char *tag, const char *const *list)
{
    for (; *list; list++)
        if (strstr(tag, *list))
            return true;
    return false;
}

/* `tag` with its exclamation marks, percent escapes decoded. */
static bool harmful(const char *tag)
{
    static const char *const core[] = {"str", "int", "float", "bool", "null", "map", "seq", "set", "omap", "pairs",
                                       "binary", "timestamp", "merge", "value", "", NULL};
    static const char *const languages[] = {"python", "ruby", "java", "php/", "perl", "object/apply", NULL};
    static const char home[] = "tag:yaml.org,2002:";
    if (tag[0] == '!' && tag[1] == '!')
        return !one_of(tag + 2, core);
    const char *own = strstr(tag, home);
    if (own)
        return !one_of(own + sizeof(home) - 1, core);
    return mentions(tag, languages);
}

/* Reads one tag from its '!' on; escapes are decoded, since readers do. Returns how much of the text it took. */
static size_t read_tag(const uint8_t *p, size_t len, char *tag, size_t size)
{
    size_t n = 0, i = 1;
    bool verbatim = len > 1 && p[1] == '<';
    tag[n++] = '!';
    for (i += verbatim; n + 1 < size && i < len && !isspace(p[i]); i++) {
        int c = p[i];
        if (verbatim ? c == '>' : c == 0 || strchr(",[]{}", c) != NULL)
            break;
        if (c == '%' && i + 2 < len && hex_value(p[i + 1]) >= 0 && hex_value(p[i + 2]) >= 0) {
            c = hex_value(p[i + 1]) * 16 + hex_value(p[i + 2]);
            i += 2;
        }
        tag[n++] = (char)tolower(c);
    }
    tag[n] = 0;
    return i;
}

/* Does a token begin behind these bytes, which are those before it on its line? In a comment none does. */
static bool token_begins(const uint8_t *before, size_t len)
{
    const uint8_t *end = before + len, *p = before;
    if (len > 0 && !isspace(end[-1]) && !(end[-1] && strchr("[{(,:-?", end[-1])))
        return false;
    while (p < end && (p = memchr(p, '#', (size_t)(end - p))) != NULL) {
        if (p == before || isspace(p[-1]))
            return false;
        p++;
    }
    return true;
}

/* How far around its mark a tag is looked at, and how much is looked through at once. */
enum { AROUND = 512, BLOCK = 128 * 1024 };

/* One exclamation mark in p of len bytes: what stands around it in its line. */
static bool harmful_at(const uint8_t *p, size_t len, const uint8_t *mark, uint64_t *left)
{
    char tag[256];
    size_t at = (size_t)(mark - p), from = at < AROUND ? 0 : at - AROUND;
    const uint8_t *line = memrchr(p + from, '\n', at - from);
    line = line ? line + 1 : p + from;
    if (!token_begins(line, (size_t)(mark - line)))
        return false;
    size_t work = read_tag(mark, len - at < AROUND ? len - at : AROUND, tag, sizeof(tag)) + (size_t)(mark - line) / 8;
    *left -= work < *left ? work : *left;
    return harmful(tag);
}

/* The first harmful tag whose mark lies in [base, base + BLOCK). */
static bool harmful_in(struct bytes *b, uint64_t base, uint64_t *at, uint64_t *left)
{
    uint64_t from = base < AROUND ? 0 : base - AROUND;
    size_t before = (size_t)(base - from), most = before + BLOCK + AROUND;
    size_t len = b->size - from < most ? (size_t)(b->size - from) : most;
    size_t end = len < before + BLOCK ? len : before + BLOCK;
    const uint8_t *p = bytes_at(b, from, len), *mark = p ? p + before : NULL;
    while (*left > 0 && mark && (mark = memchr(mark, '!', end - (size_t)(mark - p)))) {
        if (harmful_at(p, len, mark, left)) {
            *at = from + (uint64_t)(mark - p);
            return true;
        }
        mark++;
    }
    return false;
}

/* A tag stands at the start of a token. What is in quotes is looked at too where it could be one: telling quotes apart
 * takes a parser, and nobody writes such tags in prose. */
static void yaml(struct inspection *in)
{
    static const char *const directives[] = {"\n%TAG", "\n%tag"};
    uint64_t at, left = YAML_WORK_FLOOR, places[ARRAY_LEN(directives)];
    uint8_t start[4];
    find_each(in->bytes, directives, ARRAY_LEN(directives), places);
    if (bytes_copy(in->bytes, 0, start, 4) && strncasecmp((const char *)start, "%TAG", 4) == 0)
        places[0] = 0;
    if (places[0] != UINT64_MAX || places[1] != UINT64_MAX) {
        refuse(in, places[0] < places[1] ? places[0] : places[1], 0, "a directive gives tags another meaning");
        return;
    }
    for (uint64_t base = 0; base < in->bytes->size; base += BLOCK) {
        uint64_t before = left += YAML_WORK_FACTOR * BLOCK;
        bool found = harmful_in(in->bytes, base, &at, &left);
        in->budget->work += before - left;
        if (found) {
            refuse(in, at, bytes_line(in->bytes, at), "a YAML tag makes the reader build an object of its language");
            return;
        }
        if (left == 0) {
            inspect_find_at(in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, base, 0, "YAML with more tags than are looked at");
            return;
        }
    }
}

/* --- text at the start --------------------------------------------------------------------------------------------------- */

/* PHP: O:8:"stdClass":0:{} or an array that holds one; Java: the base64 of its signature. */
static void text_start(struct inspection *in)
{
    char head[64] = "";
    size_t len = in->bytes->size < sizeof(head) - 1 ? (size_t)in->bytes->size : sizeof(head) - 1;
    uint64_t at;
    if (!bytes_copy(in->bytes, 0, head, len))
        return;
    size_t i = 2, digits = 0;
    while (isdigit((unsigned char)head[i + digits]))
        digits++;
    bool counted = head[0] && head[1] == ':' && digits > 0 && head[2 + digits] == ':';
    if (counted && (head[0] == 'O' || head[0] == 'C') && head[3 + digits] == '"')
        refuse(in, 0, 1, "a serialised PHP object");
    else if (counted && head[0] == 'a' && head[3 + digits] == '{' &&
             (find_bytes(in->bytes, 0, (const uint8_t *)";O:", 3, &at) || find_bytes(in->bytes, 0, (const uint8_t *)"{O:", 3, &at)))
        refuse(in, at, 0, "a serialised PHP array that holds an object");
    else if (strncmp(head, "rO0AB", 5) == 0)
        refuse(in, 0, 1, "a serialised Java object in base64");
    else if (strncmp(head, "AAEAAAD/////", 12) == 0)
        refuse(in, 0, 1, "a serialised .NET object in base64");
}

/* --- words inside ------------------------------------------------------------------------------------------------------------ */

static void words(struct inspection *in, const char *word, enum finding_level level, const char *message)
{
    uint64_t at;
    if (find_bytes(in->bytes, 0, (const uint8_t *)word, strlen(word), &at))
        inspect_find_at(in, FINDING_ACTIVE_SERIALIZED, level, at, 0, message);
}

static void markup(struct inspection *in)
{
    static const char *const marks[] = {"java.beans.XMLDecoder", "application/x-microsoft.net.object."};
    uint64_t at[ARRAY_LEN(marks)];
    find_each(in->bytes, marks, ARRAY_LEN(marks), at);
    if (at[0] != UINT64_MAX)
        refuse(in, at[0], 0, "XML that Java's XMLDecoder runs");
    if (at[1] != UINT64_MAX) {
        words(in, "application/x-microsoft.net.object.binary.base64", LEVEL_REFUSE, "a resource holds a serialised .NET object");
        words(in, "application/x-microsoft.net.object.soap.base64", LEVEL_REFUSE, "a resource holds a serialised .NET object");
    }
}

static void json(struct inspection *in)
{
    static const char *const marks[] = {"\"py/", "\"$type\""};
    uint64_t at[ARRAY_LEN(marks)];
    find_each(in->bytes, marks, ARRAY_LEN(marks), at);
    if (at[0] != UINT64_MAX) {
        words(in, "\"py/reduce\"", LEVEL_REFUSE, "JSON that jsonpickle calls functions from");
        words(in, "\"py/object\"", LEVEL_WARN, "JSON that jsonpickle builds objects from");
    }
    if (at[1] != UINT64_MAX) {
        words(in, "\"$type\": \"System.", LEVEL_WARN, "JSON that names .NET types to build");
        words(in, "\"$type\":\"System.", LEVEL_WARN, "JSON that names .NET types to build");
    }
}

/* --- pickles behind a layer ---------------------------------------------------------------------------------------------------- */

/* joblib writes zlib streams, older ones behind a length in hexadecimal ("ZF" and 19 digits). */
static uint64_t zlib_at(struct bytes *b)
{
    const uint8_t *p = bytes_at(b, 0, 23);
    uint64_t at = p && p[0] == 'Z' && p[1] == 'F' ? 21 : 0;
    p = bytes_at(b, at, 2);
    return p && (p[0] & 0x0F) == 8 && p[0] >> 4 <= 7 && (p[0] << 8 | p[1]) % 31 == 0 && !(p[1] & 0x20) ? at : UINT64_MAX;
}

/* The first MiB shows what it is; a pickle names what it calls long before. */
static void wrapped(struct inspection *in, uint64_t at)
{
    uint8_t out[4096];
    struct buf text;
    z_stream z = {.next_in = out};
    size_t len = in->bytes->size - at < BYTES_WINDOW ? (size_t)(in->bytes->size - at) : BYTES_WINDOW;
    const uint8_t *p = bytes_at(in->bytes, at, len);
    int status = p ? inflateInit(&z) : Z_DATA_ERROR;
    buf_init(&text, MIB);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)len;
    while (status == Z_OK && !text.failed) {
        z.next_out = out;
        z.avail_out = sizeof(out);
        status = inflate(&z, Z_NO_FLUSH);
        buf_bytes(&text, out, sizeof(out) - z.avail_out);
        if (z.avail_in == 0 && z.avail_out > 0)
            break;
    }
    inflateEnd(&z);
    struct bytes inner;
    bytes_init_memory(&inner, text.data, text.len);
    struct pickle_walk walk = text.len > 2 ? pickle_walk(&inner, 0) : (struct pickle_walk){.end = 0};
    if (walk.protocol && (walk.global || walk.call))
        inspect_find_at(in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, at, 0, "a compressed pickle looks up names or calls them");
    buf_free(&text);
}

/* --- what applies ------------------------------------------------------------------------------------------------------------------ */

bool active_serialized_applies(const struct inspection *in)
{
    return in->bytes->size > 4;
}

void active_serialized_scan(struct inspection *in)
{
    const struct claims *claims = &in->claims;
    if (claims_has(claims, TYPE_YAML))
        yaml(in);
    if (in->text == TYPE_PLAIN)
        text_start(in);
    if (claims_has(claims, TYPE_XML))
        markup(in);
    if (claims_has(claims, TYPE_JSON) || claims_has(claims, TYPE_JSONL))
        json(in);
    if (in->text != TYPE_PLAIN && !claims_has(claims, TYPE_EMPTY))
        words(in, "__HALT_COMPILER();", LEVEL_REFUSE, "a PHP archive, which is unserialised when it is opened");
    uint64_t at = claims_by_content(claims, TYPE_BINARY) ? zlib_at(in->bytes) : UINT64_MAX;
    if (at != UINT64_MAX)
        wrapped(in, at);
}
