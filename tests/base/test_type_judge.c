/* SPDX-License-Identifier: ISC
 * The table of sallyport-contract(5), "Types". A row: claims as "type:evidence" with evidence letters e(xtension)
 * t(ext) h(ead) w(indow) l (tail) s(tructure) 2 (second reader); the listed types; the code; the culprit. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/type.h"

struct row {
    const char *claims, *listed;
    enum finding_code code;
    const char *culprit; /* NULL: not checked */
};

#define OK FINDING_NONE
#define NOT FINDING_TYPE_NOT_LISTED
#define CONFLICT FINDING_TYPE_CONFLICT

static const struct row rows[] = {
    /* plain text and its extensions */
    {"plain_text:t", "text", OK, "none"},
    {"plain_text:t text:e", "text", OK, NULL},
    {"plain_text:t log:e", "text", OK, NULL},
    {"plain_text:t text:e", "log", OK, NULL},
    {"plain_text:t", "source", OK, NULL},
    {"plain_text:t source:e", "source", OK, NULL},
    {"plain_text:t source:e", "script", OK, NULL},
    {"plain_text:t source:e", "text", NOT, "source"},
    {"plain_text:t log:e", "source", NOT, "log"},
    {"plain_text:t markdown:e", "text", NOT, "markdown"},
    {"plain_text:t markdown:e", "markdown", OK, NULL},
    {"plain_text:t", "markdown", NOT, "plain text"},
    {"plain_text:t", "json", NOT, "plain text"},
    {"plain_text:t", "png", NOT, "plain text"},
    {"plain_text:t yaml:e", "yaml", OK, NULL},
    {"plain_text:t yaml:e", "text", NOT, "yaml"},
    {"plain_text:t csv:e", "csv", OK, NULL},
    {"plain_text:t js:e", "source", NOT, "js"},
    {"plain_text:t css:e", "css", OK, NULL},
    {"unknown_binary:h text:e", "text", CONFLICT, "text"},
    {"unknown_binary:h csv:e", "csv", CONFLICT, "csv"},
    /* json and xml */
    {"plain_text:t json:et", "json", OK, NULL},
    {"plain_text:t json:e", "json", CONFLICT, "json"},
    {"plain_text:t json:et", "text", NOT, "json"},
    {"plain_text:t json:t", "text", OK, NULL},
    {"plain_text:t json:t", "json", OK, NULL},
    {"plain_text:t json:t", "csv", NOT, "json"},
    {"plain_text:t json:t text:e", "text", OK, NULL},
    {"plain_text:t json:t text:e", "json", NOT, "text"},
    {"plain_text:t jsonl:et json:t", "jsonl", OK, NULL},
    {"plain_text:t notebook:es json:t", "notebook", OK, NULL},
    {"plain_text:t notebook:s json:et", "json", NOT, "notebook"},
    {"plain_text:t notebook:e json:t", "notebook", CONFLICT, "notebook"},
    {"plain_text:t xml:eth", "xml", OK, NULL},
    {"plain_text:t xml:e", "xml", CONFLICT, "xml"},
    {"plain_text:t xml:th text:e", "text", NOT, "xml"},
    {"plain_text:t xml:t text:e", "text", OK, NULL},
    {"plain_text:t xml:th svg:eh", "svg", OK, NULL},
    {"plain_text:t xml:th svg:h", "xml", NOT, "svg"},
    {"plain_text:t xml:eth svg:h", "svg", NOT, "xml"},
    {"plain_text:t svg:e", "svg", CONFLICT, "svg"},
    /* html: one claim, three names */
    {"plain_text:t html-static:e", "html-static", OK, NULL},
    {"plain_text:t html-static:eh", "html-any", OK, NULL},
    {"plain_text:t html-static:h xml:th", "html-local", OK, NULL},
    {"plain_text:t html-static:h text:e", "text", NOT, "html-static"},
    {"html-static:eh", "html-static", OK, NULL},
    {"unknown_binary:h html-static:e", "html-static", CONFLICT, NULL},
    /* empty */
    {"empty:t", "text", OK, NULL},
    {"empty:t log:e", "log", OK, NULL},
    {"empty:t", "any-binary", OK, NULL},
    {"empty:t text:e", "any-binary", NOT, "text"},
    {"empty:t csv:e", "csv", NOT, "empty"},
    {"empty:t json:e", "json text", CONFLICT, "json"},
    {"empty:t png:e", "png text", CONFLICT, "png"},
    /* any-binary */
    {"unknown_binary:h", "any-binary", OK, NULL},
    {"unknown_binary:h", "png", FINDING_TYPE_UNKNOWN, "unknown binary"},
    {"unknown_binary:h", "text", FINDING_TYPE_UNKNOWN, NULL},
    {"plain_text:t", "any-binary", OK, NULL},
    {"plain_text:t text:e", "any-binary", NOT, "text"},
    {"plain_text:t json:t", "any-binary", NOT, "json"},
    {"png:eh", "any-binary", NOT, "png"},
    {"other_data:h", "any-binary", NOT, "other data"},
    {"unknown_binary:h other_data:2", "any-binary", NOT, "other data"},
    {"unknown_binary:h pickle:s", "any-binary", NOT, "pickle"},
    {"unknown_binary:h pickle:s", "pickle", OK, NULL},
    {"", "any-binary", FINDING_TYPE_UNKNOWN, "none"},
    {"text:e", "text", CONFLICT, NULL},
    /* signatures and extensions */
    {"png:eh", "png", OK, NULL},
    {"png:h", "png", OK, NULL},
    {"png:h jpeg:e", "png jpeg", CONFLICT, "jpeg"},
    {"png:e jpeg:h", "png", CONFLICT, "png"},
    {"png:h text:e", "png text", CONFLICT, NULL},
    {"png:eh zip:l", "png zip", CONFLICT, NULL},
    {"pdf:eh plain_text:t", "pdf", OK, NULL},
    {"pdf:h plain_text:t text:e", "pdf text", CONFLICT, NULL},
    {"pdf:ew plain_text:t", "pdf", OK, NULL},
    /* archives and packages */
    {"tar.gz:es gzip:h", "tar.gz", OK, NULL},
    {"tar.gz:es gzip:h", "gzip", NOT, "tar.gz"},
    {"tar.gz:s gzip:eh", "tar.gz", NOT, "gzip"},
    {"tar.gz:e gzip:h", "tar.gz gzip", CONFLICT, "tar.gz"},
    {"gzip:eh", "gzip", OK, NULL},
    {"zip:eh", "zip", OK, NULL},
    {"zip:h docx:es", "docx", OK, NULL},
    {"zip:h docx:e", "docx", CONFLICT, "docx"},
    {"zip:h docx:s xlsx:s", "docx xlsx", CONFLICT, NULL},
    {"zip:eh jar:s", "zip", NOT, "jar"},
    {"zip:h jar:s apk:es", "apk", OK, NULL},
    {"zip:h tar:w", "zip tar", CONFLICT, NULL},
    {"elf:h zip:l", "elf zip", CONFLICT, NULL},
    {"script:h plain_text:t zip:l", "script zip", CONFLICT, NULL},
    {"ar:h deb:es", "deb", OK, NULL},
    {"7z:eh", "7z", OK, NULL},
    {"7z:eh", "zip", FINDING_ARCHIVE_UNSUPPORTED, "7z"},
    {"other_archive:h", "zip", FINDING_ARCHIVE_UNSUPPORTED, NULL},
    /* programs, scripts and the other classes */
    {"elf:h", "elf", OK, NULL},
    {"elf:h", "any-binary", FINDING_ACTIVE_EXECUTABLE, "elf"},
    {"elf:h text:e", "text elf", CONFLICT, NULL},
    {"pe:h png:e", "png pe", CONFLICT, NULL},
    {"pe:e plain_text:t", "text", CONFLICT, "pe"},
    {"wasm:eh", "any-binary", FINDING_ACTIVE_EXECUTABLE, "wasm"},
    {"other_program:e unknown_binary:h", "any-binary", FINDING_ACTIVE_EXECUTABLE, "other program"},
    {"script:h plain_text:t text:e", "text", FINDING_ACTIVE_SCRIPT, "script"},
    {"script:h plain_text:t text:e", "text script", OK, NULL},
    {"script:eh plain_text:t", "script", OK, NULL},
    {"script:e plain_text:t", "text", FINDING_ACTIVE_SCRIPT, NULL},
    {"script:h plain_text:t source:e", "source", FINDING_ACTIVE_SCRIPT, NULL},
    {"jpeg:h server_page:e", "jpeg text", FINDING_ACTIVE_SCRIPT, "server page"},
    {"server_page:h plain_text:t html-static:e", "html-any", FINDING_ACTIVE_SCRIPT, NULL},
    {"shortcut:eh plain_text:t", "text", FINDING_ACTIVE_SHORTCUT, NULL},
    {"ole2_document:eh", "any-binary", FINDING_ACTIVE_OFFICE_LEGACY, NULL},
    {"ole2_document:h installer:e", "any-binary", FINDING_ACTIVE_OFFICE_LEGACY, NULL},
    {"rtf_document:eh plain_text:t", "text", FINDING_ACTIVE_RTF, NULL},
    {"serialized_object:h", "any-binary", FINDING_ACTIVE_SERIALIZED, NULL},
    {"playlist:h plain_text:t other_media:e", "any-binary", FINDING_ACTIVE_PLAYLIST, NULL},
    {"memory_dump:h", "elf", FINDING_ACTIVE_MEMORY_DUMP, NULL},
    {"memory_dump:h elf:h", "elf", FINDING_ACTIVE_MEMORY_DUMP, NULL},
    {"pickle:e unknown_binary:h", "pickle any-binary", CONFLICT, "pickle"},
    {"key_store:h", "any-binary", NOT, "key store"},
};

