/* SPDX-License-Identifier: ISC
 * The rule of sallyport-contract(5), "Types": every claim on a file must be permitted. Used by the broker on files and
 * by the workers on members. Pure; trusts nothing but the numbers in struct claims.
 * Invariant: what content shows to be a program, a script or another class of its own passes only where it is listed. */
#include "base/type.h"

#include "base/compiler.h"

#define BIT(evidence) (1u << (evidence))
#define STRONG (BIT(EVIDENCE_HEAD) | BIT(EVIDENCE_WINDOW) | BIT(EVIDENCE_TAIL) | BIT(EVIDENCE_STRUCTURE))

/* A narrow form is written in the broad one, so its content rightly claims both and only the narrow one is judged.
 * The extension is not absorbed: a .zip that is a jar must be permitted as both. */
static const struct {
    enum type narrow, broad;
} written_in[] = {
    {TYPE_NOTEBOOK, TYPE_JSON},    {TYPE_SVG, TYPE_XML},         {TYPE_HTML_STATIC, TYPE_XML},
    {TYPE_PLAYLIST, TYPE_XML},     {TYPE_SHORTCUT, TYPE_XML},    {TYPE_OTHER_DOCUMENT, TYPE_XML},
    {TYPE_DOCX, TYPE_ZIP},         {TYPE_XLSX, TYPE_ZIP},        {TYPE_PPTX, TYPE_ZIP},
    {TYPE_ODT, TYPE_ZIP},          {TYPE_ODS, TYPE_ZIP},         {TYPE_EPUB, TYPE_ZIP},
    {TYPE_NPZ, TYPE_ZIP},          {TYPE_JAR, TYPE_ZIP},         {TYPE_WHL, TYPE_ZIP},
    {TYPE_NUPKG, TYPE_ZIP},        {TYPE_APK, TYPE_ZIP},         {TYPE_APK, TYPE_JAR},
    {TYPE_INSTALLER, TYPE_ZIP},    {TYPE_OTHER_DOCUMENT, TYPE_ZIP}, {TYPE_OTHER_PROGRAM, TYPE_ZIP},
    {TYPE_TAR_GZ, TYPE_GZIP},      {TYPE_TAR_BZ2, TYPE_BZIP2},   {TYPE_TAR_XZ, TYPE_XZ},
    {TYPE_TAR_ZST, TYPE_ZSTD},     {TYPE_TAR_LZ4, TYPE_LZ4},     {TYPE_GEM, TYPE_TAR},
    {TYPE_TAR_LZMA, TYPE_LZMA},    {TYPE_DEB, TYPE_AR},           {TYPE_RPM, TYPE_CPIO},        {TYPE_INSTALLER, TYPE_OLE2},
    {TYPE_MEMORY_DUMP, TYPE_ELF},  {TYPE_INSTALLER, TYPE_PE},    {TYPE_OTHER_DATA, TYPE_ZIP},
};

/* Besides itself, a claim is permitted by: the plain forms of text by each other, since no reader acts on them; script
 * text by script. `text` does not admit markup, data or style sheets: those have readers that act. */
static const struct {
    enum type claim, listed;
} also_by[] = {
    {TYPE_TEXT, TYPE_LOG},     {TYPE_TEXT, TYPE_SOURCE},  {TYPE_LOG, TYPE_TEXT},     {TYPE_SOURCE, TYPE_SCRIPT},
    {TYPE_PLAIN, TYPE_TEXT},   {TYPE_PLAIN, TYPE_LOG},    {TYPE_PLAIN, TYPE_SOURCE}, {TYPE_EMPTY, TYPE_TEXT},
    {TYPE_EMPTY, TYPE_LOG},    {TYPE_EMPTY, TYPE_SOURCE}, {TYPE_EMPTY, TYPE_ANY_BINARY},
    {TYPE_BINARY, TYPE_ANY_BINARY},
};

