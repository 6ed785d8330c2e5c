/* SPDX-License-Identifier: ISC
 * Member names of all containers. Worker child; names are hostile bytes and never part of a message. */
#include "inspect/archive_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

void names_free(struct names *names)
{
    free(names->text);
    free(names->v);
    free(names->slots);
    *names = (struct names){0};
}

void name_trim(const char **name, size_t *len)
{
    if (*len >= 2 && (*name)[0] == '.' && (*name)[1] == '/') {
        *name += 2;
        *len -= 2;
    }
    if (*len > 1 && (*name)[*len - 1] == '/')
        (*len)--;
    if (*len == 1 && (*name)[0] == '.')
        *len = 0;
}

bool name_check(struct inspection *in, const char *name, size_t len, enum name_rules rules)
{
    struct archive_view view;
    enum names_policy policy = rules == NAMES_OF_CONTRACT ? in->task->names : NAMES_POSIX;
    enum path_fault fault = path_check(name, len, policy);
    const char *text = path_fault_text(fault);
    if (fault == PATH_OK && rules != NAMES_OF_UNIX_PACKAGE && len > 0 && memchr(name, '\\', len)) {
        fault = PATH_PORTABLE;
        text = "has a backslash, which another system takes for a separator";
    }
    if (fault == PATH_OK && !path_auto_run(name, len, true))
        return true;
    archive_view_init(&view, in, name, len);
    if (fault != PATH_OK)
        archive_find(&view.in, FINDING_ARCHIVE_PATH, 0, "the member's name %s", text);
    else
        inspect_find(&view.in, FINDING_NAME_AUTO_RUN, NULL);
    return false;
}

static bool names_room(struct names *names, size_t len)
{
    if (names->text_len + len > names->text_cap) {
        size_t cap = 2 * names->text_cap + len + 4096;
        char *text = cap <= 2 * ARCHIVE_NAMES_BYTES ? realloc(names->text, cap) : NULL;
        if (!text)
            return false;
        names->text = text;
        names->text_cap = cap;
    }
    if (names->n == names->cap) {
        size_t cap = 2 * names->cap + 64;
        struct name_entry *v = realloc(names->v, cap * sizeof(*v));
        if (!v)
            return false;
        names->v = v;
        names->cap = cap;
    }
    return true;
}

bool names_add(struct names *names, struct inspection *in, const char *name, size_t len, enum name_kind kind)
{
    if (len > UINT32_MAX || names->text_len + len > ARCHIVE_NAMES_BYTES || !names_room(names, len)) {
        archive_find(in, FINDING_INSPECT_LIMIT, 0,
                     "the members' names together take more than %" PRIu64 " bytes", ARCHIVE_NAMES_BYTES);
        return false;
    }
    if (len > 0)
        memcpy(names->text + names->text_len, name, len);
    names->v[names->n++] = (struct name_entry){names->text_len, (uint32_t)len, (uint8_t)kind};
    names->text_len += len;
    return true;
}

const char *names_text(const struct names *names, size_t index, size_t *len)
{
    *len = names->v[index].len;
    return names->text + names->v[index].at;
}

bool names_has(const struct names *names, const char *name)
{
    size_t want = strlen(name);
    for (size_t i = 0; i < names->n; i++)
        if (names->v[i].len == want && memcmp(names->text + names->v[i].at, name, want) == 0)
            return true;
    return false;
}

/* Mixed with an address that nobody outside knows, so that no list of names can be made to fall into one slot. */
static size_t slot_of(const struct names *names, const char *name, size_t len)
{
    uint64_t h = (uint64_t)(uintptr_t)names->slots * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)name[i]) * 0x100000001b3u ^ h >> 29;
    return (size_t)(h ^ h >> 32) & (names->slots_n - 1);
}

/* The slot of the file with this name, or the free one where it would go. */
static size_t slot_find(const struct names *names, const char *name, size_t len)
{
    size_t at = slot_of(names, name, len);
    for (; names->slots[at]; at = (at + 1) & (names->slots_n - 1)) {
        const struct name_entry *e = &names->v[names->slots[at] - 1];
        if (e->len == len && memcmp(names->text + e->at, name, len) == 0)
            break;
    }
    return at;
}

static bool slots_grow(struct names *names)
{
    size_t n = names->slots_n ? names->slots_n : 256;
    while (n < 2 * names->n)
        n *= 2;
    if (n == names->slots_n)
        return true;
    free(names->slots);
    names->slots = calloc(n, sizeof(*names->slots));
    names->slots_n = names->slots ? n : 0;
    names->slotted = 0;
    return names->slots != NULL;
}

bool names_has_file(struct names *names, const char *name, size_t len)
{
    if (!slots_grow(names))
        return false;
    for (; names->slotted < names->n; names->slotted++) {
        const struct name_entry *e = &names->v[names->slotted];
        if (e->kind == NAME_FILE)
            names->slots[slot_find(names, names->text + e->at, e->len)] = (uint32_t)names->slotted + 1;
    }
    return names->slots[slot_find(names, name, len)] != 0;
}

struct sorted {
    const char *text;
    uint32_t len;
    uint8_t kind;
};

