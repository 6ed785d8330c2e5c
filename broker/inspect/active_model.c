/* SPDX-License-Identifier: ISC
 * Models that carry code: GGUF chat templates that reach for Python, ONNX with data outside, Keras Lambda layers in JSON,
 * .keras and HDF5, TensorFlow graphs that call Python or touch files. Runs in the confined child on hostile bytes. */
#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/find.h"
#include "inspect/json_events.h"
#include "inspect/octets.h"

/* --- GGUF -------------------------------------------------------------------------------------------------------------- */

struct gguf {
    struct inspection *in;
    uint64_t at;
    unsigned steps;
};

static bool number(struct gguf *g, unsigned size, uint64_t *value)
{
    const uint8_t *p = bytes_at(g->in->bytes, g->at, size);
    if (!p || ++g->steps > GGUF_STEPS)
        return false;
    *value = size == 4 ? get_le32(p) : get_le64(p);
    g->at += size;
    return true;
}

static bool skip(struct gguf *g, uint64_t n)
{
    if (n > g->in->bytes->size - g->at)
        return false;
    g->at += n;
    return true;
}

/* Behind the braces that close what opens at p; those in a text close nothing. */
static const char *code_end(const char *p, const char *end)
{
    char close = p[1] == '{' ? '}' : '%';
    for (const char *q = p + 2; q + 1 < end; q++) {
        if (q[0] == close && q[1] == '}')
            return q + 2;
        if (*q != '\'' && *q != '"')
            continue;
        for (const char quote = *q++; q < end && *q != quote; q++)
            q += *q == '\\';
    }
    return end;
}

/* Does the word stand there, blanks between its characters apart? */
static bool has_spaced(const char *p, const char *end, const char *word)
{
    for (; p < end; p++) {
        const char *w = word;
        for (const char *q = p; q < end && *w && (*q == *w || (w > word && isspace((unsigned char)*q))); q++)
            w += *q == *w;
        if (!*w)
            return true;
    }
    return false;
}

/* What leads from a text to an attribute is an attack, not a layout. */
static bool code_acts(const char *p, const char *end)
{
    static const char *const words[] = {"__", "lipsum", "cycler", "joiner", "import ", "popen", "getattr", "\\x", "\\u"};
    static const char *const spaced[] = {"|attr", "'_'+", "'_'~", "+'_'", "~'_'", "\"_\"+", "\"_\"~", "+\"_\"", "~\"_\""};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (memmem(p, (size_t)(end - p), words[i], strlen(words[i])))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(spaced); i++)
        if (has_spaced(p, end, spaced[i]))
            return true;
    return false;
}

/* Templates are Jinja, and the loaders run them. Only what stands in braces is code, and comments are none. */
static void look_at_template(struct gguf *g, uint64_t at, uint64_t len)
{
    if (len > BYTES_WINDOW) {
        inspect_find_at(g->in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, at, 0, "a chat template is longer than is looked at");
        return;
    }
    const char *p = (const char *)bytes_at(g->in->bytes, at, (size_t)len), *end = p + len;
    while (p && (p = memchr(p, '{', (size_t)(end - p))) && end - p > 2) {
        bool code = p[1] == '{' || p[1] == '%';
        const char *comment = p[1] == '#' ? memmem(p + 2, (size_t)(end - p) - 2, "#}", 2) : NULL;
        const char *stop = code ? code_end(p, end) : comment ? comment + 2 : p + 1;
        if (code && code_acts(p, stop)) {
            inspect_find_at(g->in, FINDING_ACTIVE_MODEL_CODE, LEVEL_REFUSE, at, 0,
                            "a chat template reaches for attributes or imports");
            return;
        }
        p = stop;
    }
}

enum { GGUF_STRING = 8, GGUF_ARRAY = 9 };

static unsigned fixed_size(uint64_t type)
{
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < sizeof(sizes) ? sizes[type] : 0;
}

static bool text_value(struct gguf *g, bool is_template)
{
    uint64_t len;
    if (!number(g, 8, &len) || len > g->in->bytes->size - g->at)
        return false;
    if (is_template)
        look_at_template(g, g->at, len);
    return skip(g, len);
}