static enum type by_name(const char *name, size_t len)
{
    char spaced[32] = "";
    cr_assert_lt(len, sizeof(spaced));
    memcpy(spaced, name, len);
    for (size_t i = 0; i < len; i++)
        spaced[i] = spaced[i] == '_' ? ' ' : spaced[i];
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (strcmp(type_name((enum type)t), spaced) == 0)
            return (enum type)t;
    cr_assert(false, "no type %s", spaced);
    return TYPE_NONE;
}

static void parse_claims(const char *text, struct claims *claims)
{
    static const char letters[] = "_ethwls2";
    while (*text) {
        size_t len = strcspn(text, ":");
        enum type type = by_name(text, len);
        for (text += len + 1; *text && *text != ' '; text++)
            claims_add(claims, type, (enum evidence)(strchr(letters, *text) - letters));
        text += *text == ' ';
    }
}

static void parse_types(const char *text, struct type_set *set)
{
    while (*text) {
        size_t len = strcspn(text, " ");
        type_set_add(set, by_name(text, len));
        text += len + (text[len] == ' ');
    }
}

Test(type_judge, every_row_of_the_table)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct claims claims = {{0}};
        struct type_set listed = {{0}};
        enum type culprit = TYPE_PNG;
        parse_claims(rows[i].claims, &claims);
        parse_types(rows[i].listed, &listed);
        enum finding_code code = type_judge(&claims, &listed, &culprit);
        cr_expect_eq(code, rows[i].code, "[%s] under [%s]: %s, want %s", rows[i].claims, rows[i].listed,
                     finding_code_name(code), finding_code_name(rows[i].code));
        if (rows[i].culprit)
            cr_expect_str_eq(type_name(culprit), rows[i].culprit, "[%s] under [%s]", rows[i].claims, rows[i].listed);
        cr_expect(code != FINDING_NONE || culprit == TYPE_NONE, "[%s]", rows[i].claims);
    }
}

