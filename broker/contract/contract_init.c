/* SPDX-License-Identifier: ISC
 * Broker. Writes a first contract. Names come from a directory that may be hostile: they are quoted in YAML, escaped in
 * comments, and one that would be refused anyway is only mentioned. */
#include "contract/contract_init.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "base/type.h"
#include "contract/yaml_text.h"

static const char head[] =
    "# A sallyport contract: what may leave the sandbox, and as what. What is not listed does not leave.\n"
    "# sallyport-contract(5) has every key; `sallyport check FILE` reads this one and reports its errors.\n"
    "sallyport: 1\n";

static const char words[] =
    "# For the record; remove the '#' and fill in.\n"
    "# owner: team@example.org\n"
    "# purpose: what these results are for\n"
    "# review-by: 2027-12-31\n"
    "\n"
    "outputs:\n";

static const char example[] =
    "  - path: report.json                     # exact path, required\n"
    "    types: [json]                         # what the content may be\n"
    "    max: 2M\n"
    "  # - glob: crashes/*.txt                 # '*' stays within a directory, '**' does not\n"
    "  #   types: [text]\n"
    "  #   count: 0..50\n";

static const char tail[] =
    "\n"
    "# limits: {files: 10000, total: 1G, depth: 16, visited: 100000, time: 1h}    # these are the defaults\n"
    "# unlisted: list      # list | count | ignore | refuse\n"
    "# partial: false      # true: promote what passes, record the rest\n";

static const struct {
    const char *extension;
    enum type type;
} kinds[] = {
    {"txt", TYPE_TEXT},         {"log", TYPE_LOG},         {"md", TYPE_MARKDOWN},     {"json", TYPE_JSON},
    {"jsonl", TYPE_JSONL},      {"ndjson", TYPE_JSONL},    {"yaml", TYPE_YAML},       {"yml", TYPE_YAML},
    {"toml", TYPE_TOML},        {"csv", TYPE_CSV},         {"tsv", TYPE_TSV},         {"xml", TYPE_XML},
    {"html", TYPE_HTML_STATIC}, {"htm", TYPE_HTML_STATIC}, {"svg", TYPE_SVG},         {"css", TYPE_CSS},
    {"js", TYPE_JS},            {"png", TYPE_PNG},         {"jpg", TYPE_JPEG},        {"jpeg", TYPE_JPEG},
    {"gif", TYPE_GIF},          {"webp", TYPE_WEBP},       {"avif", TYPE_AVIF},       {"tif", TYPE_TIFF},
    {"tiff", TYPE_TIFF},        {"bmp", TYPE_BMP},         {"ico", TYPE_ICO},         {"woff", TYPE_WOFF},
    {"woff2", TYPE_WOFF2},      {"ttf", TYPE_TTF},         {"mp3", TYPE_MP3},         {"wav", TYPE_WAV},
    {"ogg", TYPE_OGG},          {"mp4", TYPE_MP4},         {"webm", TYPE_WEBM},       {"pdf", TYPE_PDF},
    {"docx", TYPE_DOCX},        {"xlsx", TYPE_XLSX},       {"pptx", TYPE_PPTX},       {"odt", TYPE_ODT},
    {"ods", TYPE_ODS},          {"epub", TYPE_EPUB},       {"eml", TYPE_EML},         {"ipynb", TYPE_NOTEBOOK},
    {"npy", TYPE_NPY},          {"npz", TYPE_NPZ},         {"parquet", TYPE_PARQUET}, {"arrow", TYPE_ARROW},
    {"safetensors", TYPE_SAFETENSORS}, {"gguf", TYPE_GGUF}, {"onnx", TYPE_ONNX},      {"sqlite", TYPE_SQLITE},
    {"pcap", TYPE_PCAP},        {"evtx", TYPE_EVTX},       {"wasm", TYPE_WASM},       {"class", TYPE_CLASS},
    {"zip", TYPE_ZIP},          {"tar", TYPE_TAR},         {"tar.gz", TYPE_TAR_GZ},   {"tgz", TYPE_TAR_GZ},
    {"tar.bz2", TYPE_TAR_BZ2},  {"tar.xz", TYPE_TAR_XZ},   {"tar.zst", TYPE_TAR_ZST}, {"tar.lz4", TYPE_TAR_LZ4},
    {"gz", TYPE_GZIP},          {"bz2", TYPE_BZIP2},       {"xz", TYPE_XZ},           {"zst", TYPE_ZSTD},
    {"tar.lzma", TYPE_TAR_LZMA}, {"lzma", TYPE_LZMA},
    {"lz4", TYPE_LZ4},          {"jar", TYPE_JAR},         {"whl", TYPE_WHL},         {"deb", TYPE_DEB},
    {"rpm", TYPE_RPM},          {"gem", TYPE_GEM},         {"nupkg", TYPE_NUPKG},     {"apk", TYPE_APK},
};

