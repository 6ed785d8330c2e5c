/* SPDX-License-Identifier: ISC
 * Member names: where each would land, and whether two would land in one place. Names are kept in one block
 * of memory, whose size is bounded; collisions are judged once all are known, so the order of members does
 * not matter. */
#ifndef SALLYPORT_ARCHIVE_NAME_H
#define SALLYPORT_ARCHIVE_NAME_H

#include "inspect/archive.h"

enum name_kind { NAME_FILE = 0, NAME_DIRECTORY, NAME_LINK };

struct name_entry {
    size_t at;
    uint32_t len;
    uint8_t kind; /* enum name_kind */
};

struct names {
    char *text;
    size_t text_len, text_cap;
    struct name_entry *v;
    size_t n, cap;
    uint32_t *slots; /* names by their bytes, filled when first asked for: 0 or index + 1 */
    size_t slots_n, slotted;
};

void names_free(struct names *names);
/* Drops a leading "./" and a trailing '/'; "." and "" become the empty name: the root itself. */
void name_trim(const char **name, size_t *len);
/* Which names a container may hold: the contract's policy; in a package what its own systems take for safe;
 * in one for Unix alone (deb) also a backslash and names that differ in case. */
enum name_rules {
    NAMES_OF_CONTRACT = 0,
    NAMES_OF_PACKAGE,
    NAMES_OF_UNIX_PACKAGE,
    NAMES_OF_LIBRARY /* an ar with a symbol table: a linker finds members by symbol, their names repeat */
};

/* Would this trimmed name land where it says, inside? Says archive/path or name/auto-run on the member
 * otherwise. */
bool name_check(struct inspection *in, const char *name, size_t len, enum name_rules rules);
/* Keeps a trimmed name. False after a finding on `in` (the memory bound). */
bool names_add(struct names *names, struct inspection *in, const char *name, size_t len, enum name_kind kind);
const char *names_text(const struct names *names, size_t index, size_t *len);
/* Says duplicates and collisions among all names. */
void names_judge(const struct names *names, struct inspection *in, enum name_rules rules);
/* The same without folding, for a stream whose members are judged as files later: only what makes two members
 * one. */
void names_judge_exact(const struct names *names, struct inspection *in);
/* Is a file of exactly this name among those so far? Linear over all calls. False also where there is no memory. */
bool names_has_file(struct names *names, const char *name, size_t len);
/* Is a member of exactly this name there? */
bool names_has(const struct names *names, const char *name);

/* May a link of this name with this target be there (LINKS_INSIDE)? Lexical: the target stays inside and
 * climbs only at its start, so that it cannot leave through another link. */
bool name_symlink_inside(const char *name, size_t len, const char *target, size_t target_len);
/* The same for a link whose content is its target; where the contract admits no links none may. */
bool name_link_inside(const struct inspection *in, const char *name, size_t len, struct bytes *content);

#endif