Test(type_judge, asking_again_with_the_culprit_ends_and_names_every_claim)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct claims claims = {{0}};
        struct type_set listed = {{0}};
        enum type culprit;
        unsigned asked = 0;
        parse_claims(rows[i].claims, &claims);
        for (;; asked++) {
            enum finding_code code = type_judge(&claims, &listed, &culprit);
            if (code == FINDING_NONE || code == FINDING_TYPE_CONFLICT || culprit == TYPE_NONE)
                break;
            cr_assert_lt(asked, 8u, "[%s] does not end at %s", rows[i].claims, type_name(culprit));
            type_set_add(&listed, culprit);
        }
    }
}

Test(type_judge, nothing_with_a_class_of_its_own_passes_unlisted)
{
    static const enum type dangerous[] = {TYPE_ELF,        TYPE_PE,   TYPE_MACHO,      TYPE_WASM,     TYPE_CLASS,
                                          TYPE_SCRIPT,     TYPE_OLE2, TYPE_RTF,        TYPE_SHORTCUT, TYPE_SERVER_PAGE,
                                          TYPE_SERIALIZED, TYPE_JAR,  TYPE_MEMORY_DUMP};
    struct type_set passive = {{0}};
    cr_assert(type_group_add(&passive, "passive", 7));
    for (size_t i = 0; i < ARRAY_LEN(dangerous); i++)
        for (int other = TYPE_NONE + 1; other < TYPE_COUNT; other++)
            for (int evidence = EVIDENCE_HEAD; evidence < EVIDENCE_COUNT; evidence++) {
                struct claims claims = {{0}};
                enum type culprit;
                claims_add(&claims, dangerous[i], (enum evidence)evidence);
                claims_add(&claims, (enum type)other, EVIDENCE_HEAD);
                claims_add(&claims, (enum type)other, EVIDENCE_EXTENSION);
                cr_assert_neq(type_judge(&claims, &passive, &culprit), FINDING_NONE, "%s under %s",
                              type_name(dangerous[i]), type_name((enum type)other));
            }
}