static bool value(struct gguf *g, uint64_t type, bool is_template)
{
    uint64_t inner, count;
    if (type == GGUF_STRING)
        return text_value(g, is_template);
    if (type != GGUF_ARRAY)
        return fixed_size(type) && skip(g, fixed_size(type));
    if (!number(g, 4, &inner) || !number(g, 8, &count) || count > g->in->bytes->size)
        return false;
    if (inner != GGUF_STRING)
        return fixed_size(inner) && skip(g, count * fixed_size(inner));
    for (uint64_t i = 0; i < count; i++)
        if (!text_value(g, is_template))
            return false;
    return true;
}

static bool gguf_walk(struct gguf *g)
{
    uint64_t version, tensors, pairs, len, type;
    g->at = 4;
    if (!number(g, 4, &version) || version < 2 || version > 3 || !number(g, 8, &tensors) || !number(g, 8, &pairs))
        return false;
    for (uint64_t i = 0; i < pairs; i++) {
        if (!number(g, 8, &len) || len > 65535)
            return false;
        const uint8_t *key = bytes_at(g->in->bytes, g->at, (size_t)len);
        bool is_template = key && memmem(key, (size_t)len, "template", 8);
        if (!key || !skip(g, len) || !number(g, 4, &type) || !value(g, type, is_template))
            return false;
    }
    return true;
}

static void gguf(struct inspection *in)
{
    struct gguf g = {.in = in};
    if (!gguf_walk(&g))
        inspect_find_at(in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, g.at < in->bytes->size ? g.at : in->bytes->size, 0,
                        "the model's metadata could not be read to the end");
}

/* --- ONNX ---------------------------------------------------------------------------------------------------------------- */

/* May weights be named so: a path that stays where the model is? */
static bool is_local(const uint8_t *p, size_t len)
{
    return len > 0 && p[0] != '/' && !memchr(p, '\\', len) && !memchr(p, ':', len) && !memmem(p, len, "..", 2);
}

/* Weights outside are named by a pair of texts, key "location" (field 1) and value (field 2), each behind a tag and a length
 * of one byte. p: from before the key's tag on, which stands at `key`. Also "location" may be any name of the graph, so only
 * what is a pair (field 13 of its tensor, tag 6a) may have its value in front. */
static bool weights_are_local(const uint8_t *p, size_t len, size_t key)
{
    enum { KEY = 10, PAIR = 0x6a, VALUE = 0x12 };
    size_t behind = key + KEY;
    if (behind < len && p[behind] == VALUE) {
        size_t n = behind + 1 < len && p[behind + 1] < 128 ? p[behind + 1] : 0;
        return n <= len - behind - 2 && is_local(p + behind + 2, n);
    }
    if (key >= 2 && p[key - 2] == PAIR && p[key - 1] >= KEY) /* a pair with its value elsewhere, or with none */
        return p[key - 1] == KEY;
    for (size_t n = 2; n < 128 - KEY && n + 2 <= key; n++) {
        const uint8_t *pair = p + key - n;
        if (pair[-2] == PAIR && pair[-1] == n + KEY && pair[0] == VALUE && pair[1] == n - 2)
            return is_local(pair + 2, n - 2);
    }
    return true;
}

static void onnx(struct inspection *in)
{
    enum { BEFORE = 130, BEHIND = 2 + 128, TAG = 0x0a };
    static const uint8_t word[] = "location";
    for (uint64_t at = 0; find_bytes(in->bytes, at, word, sizeof(word) - 1, &at); at += sizeof(word) - 1) {
        uint64_t from = at < BEFORE ? 0 : at - BEFORE, to = at + sizeof(word) - 1 + BEHIND;
        to = to < in->bytes->size ? to : in->bytes->size;
        size_t key = (size_t)(at - from);
        const uint8_t *p = bytes_at(in->bytes, from, (size_t)(to - from));
        if (!p || key < 3)
            continue;
        /* Numbers written longer than they are: no writer does, and readers take them. */
        bool padded = (p[key - 1] == 0 && p[key - 2] & 0x80) || (p[key - 1] == 8 && p[key - 2] == 0 && p[key - 3] & 0x80);
        bool named = p[key - 1] == 8 && p[key - 2] == TAG;
        if (padded || (named && !weights_are_local(p, (size_t)(to - from), key - 2))) {
            inspect_find_at(in, FINDING_ACTIVE_MODEL_CODE, LEVEL_REFUSE, at, 0,
                            "the model takes weights from a file outside its directory");
            return;
        }
    }
}

