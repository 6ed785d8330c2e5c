/* SPDX-License-Identifier: ISC
 * Serialised objects whose loading runs code, where no signature at the start shows them: YAML tags, PHP and Java in
 * text, .NET resources, PHP archives inside other files, compressed pickles. Runs in the confined child on hostile bytes.
 * Invariant: a YAML tag is harmless only if it is of the core set, or local to the application. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/archive.h"
#include "inspect/find.h"
#include "inspect/pickle.h"
#include "inspect/scan.h"
#include "inspect/type_table.h"

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

/* From where on a comment could reach to the end. A quote may be open in front of a '#' and be closed behind it, and lines
 * also end with a carriage return, U+0085, U+2028 and U+2029, of which the last bytes are looked for. */
static const uint8_t *comment_room(const uint8_t *before, const uint8_t *end)
{
    static const bool ends[256] = {['"'] = true, ['\''] = true, ['\r'] = true, [0x85] = true, [0xA8] = true, [0xA9] = true};
    while (end > before && !ends[end[-1]])
        end--;
    return end;
}

/* Does a token begin behind these bytes, which are those before it on its line? In a comment none does. Beyond ASCII are
 * the byte order mark and further line ends. */
static bool token_begins(const uint8_t *before, size_t len)
{
    const uint8_t *end = before + len, *p = comment_room(before, end);
    if (len > 0 && !isspace(end[-1]) && end[-1] < 0x80 && !(end[-1] && strchr("[{(,:-?", end[-1])))
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
    static const char *const directives[] = {"\n%TAG", "\n%tag", "\r%TAG", "\x85%TAG", "\xA8%TAG", "\xA9%TAG", "\xBF%TAG"};
    uint64_t at, left = YAML_WORK_FLOOR, places[ARRAY_LEN(directives)];
    uint8_t start[4];
    find_each(in->bytes, directives, ARRAY_LEN(directives), places);
    if (bytes_copy(in->bytes, 0, start, 4) && strncasecmp((const char *)start, "%TAG", 4) == 0)
        places[0] = 0;
    for (size_t i = 1; i < ARRAY_LEN(directives); i++)
        places[0] = places[i] < places[0] ? places[i] : places[0];
    if (places[0] != UINT64_MAX) {
        refuse(in, places[0], 0, "a directive gives tags another meaning");
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

/* How long a name in front is, as PHP writes the variables of a session: "user|O:4:...". */
static size_t session_name(const char *head)
{
    size_t n = 0;
    while (isalnum((unsigned char)head[n]) || head[n] == '_')
        n++;
    return n > 0 && head[n] == '|' ? n + 1 : 0;
}

/* PHP: O:8:"stdClass":0:{} or an array that holds one. */
static void php(struct inspection *in, const char *head)
{
    size_t digits = 0;
    uint64_t at;
    while (head[0] && head[1] == ':' && isdigit((unsigned char)head[2 + digits]))
        digits++;
    if (digits == 0 || head[2 + digits] != ':')
        return;
    char opens = head[3 + digits];
    if ((head[0] == 'O' || head[0] == 'C') && opens == '"')
        refuse(in, 0, 1, "a serialised PHP object");
    else if (head[0] == 'a' && opens == '{' && (find_bytes(in->bytes, 0, (const uint8_t *)";O:", 3, &at) ||
                                                find_bytes(in->bytes, 0, (const uint8_t *)"{O:", 3, &at)))
        refuse(in, at, 0, "a serialised PHP array that holds an object");
}

/* What the first bytes of some formats are as base64 or hexadecimal digits; enough must follow to be more than a word. */
static void encoded(struct inspection *in, const char *head)
{
    static const struct {
        const char *start, *message;
    } starts[] = {{"rO0AB", "a serialised Java object in base64"},
                  {"aced0005", "a serialised Java object in hexadecimal digits"},
                  {"ACED0005", "a serialised Java object in hexadecimal digits"},
                  {"AAEAAAD/////", "a serialised .NET object in base64"},
                  {"BAhv", "a serialised Ruby object in base64"},
                  {"BAh7", "a serialised Ruby object in base64"},
                  {"BAhb", "a serialised Ruby object in base64"},
                  {"BAhJ", "a serialised Ruby object in base64"},
                  {"BAhV", "a serialised Ruby object in base64"},
                  {"BAh1", "a serialised Ruby object in base64"},
                  {"BAhl", "a serialised Ruby object in base64"}};
    size_t run = 0;
    while (isalnum((unsigned char)head[run]) || head[run] == '/' || head[run] == '+')
        run++;
    for (size_t i = 0; run >= 8 && i < ARRAY_LEN(starts); i++)
        if (strncmp(head, starts[i].start, strlen(starts[i].start)) == 0) {
            refuse(in, 0, 1, starts[i].message);
            return;
        }
}

static void text_start(struct inspection *in)
{
    char head[128] = "";
    size_t len = in->bytes->size < sizeof(head) - 1 ? (size_t)in->bytes->size : sizeof(head) - 1;
    if (!bytes_copy(in->bytes, 0, head, len))
        return;
    php(in, head + session_name(head));
    encoded(in, head);
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
    static const char *const marks[] = {"\"py/", "\"$type\"", "_$$ND_FUNC$$_"};
    uint64_t at[ARRAY_LEN(marks)];
    find_each(in->bytes, marks, ARRAY_LEN(marks), at);
    if (at[0] != UINT64_MAX) {
        words(in, "\"py/reduce\"", LEVEL_REFUSE, "JSON that jsonpickle calls functions from");
        words(in, "\"py/object\"", LEVEL_WARN, "JSON that jsonpickle builds objects from");
    }
    if (at[2] != UINT64_MAX)
        refuse(in, at[2], 0, "JSON that node-serialize runs");
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

/* Unpacks from `at` on as far as it is a stream. False: a bound was said. */
static bool unpack(struct inspection *in, uint64_t at, struct archive_hold *hold)
{
    enum { STEP = 64 * 1024 };
    struct archive_meter meter = {.packed = in->bytes->size - at, .member = true};
    z_stream z = {.next_in = NULL};
    size_t len = 0;
    bool admitted = true;
    int status = inflateInit(&z);
    while (status == Z_OK && admitted) {
        if (z.avail_in == 0) {
            z.next_in = (Bytef *)(uintptr_t)bytes_chunk(in->bytes, at, &len);
            z.avail_in = (uInt)len;
            at += len;
        }
        if (!(admitted = archive_hold_room(hold, STEP))) {
            archive_hold_full(in, 0);
            break;
        }
        z.next_out = hold->data + hold->len;
        z.avail_out = STEP;
        status = inflate(&z, Z_NO_FLUSH);
        hold->len += STEP - z.avail_out;
        admitted = archive_spend(in, &meter, STEP - z.avail_out);
        if (len == 0 && z.avail_out == STEP)
            break;
    }
    inflateEnd(&z);
    return admitted;
}

/* A pickle may call long behind its start, so all of it is walked. */
static void wrapped(struct inspection *in, uint64_t at)
{
    struct archive_hold hold = {.budget = in->budget};
    struct bytes inner;
    if (unpack(in, at, &hold) && archive_hold_bytes(&hold, &inner)) {
        struct pickle_walk walk = inner.size > 2 ? pickle_walk(&inner, 0) : (struct pickle_walk){.end = 0};
        const uint8_t *first = bytes_at(&inner, 0, 1);
        if (walk.protocol && (walk.global || walk.call))
            inspect_find_at(in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, at, 0, "a compressed pickle looks up names or calls them");
        else if (walk.protocol && walk.limit)
            inspect_find(in, FINDING_INSPECT_LIMIT, "the pickle has more instructions or marks than are walked");
        if (first && (*first & 0x7f) == 'c' && type_check_marshal_code(&inner))
            inspect_find_at(in, FINDING_ACTIVE_SERIALIZED, LEVEL_REFUSE, at, 0, "compressed byte code of Python");
        bytes_free(&inner);
    }
    archive_hold_free(&hold);
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
