/* SPDX-License-Identifier: ISC
 * A finding: what an inspector or a stage saw. Codes, levels and sentences come from findings.def. A finding never
 * carries a secret's value, a part of it or its surroundings; hostile bytes in `member` are kept raw here and are
 * escaped by whoever writes them out. */
#ifndef SALLYPORT_FINDING_H
#define SALLYPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum finding_code {
    FINDING_NONE = 0,
#define FINDING(sym, group, slug, level, accept, sentence, fix) FINDING_##sym,
#include "base/findings.def"
#undef FINDING
    FINDING_COUNT
};

/* Zero is the strictest: forgotten memory refuses. */
enum finding_level { LEVEL_REFUSE = 0, LEVEL_WARN, LEVEL_NOTE };

enum finding_group {
    GROUP_NONE = 0,
    GROUP_file,
    GROUP_name,
    GROUP_type,
    GROUP_archive,
    GROUP_active,
    GROUP_secret,
    GROUP_contract,
    GROUP_inspect
};

enum { RULE_ID_MAX = 63 };

struct finding {
    enum finding_code code;
    enum finding_level level;
    bool accepted;               /* set by decide alone */
    bool has_offset;             /* byte offset into the file or member */
    bool has_line;               /* 1-based line */
    uint64_t offset;
    uint64_t length;             /* bytes concerned; 0: not said */
    uint32_t line;
    char rule[RULE_ID_MAX + 1];  /* secret/RULE: the rule's id; else "" */
    char *member;                /* owned; member path "a.zip!b.txt" below the file; NULL: the file itself */
    char *message;               /* owned; one sentence of our own; NULL: the code's sentence */
};

struct finding_list {
    struct finding *v;
    size_t n, cap;
};

/* Appends and takes ownership of member and message (also on failure). 0, or -1 with errno ENOMEM or E2BIG (more than
 * FINDINGS_MAX and the broker's reserve). */
int finding_list_add(struct finding_list *list, struct finding *take) MUST_CHECK;
/* Appends a finding of the code's default level with a copy of message (may be NULL). */
int finding_list_note(struct finding_list *list, enum finding_code code, const char *message) MUST_CHECK;
/* Moves all findings of `from` to the end of `to`. */
int finding_list_move(struct finding_list *to, struct finding_list *from) MUST_CHECK;
void finding_list_free(struct finding_list *list);

/* "file/missing"; for FINDING_SECRET "secret/RULE". Writes at most size bytes, always terminated. */
void finding_name(const struct finding *finding, char *out, size_t size);
/* The fixed name of a code ("secret/" for FINDING_SECRET); never NULL. */
const char *finding_code_name(enum finding_code code);
const char *finding_sentence(enum finding_code code);
const char *finding_fix(enum finding_code code);
enum finding_level finding_default_level(enum finding_code code);
enum finding_group finding_group(enum finding_code code);
const char *finding_group_name(enum finding_group group);
const char *finding_level_name(enum finding_level level);
bool finding_acceptable(enum finding_code code);
/* By name: "file/missing", or "secret/some-rule" (then *rule points behind the slash). FINDING_NONE: no such code. */
enum finding_code finding_from_name(const char *name, const char **rule);

#endif
