/* SPDX-License-Identifier: ISC
 * Arrays, models, serialised objects and data formats: a small file of each that holds, and one fault at a time. */
#include "binary_cases.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/limits.h"

#define ROW(path, types, data, want) {path, types, data, sizeof(data) - 1, want}
#define SERIALIZED "serialized refuse"
#define CONFLICT "type/conflict refuse"
#define INCOMPLETE "inspect/incomplete refuse"

#define NPY(dict) "\x93NUMPY\1\0\x46\0" dict "\n"
#define NPY_F8 "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }            "
#define NPY_OBJECT "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }             "
#define NPY_NESTED "{'descr': [('a', '<f4'), ('b', '|O')], 'shape': (1,), }              "
#define NPY_FIELD "{'descr': [('OBJ', '<f4'), ('bO', '<i4')], 'shape': (1,), }          "
#define CALL_BODY "cos\nsystem\nX\2\0\0\0id\x85R."
#define CALL "\x80\2" CALL_BODY
#define TENSORS(head, n) n "\0\0\0\0\0\0\0" head
#define GGUF(key_len, key, len, text) "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0" key_len "\0\0\0\0\0\0\0" key "\x08\0\0\0" len "\0\0\0\0\0\0\0" text
#define PCAP "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0"
#define PCAPNG "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0"

