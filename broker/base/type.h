/* SPDX-License-Identifier: ISC
 * Types and claims. A file's type is a set of claims (extension, signatures, structure); each must be permitted by
 * the output. Pure; used by the broker for the file itself and by the worker for members, so that one rule judges
 * both. Source of the names: SPEC of sallyport-contract(5). */
#ifndef SALLYPORT_TYPE_H
#define SALLYPORT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/finding.h"

enum type_group {
    G_PASSIVE = 1u << 0,
    G_IMAGES = 1u << 1,
    G_FONTS = 1u << 2,
    G_WEB = 1u << 3,
    G_ARCHIVES = 1u << 4,
    G_PACKAGES = 1u << 5
};

enum type_flag {
    T_LISTABLE = 1u << 0,  /* a contract may name it */
    T_EXEC = 1u << 1,      /* published with mode 0555 */
    T_HTML = 1u << 2,      /* one of the three profiles of the one HTML claim */
    T_CONTAINER = 1u << 3, /* inspected alone in its child */
    T_PACKAGE = 1u << 4,   /* brings member rules of its own */
    T_PROGRAM = 1u << 5    /* native or byte code: active/executable where it is not listed */
};

enum type {
    TYPE_NONE = 0,
#define TYPE(sym, name, groups, flags) TYPE_##sym,
#include "base/types.def"
#undef TYPE
    TYPE_COUNT
};

/* Bit i is type i. All zero: the empty set. */
struct type_set {
    uint64_t bits[2];
};

bool type_set_has(const struct type_set *set, enum type type);
void type_set_add(struct type_set *set, enum type type);
bool type_set_empty(const struct type_set *set);
bool type_set_intersects(const struct type_set *a, const struct type_set *b);

/* The name as contracts write it; never NULL ("none" for TYPE_NONE or an unknown number). */
const char *type_name(enum type type);
/* Bits of enum type_flag / enum type_group; 0 for an unknown number. */
unsigned type_flags(enum type type);
unsigned type_groups(enum type type);
/* A listable type by its name; TYPE_NONE where there is none. */
enum type type_from_name(const char *name, size_t len);
/* Adds all members of a group ("passive", "images", "fonts", "web", "archives", "packages"); false: no such group. */
bool type_group_add(struct type_set *set, const char *name, size_t len);

/* How a claim was made. Order is strength: a later one is stronger evidence. */
enum evidence {
    EVIDENCE_EXTENSION = 1,
    EVIDENCE_TEXT = 2,      /* valid text of that form (encoding, JSON, XML well-formed); alone it is weak: any text that
                             * is permitted as text may also be that */
    EVIDENCE_HEAD = 3,      /* signature at the start */
    EVIDENCE_WINDOW = 4,    /* signature at a fixed or searched place */
    EVIDENCE_TAIL = 5,      /* signature at the end */
    EVIDENCE_STRUCTURE = 6, /* a walker accounted for the bytes */
    EVIDENCE_SECOND = 7,    /* the second reader (libmagic) */
    EVIDENCE_COUNT
};

/* Claims on one file: for each type, the bit set of evidence. All zero: no claim. */
struct claims {
    uint8_t of[TYPE_COUNT];
};

void claims_add(struct claims *claims, enum type type, enum evidence evidence);
bool claims_has(const struct claims *claims, enum type type);
/* Is there a claim whose evidence is stronger than its extension? */
bool claims_by_content(const struct claims *claims, enum type type);

/* The rule of SPEC 2 "Types": judges the claims of one file or member against what is admitted. Returns
 * FINDING_NONE when every claim is permitted, else TYPE_CONFLICT, TYPE_NOT_LISTED, TYPE_UNKNOWN, ACTIVE_EXECUTABLE,
 * ACTIVE_SCRIPT or another class code (office-legacy, rtf, shortcut, serialized, playlist, memory-dump), and *culprit
 * the type that failed. To learn of every claim that fails, add *culprit to a copy of `admitted` and ask again until
 * FINDING_NONE or TYPE_CONFLICT (which nothing admits): one accepted finding must never hide the next. Inside a
 * container an unknown passive part may be admitted by the package rule: the caller says so through `admitted`.
 * The one HTML claim is TYPE_HTML_STATIC. TYPE_PLAIN and TYPE_EMPTY are claimed by EVIDENCE_TEXT. Pure. */
enum finding_code type_judge(const struct claims *claims, const struct type_set *admitted, enum type *culprit);

/* HTML profile that a set of admitted types grants; HTML_NONE where it admits no HTML. */
enum html_profile { HTML_NONE = 0, HTML_PROFILE_STATIC, HTML_PROFILE_LOCAL, HTML_PROFILE_ANY };
enum html_profile type_html_profile(const struct type_set *admitted);

#endif
