/* SPDX-License-Identifier: ISC
 * Which package an archive is, and what its members may be. Tables; worker child. */
#include "inspect/archive_package.h"

#include <string.h>

#include "inspect/active_office.h"

enum { PARTS_MAX = 48 };

/* What the members of each package may be besides passive types and unknown parts: its format's own contents.
 * Ends at TYPE_NONE. */
static const struct {
    enum type package;
    enum type part[PARTS_MAX];
} parts[] = {
    /* Office documents hold pictures and sound in forms of their time (WMF, EMF, WMA). */
    {TYPE_DOCX, {TYPE_XLSX, TYPE_OTHER_MEDIA}},
    {TYPE_XLSX, {TYPE_OTHER_MEDIA}},
    {TYPE_PPTX, {TYPE_XLSX, TYPE_OTHER_MEDIA}},
    {TYPE_ODT, {TYPE_OTHER_MEDIA}},
    {TYPE_ODS, {TYPE_OTHER_MEDIA}},
    {TYPE_JAR,
     {TYPE_CLASS, TYPE_JAR, TYPE_ZIP, TYPE_ELF, TYPE_PE, TYPE_MACHO, TYPE_JS, TYPE_HTML_ANY, TYPE_SCRIPT,
      TYPE_GZIP, TYPE_OTHER_DATA, TYPE_OTHER_PROGRAM, TYPE_SHORTCUT, TYPE_WASM, TYPE_SERVER_PAGE}},
    {TYPE_WHL,
     {TYPE_ELF, TYPE_PE, TYPE_MACHO, TYPE_SCRIPT, TYPE_JS, TYPE_HTML_ANY, TYPE_ZIP, TYPE_WHL, TYPE_GZIP,
      TYPE_TAR_GZ, TYPE_NPZ, TYPE_TAR, TYPE_WASM, TYPE_OTHER_DATA, TYPE_OTHER_PROGRAM, TYPE_EML,
      TYPE_NOTEBOOK}},
    {TYPE_APK,
     {TYPE_OTHER_PROGRAM, TYPE_ELF, TYPE_CLASS, TYPE_JAR, TYPE_ZIP, TYPE_JS, TYPE_HTML_ANY, TYPE_SQLITE}},
    {TYPE_NUPKG, {TYPE_PE, TYPE_ELF, TYPE_MACHO, TYPE_SCRIPT, TYPE_JS, TYPE_HTML_ANY}},
    {TYPE_GEM,
     {TYPE_TAR_GZ, TYPE_GZIP, TYPE_SCRIPT, TYPE_ELF, TYPE_JS, TYPE_HTML_ANY, TYPE_ZIP, TYPE_OTHER_PROGRAM}},
    {TYPE_DEB,
     {TYPE_TAR,
      TYPE_TAR_GZ,
      TYPE_TAR_XZ,
      TYPE_TAR_ZST,
      TYPE_TAR_BZ2,
      TYPE_GZIP,
      TYPE_XZ,
      TYPE_BZIP2,
      TYPE_ZSTD,
      TYPE_ZIP,
      TYPE_ELF,
      TYPE_PE,
      TYPE_MACHO,
      TYPE_SCRIPT,
      TYPE_CLASS,
      TYPE_JAR,
      TYPE_WHL,
      TYPE_AR,
      TYPE_JS,
      TYPE_HTML_ANY,
      TYPE_WASM,
      TYPE_DEB,
      TYPE_DOCX,
      TYPE_XLSX,
      TYPE_PPTX,
      TYPE_ODT,
      TYPE_ODS,
      TYPE_EPUB,
      TYPE_NPZ,
      TYPE_SQLITE,
      TYPE_EML,
      TYPE_NOTEBOOK,
      TYPE_CPIO,
      TYPE_OTHER_PROGRAM,
      TYPE_SHORTCUT,
      TYPE_SERVER_PAGE,
      TYPE_OTHER_DATA,
      TYPE_OTHER_MEDIA,
      TYPE_OTHER_DOCUMENT,
      TYPE_GEM,
      TYPE_TAR_LZ4,
      TYPE_LZ4,
      TYPE_TAR_LZMA,
      TYPE_LZMA,
      TYPE_NUPKG,
      TYPE_PICKLE,
      TYPE_PCAP}},
    {TYPE_EPUB, {TYPE_JS}},
    {TYPE_NPZ, {TYPE_NPY}},
};

void package_rule_plain(const struct inspection *in, struct package_rule *rule)
{
    *rule = (struct package_rule){.package = in->package_part};
    if (!in->package_part)
        return;
    /* a tar inside a package is unpacked by the package's own system (deb, gem) */
    rule->names = claims_has(&in->claims, TYPE_ZIP) ? NAMES_OF_PACKAGE : NAMES_OF_UNIX_PACKAGE;
    rule->own = *in->admitted;
    rule->set = &rule->own;
}

void package_rule_of(const struct inspection *in, enum type package, struct package_rule *rule)
{
    package_rule_plain(in, rule);
    if (!(type_flags(package) & T_PACKAGE))
        return;
    if (!rule->package && in->inside.types_given)
        rule->own = in->inside.types;
    rule->package = package != TYPE_NPZ;
    rule->names = package == TYPE_DEB || package == TYPE_RPM ? NAMES_OF_UNIX_PACKAGE : NAMES_OF_PACKAGE;
    rule->set = &rule->own;
    enum type like = package == TYPE_RPM ? TYPE_DEB : package; /* both hold a whole system's files */
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        for (size_t p = 0; parts[i].package == like && p < PARTS_MAX; p++)
            type_set_add(&rule->own, parts[i].part[p]);
}