static const struct {
    const char *path, *types, *data;
    size_t len;
    const char *want;
} rows[] = {
    /* arrays */
    ROW("a.npy", "npy", NPY(NPY_F8) "0123456789abcdef", ""),
    ROW("a.npy", "npy", NPY(NPY_F8) "0123456789abcdef.", CONFLICT),
    ROW("a.npy", "npy", NPY(NPY_F8) "0123456789abcde", CONFLICT),
    ROW("a.npy", "npy", NPY(NPY_OBJECT) CALL, SERIALIZED ", pickle refuse"),
    ROW("a.npy", "npy", NPY(NPY_OBJECT) "\x80\2N.", SERIALIZED),
    ROW("a.npy", "npy", NPY(NPY_NESTED) "x", SERIALIZED),
    ROW("a.npy", "npy", NPY(NPY_FIELD) "x", ""),
    ROW("a.npy", "npy", "\x93NUMPY\1\0\xff\xff{", INCOMPLETE),
    ROW("a.npy", "npy", "\x93NUMPY\7\0\1\0{", INCOMPLETE),
    /* tensors */
    ROW("m.safetensors", "safetensors",
        TENSORS("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "\x36") "12345678", ""),
    ROW("m.safetensors", "safetensors",
        TENSORS("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", "\x36") "123456789", CONFLICT),
    ROW("m.safetensors", "safetensors",
        TENSORS("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[1,8]}}", "\x36") "12345678", CONFLICT),
    ROW("m.safetensors", "safetensors",
        TENSORS("{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}]", "\x36") "12345678", CONFLICT),
    /* models */
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x10", "{{ messages[0]}}"), ""),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x10", "{{ x.__class__}}"), "model-code refuse"),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x10", "prose: __init__ "), ""),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x11", "{{ x.__class__}}"), INCOMPLETE),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ '}}' ~ x.__class__ }}"), "model-code refuse"),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ '}}' }} __class__ {{}}"), ""),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ 'a\\'}}' ~ x.__a__   }}"), "model-code refuse"),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{# __ {{ it's }} #}{{ x }}"), ""),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ x | \n attr('a')    }}"), "model-code refuse"),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ x['_' + '_class'+y]}}"), "model-code refuse"),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x18", "{{ x.replace('_', ' ') }}"), ""),
    ROW("m.json", "json", "{\"class_name\": \"Lambda\"}", "model-code refuse"),
    ROW("x/config.json", "json", "{\"class_name\": \"L\\u0061mbda\"}", "model-code refuse"),
    ROW("config.json", "json", "{\"config\": [{\"module\": \"os\", \"class_name\": \"system\"}]}", "model-code refuse"),
    ROW("config.json", "json", "{\"module\": \"keras.layers\", \"class_name\": \"Dense\", \"name\": \"Lambda\"}", ""),
    ROW("config.json", "json", "{\"module\": \"os\", \"entry\": {\"class_name\": \"x\"}}", ""),
    ROW("m.gguf", "gguf", GGUF("\x17", "tokenizer.chat_template", "\x10", "{{ x['\\x5f'] }}}"), "model-code refuse"),
    ROW("saved_model.pb", "any-binary", "\x01\x02\0PyFunc", "model-code refuse"),
    ROW("other.pb", "any-binary", "\x01\x02\0PyFunc", ""),
    /* yaml */
    ROW("a.yaml", "yaml", "a: !!python/object/apply:os.system [id]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "a: !!pyth%6Fn/object/apply:os.system [id]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "a: !<tag:yaml.org,2002:python/object/new:os.system> [id]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "- !!javax.script.ScriptEngineManager []\n", SERIALIZED),
    ROW("a.yaml", "yaml", "--- !ruby/object:Gem::Installer\n", SERIALIZED),
    ROW("a.yaml", "yaml", "%TAG ! tag:yaml.org,2002:python/\n---\n", SERIALIZED),
    ROW("a.yaml", "yaml", "[!!python/name:os.system ]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "[\"a #\", !!python/name:os.system ]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "['a\n # b', !!python/name:os.system ]\n", SERIALIZED),
    ROW("a.yaml", "yaml", "# a\rb: !!python/name:os.system\r", "terminal-escape warn, " SERIALIZED),
    ROW("a.yaml", "yaml", "# a\xC2\x85" "b: !!python/name:os.system\n", "terminal-escape warn, " SERIALIZED),
    ROW("a.yaml", "yaml", "# a\xE2\x80\xA8" "b: !!python/name:os.system\n", SERIALIZED),
    ROW("a.yaml", "yaml", "# a\xE2\x80\xA9!!python/name:os.system\n", SERIALIZED),
    ROW("a.yaml", "yaml", "\xEF\xBB\xBF!!python/name:os.system\n", SERIALIZED),
    ROW("a.yaml", "yaml", "\xEF\xBB\xBF%TAG !e! tag:yaml.org,2002:pyt\n--- !e!hon/name:os.system\n", SERIALIZED),
    ROW("a.yaml", "yaml", "# a\r%TAG !e! tag:yaml.org,2002:pyt\r--- !e!hon/name:os.system\r", "terminal-escape warn, " SERIALIZED),
    ROW("a.yaml", "yaml", "# a\xC2\x85%TAG !e! tag:yaml.org,2002:pyt\n--- !e!hon/name:os.system\n", "terminal-escape warn, " SERIALIZED),
    ROW("a.yaml", "yaml", "a: 'b' # !!python/name:x\nc: d # e # !!python/name:x\n", ""),
    ROW("a.yaml", "yaml", "a: !Ref x\nb: !!str 1\nc: wow!!python\nd: no!\n# !!python/name:x\n", ""),
    ROW("a.txt", "text", "a: !!python/object/apply:os.system [id]\n", ""),
    /* other text */
    ROW("a.txt", "text", "O:8:\"stdClass\":0:{}", SERIALIZED),
    ROW("a.txt", "text", "a:1:{i:0;O:8:\"stdClass\":0:{}}", SERIALIZED),
    ROW("a.txt", "text", "a:1:{i:0;i:1;}", ""),
    ROW("a.txt", "text", "rO0ABXNyAA5qYXZhLnV0aWwuRGF0ZQ==", SERIALIZED),
    ROW("a.txt", "text", "user|O:8:\"stdClass\":0:{}", SERIALIZED),
    ROW("a.txt", "text", "a b|O:8:\"stdClass\":0:{}", ""),
    ROW("a.txt", "text", "aced00057372000e", SERIALIZED),
    ROW("a.txt", "text", "BAhvOgpYAA==", SERIALIZED),
    ROW("a.txt", "text", "BAhv is no object", ""),
    ROW("a.xml", "xml", "<java class=\"java.beans.XMLDecoder\"/>", SERIALIZED),
    ROW("a.json", "json", "{\"py/object\": \"a.B\"}", "serialized warn"),
    ROW("a.json", "json", "{\"a\": \"_$$ND_FUNC$$_function(){}()\"}", SERIALIZED),
    ROW("a.gif", "gif", "GIF89a\1\0\1\0\0\0\0!\xfe\x12__HALT_COMPILER();\0;", SERIALIZED),
    /* data */
    ROW("a.pcap", "pcap", PCAP "\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0xy", ""),
    ROW("a.pcap", "pcap", PCAP "\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0x", INCOMPLETE),
    ROW("a.pcapng", "pcap", PCAPNG, ""),
    ROW("a.pcapng", "pcap", PCAPNG "\6\0\0\0\x10\0\0\0abcd\x0c\0\0\0", INCOMPLETE),
};

Test(active_data, every_row)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char name[48];
        snprintf(name, sizeof(name), "%s row %zu", rows[i].path, i);
        binary_check(name, rows[i].path, rows[i].types, rows[i].data, rows[i].len, rows[i].want);
    }
}

