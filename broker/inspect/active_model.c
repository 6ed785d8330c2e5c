/* SPDX-License-Identifier: ISC
 * Models that carry code: GGUF chat templates that reach for Python, ONNX with data outside, Keras Lambda layers in JSON,
 * .keras and HDF5, TensorFlow graphs that call Python or touch files. Runs in the confined child on hostile bytes. */
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

/* Templates are Jinja, and the loaders run them: what leads from a text to an attribute is an attack, not a layout. Only
 * what stands in braces is code. */
static void look_at_template(struct gguf *g, uint64_t at, uint64_t len)
{
    static const char *const words[] = {"__", "|attr", "| attr", "lipsum", "cycler", "joiner", "import ", "popen", "getattr",
                                        "\\x", "\\u"};
    if (len > BYTES_WINDOW) {
        inspect_find_at(g->in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, at, 0, "a chat template is longer than is looked at");
        return;
    }
    const char *p = (const char *)bytes_at(g->in->bytes, at, (size_t)len), *end = p + len;
    while (p && (p = memchr(p, '{', (size_t)(end - p))) && end - p > 2) {
        bool code = p[1] == '{' || p[1] == '%';
        const char *close = code ? memmem(p, (size_t)(end - p), p[1] == '{' ? "}}" : "%}", 2) : NULL;
        const char *stop = close ? close : code ? end : p + 1;
        for (size_t i = 0; code && i < ARRAY_LEN(words); i++)
            if (memmem(p, (size_t)(stop - p), words[i], strlen(words[i]))) {
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

/* Weights outside are named by a pair of texts, key "location" (field 1) and value (field 2), both shorter than 128. */
static void onnx(struct inspection *in)
{
    static const uint8_t mark[] = "\x0a\x08location\x12";
    uint64_t at = 0;
    while (find_bytes(in->bytes, at, mark, sizeof(mark) - 1, &at)) {
        at += sizeof(mark) - 1;
        const uint8_t *p = bytes_at(in->bytes, at, 1);
        size_t len = p && *p < 128 ? *p : 0;
        p = len > 0 ? bytes_at(in->bytes, at + 1, len) : NULL;
        bool local = p && p[0] != '/' && !memchr(p, '\\', len) && !memchr(p, ':', len) && !memmem(p, len, "..", 2);
        if (!local) {
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