/* --- Keras and TensorFlow ---------------------------------------------------------------------------------------------------- */

static void search(struct inspection *in, const char *const *words, const char *message)
{
    uint64_t at;
    for (; *words; words++)
        if (find_bytes(in->bytes, 0, (const uint8_t *)*words, strlen(*words), &at)) {
            inspect_find_at(in, FINDING_ACTIVE_MODEL_CODE, LEVEL_REFUSE, at, 0, message);
            return;
        }
}

static void keras(struct inspection *in)
{
    static const char *const words[] = {"\"class_name\": \"Lambda\"", "\"class_name\":\"Lambda\"", "\"__lambda__\"", NULL};
    uint64_t at;
    if (find_bytes(in->bytes, 0, (const uint8_t *)"ambda", 5, &at))
        search(in, words, "a layer of the model is a function in byte code");
}

/* What an object of a Keras configuration names: a class, and the module that it is imported from. */
struct named {
    bool is_class, foreign;
};

static bool is_foreign(const struct buf *module)
{
    static const char *const own[] = {"keras", "builtins", "tensorflow", "tf"};
    size_t n = 0;
    while (n < module->len && module->data[n] != '.' && module->data[n] != '_')
        n++;
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (n == strlen(own[i]) && memcmp(module->data, own[i], n) == 0)
            return false;
    return module->len > 0;
}

static bool text_is(const struct buf *text, const char *word)
{
    return text->len == strlen(word) && memcmp(text->data, word, text->len) == 0;
}

/* Escapes are decoded here, which a search for words misses. True: it imports or runs code. */
static bool config_acts(struct json_events *j)
{
    struct named level[JSON_EVENT_DEPTH + 1] = {{false, false}};
    enum { OTHER, CLASS, MODULE } key = OTHER;
    enum json_event e;
    while ((e = json_events_next(j)) != JSON_END && e != JSON_BAD) {
        struct named *l = &level[j->depth];
        if (e == JSON_OPEN)
            *l = (struct named){false, false};
        if (e == JSON_TEXT && key == CLASS && text_is(&j->text, "Lambda"))
            return true;
        l->is_class = l->is_class || (e == JSON_TEXT && key == CLASS);
        l->foreign = l->foreign || (e == JSON_TEXT && key == MODULE && is_foreign(&j->text));
        if (l->is_class && l->foreign)
            return true;
        bool name = e == JSON_NAME;
        if (name && text_is(&j->text, "__lambda__"))
            return true;
        key = name && text_is(&j->text, "class_name") ? CLASS : name && text_is(&j->text, "module") ? MODULE : OTHER;
    }
    return false;
}

static void keras_config(struct inspection *in)
{
    struct json_events j;
    json_events_init(&j, in->bytes, 64 * KIB);
    if (config_acts(&j))
        inspect_find_at(in, FINDING_ACTIVE_MODEL_CODE, LEVEL_REFUSE, j.at, 0,
                        "a layer of the model is a function in byte code, or is imported from another module");
    json_events_free(&j);
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static void tensorflow(struct inspection *in)
{
    static const char *const words[] = {"PyFunc", "ReadFile", "WriteFile", NULL};
    search(in, words, "the graph calls Python, or reads or writes files");
}

/* --- the table ------------------------------------------------------------------------------------------------------------------ */

static bool is_graph(const struct inspection *in)
{
    return ends_with(in->path, "saved_model.pb");
}

static bool is_keras(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_JSON) || claims_by_content(&in->claims, TYPE_OTHER_DATA);
}

bool active_model_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_GGUF) || claims_by_content(&in->claims, TYPE_ONNX) || is_keras(in) ||
           is_graph(in);
}

void active_model_scan(struct inspection *in)
{
    if (claims_by_content(&in->claims, TYPE_GGUF))
        gguf(in);
    if (claims_by_content(&in->claims, TYPE_ONNX))
        onnx(in);
    if (claims_by_content(&in->claims, TYPE_JSON) && ends_with(in->path, "config.json"))
        keras_config(in);
    else if (is_keras(in))
        keras(in);
    if (is_graph(in))
        tensorflow(in);
}