/* A path taken apart: its directory (without the slash) and its extension (without the dot). */
struct parts {
    const char *dir, *extension;
    size_t dir_len, extension_len;
    bool dotfile;
};

static struct parts parts_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name[0] == '.' ? name + 1 : name, '.');
    struct parts p = {.dir = path, .dir_len = slash ? (size_t)(slash - path) : 0, .dotfile = name[0] == '.'};
    p.extension = dot ? dot + 1 : name + strlen(name);
    /* "tar.gz" is one extension. */
    if (dot && dot - name >= 5 && strncasecmp(dot - 4, ".tar", 4) == 0)
        p.extension = dot - 3;
    p.extension_len = strlen(p.extension);
    return p;
}

static enum type type_of(const struct parts *p)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strlen(kinds[i].extension) == p->extension_len &&
            strncasecmp(kinds[i].extension, p->extension, p->extension_len) == 0)
            return kinds[i].type;
    return TYPE_NONE;
}

static int compare_part(const char *a, size_t an, const char *b, size_t bn)
{
    int order = memcmp(a, b, an < bn ? an : bn);
    return order ? order : an < bn ? -1 : an > bn;
}

/* Files of one kind in one directory come after each other; dotfiles stand apart, since no glob takes them. */
static int by_group(const void *a, const void *b)
{
    const struct init_file *x = a, *y = b;
    struct parts p = parts_of(x->path), q = parts_of(y->path);
    int order = compare_part(p.dir, p.dir_len, q.dir, q.dir_len);
    if (order == 0)
        order = (int)p.dotfile - (int)q.dotfile;
    if (order == 0)
        order = compare_part(p.extension, p.extension_len, q.extension, q.extension_len);
    return order ? order : strcmp(x->path, y->path);
}

static bool same_group(const char *a, const char *b)
{
    struct parts p = parts_of(a), q = parts_of(b);
    return !p.dotfile && !q.dotfile && compare_part(p.dir, p.dir_len, q.dir, q.dir_len) == 0 &&
           compare_part(p.extension, p.extension_len, q.extension, q.extension_len) == 0;
}

/* Why a file could never be promoted, or NULL. */
static const char *hopeless(const char *path)
{
    enum path_fault fault = path_check(path, strlen(path), NAMES_PORTABLE);
    if (fault != PATH_OK)
        return path_fault_text(fault);
    return path_auto_run(path, strlen(path), false) ? "is acted on by other software" : NULL;
}

/* Twice the largest file seen, as a round size. */
static void write_max(struct buf *out, uint64_t size)
{
    uint64_t want = size < GIB * 1024 ? size * 2 : size, kib = 64;
    while (kib < UINT64_MAX / KIB / 4 && kib * KIB < want)
        kib *= 2;
    if (kib >= 1024)
        buf_printf(out, "%lluM", (unsigned long long)(kib / 1024));
    else
        buf_printf(out, "%lluK", (unsigned long long)kib);
}

/* Wildcards and braces in a directory's name stand for themselves. */
static void glob_literal(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr("*?[]{}", text[i]))
            buf_printf(out, "[%c]", text[i]);
        else
            buf_u8(out, (uint8_t)text[i]);
}

struct proposal {
    const struct init_file *first;
    size_t n;
    bool glob;
    uint64_t largest;
};

/* DIR/STAR.EXT; false where that is no glob (too long). */
static bool glob_write(const char *path, struct buf *glob)
{
    struct parts parts = parts_of(path);
    buf_init(glob, (size_t)PATH_BYTES * 4);
    glob_literal(glob, parts.dir, parts.dir_len);
    buf_text(glob, parts.dir_len ? "/*" : "*");
    if (parts.extension_len)
        buf_u8(glob, '.');
    glob_literal(glob, parts.extension, parts.extension_len);
    return !glob->failed && glob_valid((const char *)glob->data, glob->len);
}

static void write_name(struct buf *out, const struct proposal *p)
{
    struct buf glob;
    buf_text(out, p->glob ? "glob: " : "path: ");
    if (!p->glob) {
        yaml_text_plain(out, p->first->path, strlen(p->first->path));
        return;
    }
    (void)glob_write(p->first->path, &glob);
    yaml_text_quote(out, (const char *)glob.data, glob.len);
    buf_free(&glob);
}