/* Text forms that have no syntax to check: under their extension valid text is all the content can show. */
static const enum type loose[] = {TYPE_TEXT, TYPE_LOG,  TYPE_SOURCE, TYPE_SCRIPT, TYPE_MARKDOWN, TYPE_YAML,       TYPE_TOML,
                                  TYPE_CSV,  TYPE_TSV,  TYPE_CSS,    TYPE_JS,     TYPE_EML,      TYPE_HTML_STATIC};

/* Written as text, so they may stand under another text form's extension where both are permitted. */
static const enum type texts[] = {TYPE_XML,      TYPE_JSON,        TYPE_JSONL,    TYPE_SVG, TYPE_NOTEBOOK,
                                  TYPE_SHORTCUT, TYPE_SERVER_PAGE, TYPE_PLAYLIST, TYPE_RTF};

/* The code that says more than "not listed". */
static const struct {
    enum type type;
    enum finding_code code;
} classes[] = {
    {TYPE_SCRIPT, FINDING_ACTIVE_SCRIPT},
    {TYPE_SERVER_PAGE, FINDING_ACTIVE_SCRIPT},
    {TYPE_SHORTCUT, FINDING_ACTIVE_SHORTCUT},
    {TYPE_OLE2, FINDING_ACTIVE_OFFICE_LEGACY},
    {TYPE_RTF, FINDING_ACTIVE_RTF},
    {TYPE_SERIALIZED, FINDING_ACTIVE_SERIALIZED},
    {TYPE_PLAYLIST, FINDING_ACTIVE_PLAYLIST},
    {TYPE_MEMORY_DUMP, FINDING_ACTIVE_MEMORY_DUMP},
    {TYPE_OTHER_ARCHIVE, FINDING_ARCHIVE_UNSUPPORTED},
    {TYPE_SEVENZIP, FINDING_ARCHIVE_UNSUPPORTED},
    {TYPE_CPIO, FINDING_ARCHIVE_UNSUPPORTED},
    {TYPE_BINARY, FINDING_TYPE_UNKNOWN},
};

static bool among(const enum type *list, size_t n, enum type type)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == type)
            return true;
    return false;
}

static bool is_loose(enum type type)
{
    return among(loose, ARRAY_LEN(loose), type);
}

static bool is_text(enum type type)
{
    return type == TYPE_PLAIN || is_loose(type) || among(texts, ARRAY_LEN(texts), type);
}

static bool is_written_in(enum type narrow, enum type broad)
{
    for (size_t i = 0; i < ARRAY_LEN(written_in); i++)
        if (written_in[i].narrow == narrow && written_in[i].broad == broad)
            return true;
    return false;
}

static bool admits(const struct type_set *admitted, enum type type)
{
    if (type_set_has(admitted, type))
        return true;
    if (type_flags(type) & T_HTML)
        return type_html_profile(admitted) != HTML_NONE;
    for (size_t i = 0; i < ARRAY_LEN(also_by); i++)
        if (also_by[i].claim == type && type_set_has(admitted, also_by[i].listed))
            return true;
    return false;
}

static bool by_extension(const struct claims *claims, enum type type)
{
    return claims->of[type] & BIT(EVIDENCE_EXTENSION);
}

static bool strong(const struct claims *claims, enum type type)
{
    return claims->of[type] & STRONG;
}

/* Is there a narrower form of this type, by content? */
static bool has_narrower(const struct claims *claims, enum type broad)
{
    for (size_t i = 0; i < ARRAY_LEN(written_in); i++)
        if (written_in[i].broad == broad && claims_by_content(claims, written_in[i].narrow))
            return true;
    return false;
}

/* Does the content bear out what the extension says? */
static bool borne_out(const struct claims *claims, enum type type)
{
    if (claims_by_content(claims, type) || has_narrower(claims, type))
        return true;
    if (is_loose(type) && (claims_has(claims, TYPE_PLAIN) || claims_has(claims, TYPE_EMPTY)))
        return true;
    /* No contract can list it: its class refuses, and says more than a conflict would. */
    return !(type_flags(type) & T_LISTABLE);
}