static int by_name(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void say_duplicate(struct inspection *in, const struct sorted *a, const struct sorted *b,
                          enum name_rules rules)
{
    struct archive_view view;
    archive_view_init(&view, in, a->text, a->len);
    if (a->kind == NAME_DIRECTORY && b->kind == NAME_DIRECTORY)
        inspect_find_at(&view.in, FINDING_ARCHIVE_DUPLICATE, LEVEL_NOTE, 0, 0,
                        "the same directory is listed twice");
    else
        inspect_find_at(&view.in, FINDING_ARCHIVE_DUPLICATE,
                        rules == NAMES_OF_LIBRARY ? LEVEL_NOTE : LEVEL_REFUSE, 0, 0, NULL);
}

/* All names in byte order; NULL after a finding. */
static struct sorted *sort(const struct names *names, struct inspection *in)
{
    struct sorted *v = calloc(names->n ? names->n : 1, sizeof(*v));
    if (!v) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory to compare the members' names");
        return NULL;
    }
    for (size_t i = 0; i < names->n; i++)
        v[i] = (struct sorted){names->text + names->v[i].at, names->v[i].len, names->v[i].kind};
    if (names->n > 1)
        qsort(v, names->n, sizeof(*v), by_name);
    return v;
}

/* Is a parent directory of this name a member that is no directory? */
static bool below_a_file(const struct sorted *v, size_t n, const struct sorted *name)
{
    for (uint32_t i = 0; i < name->len; i++) {
        struct sorted parent = {name->text, i, 0};
        if (name->text[i] != '/')
            continue;
        const struct sorted *found = bsearch(&parent, v, n, sizeof(*v), by_name);
        if (found && found->kind != NAME_DIRECTORY)
            return true;
    }
    return false;
}

/* One name after all those that sort before it. False: stop. */
static bool judge_one(struct path_set *set, struct inspection *in, const struct sorted *name, size_t index,
                      bool folding_is_note)
{
    struct archive_view view;
    size_t other;
    errno = 0;
    int rc = path_set_add(set, name->text, name->len, name->kind == NAME_DIRECTORY, index, &other);
    if (rc == 0 || (rc < 0 && errno == EILSEQ)) /* not UTF-8: name_check said so */
        return true;
    archive_view_init(&view, in, name->text, name->len);
    if (rc > 0 && folding_is_note)
        inspect_find_at(&view.in, FINDING_ARCHIVE_COLLISION, LEVEL_NOTE, 0, 0, NULL);
    else if (rc > 0)
        inspect_find(&view.in, FINDING_ARCHIVE_COLLISION, NULL);
    else
        inspect_find(&view.in, FINDING_INSPECT_LIMIT, "no memory to compare the members' names");
    return rc > 0;
}

void names_judge(const struct names *names, struct inspection *in, enum name_rules rules)
{
    struct sorted *v = sort(names, in);
    struct path_set *set = path_set_new();
    if (v && !set)
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory to compare the members' names");
    for (size_t i = 0; v && set && i < names->n; i++) {
        if (v[i].len == 0 || !inspect_wants_more(in))
            continue;
        if (i > 0 && by_name(&v[i - 1], &v[i]) == 0)
            say_duplicate(in, &v[i - 1], &v[i], rules);
        else if (!judge_one(set, in, &v[i], i,
                            rules >= NAMES_OF_UNIX_PACKAGE && !below_a_file(v, names->n, &v[i])))
            break;
    }
    path_set_free(&set);
    free(v);
}

void names_judge_exact(const struct names *names, struct inspection *in)
{
    struct sorted *v = sort(names, in);
    for (size_t i = 0; v && i < names->n; i++) {
        if (v[i].len == 0 || !inspect_wants_more(in))
            continue;
        if (i > 0 && by_name(&v[i - 1], &v[i]) == 0)
            say_duplicate(in, &v[i - 1], &v[i], NAMES_OF_CONTRACT);
        else if (below_a_file(v, names->n, &v[i])) {
            struct archive_view view;
            archive_view_init(&view, in, v[i].text, v[i].len);
            inspect_find(&view.in, FINDING_ARCHIVE_COLLISION,
                         "the member lies below another that is no directory");
        }
    }
    free(v);
}

bool name_symlink_inside(const char *name, size_t len, const char *target, size_t target_len)
{
    size_t depth = 0, climbed = 0, at = 0;
    bool named = false;
    for (size_t i = 0; i < len; i++)
        depth += name[i] == '/';
    if (target_len == 0 || target[0] == '/' || memchr(target, 0, target_len) ||
        memchr(target, '\\', target_len))
        return false;
    while (at < target_len) {
        const char *slash = memchr(target + at, '/', target_len - at);
        size_t n = slash ? (size_t)(slash - (target + at)) : target_len - at;
        bool up = n == 2 && target[at] == '.' && target[at + 1] == '.';
        bool here = n == 0 || (n == 1 && target[at] == '.');
        if (up && (named || ++climbed > depth))
            return false;
        named = named || !(up || here);
        at += n + 1;
    }
    return true;
}

bool name_link_inside(const struct inspection *in, const char *name, size_t len, struct bytes *content)
{
    char target[PATH_BYTES];
    size_t n = content->size < sizeof(target) ? (size_t)content->size : 0;
    return in->inside.links == LINKS_INSIDE && bytes_copy(content, 0, target, n) &&
           name_symlink_inside(name, len, target, n);
}