static bool ends(const char *name, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);
    return len >= n && memcmp(name + len - n, suffix, n) == 0;
}

static bool any(const struct names *names, const char *prefix, const char *suffix)
{
    size_t n = strlen(prefix);
    for (size_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = names_text(names, i, &len);
        if (len >= n && memcmp(name, prefix, n) == 0 && ends(name, len, suffix))
            return true;
    }
    return false;
}

/* A wheel: one top-level NAME.dist-info/ with WHEEL, METADATA and RECORD (PEP 427). */
static bool is_wheel(const struct names *names)
{
    unsigned seen = 0;
    static const char *const files[] = {".dist-info/WHEEL", ".dist-info/METADATA", ".dist-info/RECORD"};
    for (size_t f = 0; f < ARRAY_LEN(files); f++)
        for (size_t i = 0; i < names->n; i++) {
            size_t len;
            const char *name = names_text(names, i, &len);
            const char *slash = len ? memchr(name, '/', len) : NULL;
            if (slash && ends(name, len, files[f]) &&
                (size_t)(slash - name) == len - strlen(strchr(files[f], '/')))
                seen |= 1u << f;
        }
    return seen == 7;
}

static bool all_npy(const struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = names_text(names, i, &len);
        if (names->v[i].kind != NAME_FILE || !ends(name, len, ".npy"))
            return false;
    }
    return names->n > 0;
}

/* Top-level NAME.nuspec beside the part list: a NuGet package. */
static bool is_nupkg(const struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        size_t len;
        const char *name = names_text(names, i, &len);
        if (ends(name, len, ".nuspec") && !memchr(name, '/', len))
            return true;
    }
    return false;
}

/* The manifest of a jar is optional: under the name, classes or a META-INF directory make one. */
static bool is_jar(const struct inspection *in, const struct names *names)
{
    return names_has(names, "META-INF/MANIFEST.MF") ||
           (claims_has(&in->claims, TYPE_JAR) && (any(names, "META-INF/", "") || any(names, "", ".class")));
}

/* ISO/IEC 29500-2: the part list, and which application's parts there are. */
static unsigned claim_opc(struct inspection *in, const struct names *names, enum type *one)
{
    static const struct {
        const char *prefix;
        enum type type;
    } apps[] = {{"word/", TYPE_DOCX}, {"xl/", TYPE_XLSX}, {"ppt/", TYPE_PPTX}};
    unsigned n = 0;
    if (!names_has(names, "[Content_Types].xml"))
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(apps); i++)
        if (any(names, apps[i].prefix, ".xml") || any(names, apps[i].prefix, ".bin")) {
            inspect_claim(in, *one = apps[i].type, EVIDENCE_STRUCTURE);
            n++;
        }
    if (n == 0) {
        inspect_claim(in, *one = is_nupkg(names) ? TYPE_NUPKG : TYPE_OTHER_DOCUMENT, EVIDENCE_STRUCTURE);
        n++;
    }
    return n;
}

static unsigned claim_mimetype(struct inspection *in, const char *mimetype, size_t len, enum type *one)
{
    static const struct {
        const char *text;
        enum type type;
    } kinds[] = {{"application/vnd.oasis.opendocument.text", TYPE_ODT},
                 {"application/vnd.oasis.opendocument.spreadsheet", TYPE_ODS},
                 {"application/epub+zip", TYPE_EPUB}};
    while (len > 0 && (mimetype[len - 1] == '\n' || mimetype[len - 1] == '\r'))
        len--;
    if (len == 0)
        return 0;
    *one = TYPE_OTHER_DOCUMENT;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strlen(kinds[i].text) == len && memcmp(kinds[i].text, mimetype, len) == 0)
            *one = kinds[i].type;
    inspect_claim(in, *one, EVIDENCE_STRUCTURE);
    return 1;
}

enum type package_claim_zip(struct inspection *in, const struct names *names, const char *mimetype,
                            size_t len)
{
    enum type one = TYPE_ZIP;
    unsigned n = claim_opc(in, names, &one) + claim_mimetype(in, mimetype, len, &one);
    if (is_wheel(names)) {
        inspect_claim(in, one = TYPE_WHL, EVIDENCE_STRUCTURE);
        n++;
    }
    if (names_has(names, "AndroidManifest.xml")) {
        inspect_claim(in, one = TYPE_APK, EVIDENCE_STRUCTURE);
        n++;
    } else if (is_jar(in, names)) {
        inspect_claim(in, one = TYPE_JAR, EVIDENCE_STRUCTURE);
        n++;
    }
    /* a zip of arrays is an npz where its name says so; elsewhere it is a zip whose members are judged */
    if (n == 0 && all_npy(names) && claims_has(&in->claims, TYPE_NPZ)) {
        inspect_claim(in, one = TYPE_NPZ, EVIDENCE_STRUCTURE);
        n++;
    }
    inspect_claim(in, TYPE_ZIP, EVIDENCE_STRUCTURE);
    return one;
}

bool package_member(struct inspection *in, const struct package_rule *rule, enum type package,
                    const char *name, size_t len, struct bytes *content)
{
    static const enum type office[] = {TYPE_DOCX, TYPE_XLSX, TYPE_PPTX, TYPE_ODT, TYPE_ODS, TYPE_EPUB};
    for (size_t i = 0; i < ARRAY_LEN(office); i++)
        if (office[i] == package)
            active_office_member(in, name, len, content);
    /* an empty part is its name alone, whatever type the name promises (OpenDocument writes empty .xml parts) */
    if (rule->package && content->size == 0)
        return inspect_entries(in, 1);
    return inspect_member(in, name, len, content, rule->set, rule->package);
}