Test(active_data, a_tag_is_found_wherever_blocks_end)
{
    static const char tag[] = "\n- !!python/name:os.system x\n";
    static char text[140 * 1024];
    for (size_t at = 128 * 1024 - sizeof(tag); at <= 128 * 1024 + 1; at++) {
        memset(text, 'x', sizeof(text));
        memcpy(text + at, tag, sizeof(tag) - 1);
        binary_check("border", "a.yaml", "yaml", text, sizeof(text), SERIALIZED);
    }
}

Test(active_data, a_compressed_pickle_is_walked)
{
    uint8_t out[256];
    uLongf len = sizeof(out);
    cr_assert_eq(compress(out, &len, (const Bytef *)CALL, sizeof(CALL) - 1), Z_OK);
    binary_check("zlib", "m.bin", "any-binary", out, len, "pickle refuse");
    len = sizeof(out);
    cr_assert_eq(compress(out, &len, (const Bytef *)"\x80\2N.", 4), Z_OK);
    binary_check("data in zlib", "m.bin", "any-binary", out, len, "");
}

Test(active_data, a_compressed_pickle_is_walked_to_its_end)
{
    enum { BODY = 3000000 };
    static uint8_t plain[BODY + 64], out[BODY + 4096];
    uint32_t noise = 1;
    uLongf len = sizeof(out);
    memcpy(plain, "\x80\3B\xc0\xc6\x2d\0", 7); /* 3,000,000 bytes, then a call */
    for (size_t i = 0; i < BODY; i++)
        plain[7 + i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
    memcpy(plain + 7 + BODY, "0" CALL_BODY, sizeof(CALL_BODY));
    cr_assert_eq(compress(out, &len, plain, 7 + BODY + sizeof(CALL_BODY)), Z_OK);
    binary_check("late", "m.bin", "any-binary", out, len, "pickle refuse");
    memset(plain + 7, 0, BODY);
    len = sizeof(out);
    cr_assert_eq(compress(out, &len, plain, 7 + BODY + sizeof(CALL_BODY)), Z_OK);
    binary_check("bomb", "m.bin", "any-binary", out, len, "archive/ratio refuse");
}

Test(active_data, databases_and_logs)
{
    static uint8_t file[4096 + 65536];
    memcpy(file, "SQLite format 3\0\x10\0\1\1\0\x40\x20\x20", 24);
    binary_check("database", "a.sqlite", "sqlite", file, 8192, "");
    binary_check("half a page", "a.sqlite", "sqlite", file, 8192 - 512, INCOMPLETE);
    memcpy(file + 5000, "CREATE TRIGGER", 14);
    binary_check("trigger", "a.sqlite", "sqlite", file, 8192, "model-code warn");
    memset(file, 0, sizeof(file));
    memcpy(file, "ElfFile", 8);
    file[42] = 1;
    binary_check("no chunk", "a.evtx", "evtx", file, sizeof(file), INCOMPLETE);
    memcpy(file + 4096, "ElfChnk", 8);
    binary_check("log", "a.evtx", "evtx", file, sizeof(file), "");
    binary_check("cut", "a.evtx", "evtx", file, sizeof(file) - 1, INCOMPLETE);
}

Test(active_data, weights_outside_the_directory)
{
#define MODEL(len, path) "\x08\7\x12\1\0\x3a" len "\x0a\x08location\x12" path "\x42\2\x10\x0b"
#define SWAPPED(path) "\x08\7\x12\1\0\x3a\x12\x6a\x10\x12" path "\x0a\x08location\x42\2\x10\x0b"
#define PADDED(path) "\x08\7\x12\1\0\x3a\x11\x0a\x88\0location\x12" path "\x42\2\x10\x0b"
    static const struct {
        const char *data;
        size_t len;
        const char *want;
    } models[] = {{MODEL("\x10", "\4w.da"), sizeof(MODEL("\x10", "\4w.da")) - 1, ""},
                  {MODEL("\x10", "\4../a"), sizeof(MODEL("\x10", "\4../a")) - 1, "model-code refuse"},
                  {MODEL("\x10", "\4/etc"), sizeof(MODEL("\x10", "\4/etc")) - 1, "model-code refuse"},
                  {SWAPPED("\4w.da"), sizeof(SWAPPED("\4w.da")) - 1, ""},
                  {SWAPPED("\4../a"), sizeof(SWAPPED("\4../a")) - 1, "model-code refuse"},
                  {PADDED("\4w.da"), sizeof(PADDED("\4w.da")) - 1, "model-code refuse"}};
    for (size_t i = 0; i < ARRAY_LEN(models); i++)
        binary_check("onnx", "m.onnx", "onnx", models[i].data, models[i].len, models[i].want);
}