/* False where the type is not known: then it is only a comment. */
static bool write_output(struct buf *out, const struct proposal *p)
{
    struct parts parts = parts_of(p->first->path);
    enum type type = type_of(&parts);
    const char *comment = type == TYPE_NONE ? "# " : "";
    buf_printf(out, "  %s- ", comment);
    write_name(out, p);
    if (p->glob)
        buf_printf(out, "\n  %s  count: 1..%zu                          # %zu seen", comment, 2 * p->n, p->n);
    if (type == TYPE_NONE)
        buf_text(out, "\n  #   types: []                             # say what it is, and remove the '#'");
    else
        buf_printf(out, "\n    types: [%s]", type_name(type));
    if (type != TYPE_NONE && (type_flags(type) & T_CONTAINER) && !(type_flags(type) & T_PACKAGE) && type != TYPE_PDF)
        buf_text(out, "\n    # inside: {types: [text, json]}         # what may be in it; left out: all passive types");
    buf_printf(out, "\n  %s  max: ", comment);
    write_max(out, p->largest);
    buf_u8(out, '\n');
    return type != TYPE_NONE;
}

static void write_comment(struct buf *out, const char *path, const char *why)
{
    buf_text(out, "  # left out: ");
    say_escape(out, path, strnlen(path, 200));
    buf_printf(out, " (%s)\n", why);
}

/* Returns how many of the files the next proposal takes. */
static size_t propose(const struct init_file *files, size_t n, struct proposal *p)
{
    size_t alike = 1;
    while (alike < n && same_group(files[0].path, files[alike].path))
        alike++;
    *p = (struct proposal){.first = files, .n = 1, .largest = files[0].size};
    if (alike <= INIT_EXACT)
        return 1;
    struct buf glob;
    p->glob = glob_write(files[0].path, &glob);
    buf_free(&glob);
    if (!p->glob)
        return 1;
    p->n = alike;
    for (size_t i = 0; i < alike; i++)
        p->largest = files[i].size > p->largest ? files[i].size : p->largest;
    return alike;
}

/* Takes out, as comments, what could never be promoted: between alike files it would cut their group in two. */
static size_t write_hopeless(struct buf *out, struct init_file *files, size_t n)
{
    size_t kept = 0, written = 0;
    for (size_t i = 0; i < n; i++) {
        const char *why = hopeless(files[i].path);
        if (!why)
            files[kept++] = files[i];
        else if (written++ < INIT_OUTPUTS)
            write_comment(out, files[i].path, why);
    }
    return kept;
}

/* Returns the number of outputs that are not comments. */
static size_t write_outputs(struct buf *out, struct init_file *files, size_t all)
{
    size_t outputs = 0, written = 0, at = 0, n = write_hopeless(out, files, all);
    while (at < n && written < INIT_OUTPUTS) {
        struct proposal p;
        written++;
        at += propose(files + at, n - at, &p);
        outputs += write_output(out, &p);
    }
    if (at < n)
        buf_printf(out, "  # and %zu more files: write globs for those that should leave\n", n - at);
    return outputs;
}

static void write_contract_name(struct buf *out, const char *name)
{
    char kept[64];
    size_t n = 0;
    for (const char *p = name ? name : ""; *p && n < sizeof(kept) - 1; p++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        bool alnum = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (alnum || (n && kept[n - 1] != '-'))
            kept[n++] = alnum ? c : '-';
    }
    while (n && kept[n - 1] == '-')
        n--;
    kept[n] = '\0';
    /* In quotes: a name of digits, or "null", is a string too. */
    buf_printf(out, "name: \"%s\"\n", n ? kept : "job");
}

/* A path that was given twice is one file. */
static size_t drop_twins(struct init_file *files, size_t n)
{
    size_t kept = n ? 1 : 0;
    for (size_t i = 1; i < n; i++)
        if (strcmp(files[i].path, files[kept - 1].path) != 0)
            files[kept++] = files[i];
    return kept;
}

void contract_init_write(const char *name, struct init_file *files, size_t n, struct buf *out)
{
    buf_text(out, head);
    write_contract_name(out, name);
    buf_text(out, words);
    if (n)
        qsort(files, n, sizeof(*files), by_group);
    if (write_outputs(out, files, drop_twins(files, n)) == 0)
        buf_text(out, example);
    buf_text(out, tail);
}