/* Two contents in one file: whoever opens it may see either. */
static bool two_contents(enum type a, enum type b)
{
    return a != b && !is_written_in(a, b) && !is_written_in(b, a) && !(is_text(a) && is_text(b)) &&
           a != TYPE_BINARY && b != TYPE_BINARY;
}

static bool conflicts(const struct claims *claims, enum type type)
{
    bool named = by_extension(claims, type);
    if (named && !borne_out(claims, type))
        return true;
    if (!strong(claims, type) && !(named && is_loose(type)))
        return false;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (strong(claims, (enum type)t) && two_contents(type, (enum type)t))
            return true;
    return false;
}

/* Is plain text spoken for: by a permitted form of text, or by any permitted content that happens to be text? */
static bool text_is_explained(const struct claims *claims, const struct type_set *admitted)
{
    bool alone = true;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        if (t == TYPE_PLAIN || t == TYPE_BINARY || !claims_has(claims, (enum type)t))
            continue;
        alone = false;
        if (admits(admitted, (enum type)t))
            return true;
    }
    return admits(admitted, TYPE_PLAIN) || (alone && type_set_has(admitted, TYPE_ANY_BINARY));
}

/* Must this claim be permitted by itself? */
static bool stands_alone(const struct claims *claims, enum type type)
{
    unsigned of = claims->of[type];
    if (of == 0 || type == TYPE_PLAIN)
        return false;
    /* Text that also happens to be well-formed JSON or XML: plain text answers for it. */
    if (of == BIT(EVIDENCE_TEXT) && claims_has(claims, TYPE_PLAIN))
        return false;
    if (!(of & BIT(EVIDENCE_EXTENSION)) && has_narrower(claims, type))
        return false;
    if (type == TYPE_BINARY)
        for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
            if (t != TYPE_BINARY && claims_by_content(claims, (enum type)t))
                return false;
    return true;
}

static enum finding_code class_code(enum type type)
{
    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        if (classes[i].type == type)
            return classes[i].code;
    return type_flags(type) & T_PROGRAM ? FINDING_ACTIVE_EXECUTABLE : FINDING_TYPE_NOT_LISTED;
}

/* The first claim that is not permitted; one with a class of its own comes before one without. */
static enum finding_code first_unlisted(const struct claims *claims, const struct type_set *admitted,
                                        enum type *culprit)
{
    enum finding_code found = FINDING_NONE;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        enum type type = (enum type)t;
        if (!stands_alone(claims, type) || admits(admitted, type))
            continue;
        enum finding_code code = class_code(type);
        if (found != FINDING_NONE && code == FINDING_TYPE_NOT_LISTED)
            continue;
        *culprit = type;
        found = code;
        if (code != FINDING_TYPE_NOT_LISTED)
            break;
    }
    return found;
}

static enum type weak_text(const struct claims *claims)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (t != TYPE_PLAIN && claims->of[t] == BIT(EVIDENCE_TEXT))
            return (enum type)t;
    return TYPE_PLAIN;
}

enum finding_code type_judge(const struct claims *claims, const struct type_set *admitted, enum type *culprit)
{
    bool any = false;
    *culprit = TYPE_NONE;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        any = any || claims_by_content(claims, (enum type)t);
        if (conflicts(claims, (enum type)t)) {
            *culprit = (enum type)t;
            return FINDING_TYPE_CONFLICT;
        }
    }
    enum finding_code code = first_unlisted(claims, admitted, culprit);
    if (code != FINDING_NONE)
        return code;
    if (claims_has(claims, TYPE_PLAIN) && !text_is_explained(claims, admitted)) {
        *culprit = weak_text(claims);
        return FINDING_TYPE_NOT_LISTED;
    }
    return any ? FINDING_NONE : FINDING_TYPE_UNKNOWN;
}
