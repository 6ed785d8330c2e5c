/* SPDX-License-Identifier: ISC */
#include "base/type.h"

#include <string.h>

struct type_row {
    const char *name;
    unsigned groups, flags;
};

static const struct type_row rows[TYPE_COUNT] = {
    [TYPE_NONE] = {"none", 0, 0},
#define TYPE(sym, name, groups, flags) [TYPE_##sym] = {name, groups, flags},
#include "base/types.def"
#undef TYPE
};

_Static_assert(TYPE_COUNT <= 128, "struct type_set holds 128 types");

static const struct type_row *row_of(enum type type)
{
    return (unsigned)type < TYPE_COUNT ? &rows[type] : &rows[TYPE_NONE];
}

bool type_set_has(const struct type_set *set, enum type type)
{
    return (unsigned)type < TYPE_COUNT && (set->bits[(unsigned)type / 64] >> ((unsigned)type % 64)) & 1;
}

void type_set_add(struct type_set *set, enum type type)
{
    if (type != TYPE_NONE && (unsigned)type < TYPE_COUNT)
        set->bits[(unsigned)type / 64] |= (uint64_t)1 << ((unsigned)type % 64);
}

bool type_set_empty(const struct type_set *set)
{
    return (set->bits[0] | set->bits[1]) == 0;
}

bool type_set_intersects(const struct type_set *a, const struct type_set *b)
{
    return ((a->bits[0] & b->bits[0]) | (a->bits[1] & b->bits[1])) != 0;
}

const char *type_name(enum type type)
{
    return row_of(type)->name;
}

unsigned type_flags(enum type type)
{
    return row_of(type)->flags;
}

unsigned type_groups(enum type type)
{
    return row_of(type)->groups;
}

enum type type_from_name(const char *name, size_t len)
{
    for (int i = TYPE_NONE + 1; i < TYPE_COUNT; i++)
        if ((rows[i].flags & T_LISTABLE) && strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return (enum type)i;
    return TYPE_NONE;
}

bool type_group_add(struct type_set *set, const char *name, size_t len)
{
    static const struct {
        const char *name;
        enum type_group group;
    } groups[] = {{"passive", G_PASSIVE}, {"images", G_IMAGES},     {"fonts", G_FONTS},
                  {"web", G_WEB},         {"archives", G_ARCHIVES}, {"packages", G_PACKAGES}};
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        if (strlen(groups[g].name) != len || memcmp(groups[g].name, name, len) != 0)
            continue;
        for (int i = TYPE_NONE + 1; i < TYPE_COUNT; i++)
            if (rows[i].groups & groups[g].group)
                type_set_add(set, (enum type)i);
        return true;
    }
    return false;
}

void claims_add(struct claims *claims, enum type type, enum evidence evidence)
{
    if (type != TYPE_NONE && (unsigned)type < TYPE_COUNT && (unsigned)evidence < EVIDENCE_COUNT)
        claims->of[type] = (uint8_t)(claims->of[type] | 1u << evidence);
}

bool claims_has(const struct claims *claims, enum type type)
{
    return (unsigned)type < TYPE_COUNT && claims->of[type] != 0;
}

bool claims_by_content(const struct claims *claims, enum type type)
{
    return (unsigned)type < TYPE_COUNT && (claims->of[type] & ~(1u << EVIDENCE_EXTENSION)) != 0;
}

enum html_profile type_html_profile(const struct type_set *admitted)
{
    if (type_set_has(admitted, TYPE_HTML_ANY))
        return HTML_PROFILE_ANY;
    if (type_set_has(admitted, TYPE_HTML_LOCAL))
        return HTML_PROFILE_LOCAL;
    if (type_set_has(admitted, TYPE_HTML_STATIC))
        return HTML_PROFILE_STATIC;
    return HTML_NONE;
}
