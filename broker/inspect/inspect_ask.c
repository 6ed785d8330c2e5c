/* SPDX-License-Identifier: ISC */
#include "inspect/inspect_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Extensions of containers that are not the type's own name. */
static const char *const container_extensions[] = {"gz",   "tgz", "bz2",  "tbz2", "txz", "zst", "tzst", "pkl",  "pickle",
                                                   "pt",   "pth", "a",    "cab",  "rar", "iso", "tlz",  "ipa",  "war",
                                                   "ear",  "xpi", "docm", "xlsm", "dotx", "doc", "xls", "ppt",  "joblib"};

/* What both readers list the members of: the zip and tar families. The most specific first. */
static const enum type listed_types[] = {TYPE_TAR_GZ, TYPE_TAR_BZ2, TYPE_TAR_XZ, TYPE_TAR_ZST, TYPE_TAR_LZ4, TYPE_TAR_LZMA, TYPE_TAR,
                                         TYPE_DOCX,   TYPE_XLSX,    TYPE_PPTX,   TYPE_ODT,     TYPE_ODS,     TYPE_EPUB,
                                         TYPE_NPZ,    TYPE_JAR,     TYPE_WHL,    TYPE_NUPKG,   TYPE_APK,     TYPE_ZIP};

static const char *extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

static bool container_extension(const char *path)
{
    char lower[16];
    const char *ext = extension(path);
    size_t n = strlen(ext);
    if (n == 0 || n >= sizeof(lower))
        return false;
    for (size_t i = 0; i <= n; i++)
        lower[i] = (char)(ext[i] >= 'A' && ext[i] <= 'Z' ? ext[i] + 32 : ext[i]);
    if (type_flags(type_from_name(lower, n)) & T_CONTAINER)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(container_extensions); i++)
        if (strcmp(container_extensions[i], lower) == 0)
            return true;
    return false;
}

static bool only_containers(const struct type_set *set)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (type_set_has(set, (enum type)t) && !(type_flags((enum type)t) & T_CONTAINER))
            return false;
    return !type_set_empty(set);
}

bool ask_alone(const struct task *task)
{
    return container_extension(task->path) || only_containers(&task->admitted);
}

uint64_t ask_work(const struct task *task)
{
    uint64_t unpacked = task->inside.ratio > 0 && task->size < UINT64_MAX / task->inside.ratio
                            ? task->size * task->inside.ratio
                            : UINT64_MAX;
    if (unpacked > task->inside.unpacked)
        unpacked = task->inside.unpacked;
    if (unpacked > WORK_MAX)
        unpacked = WORK_MAX;
    uint64_t size = task->size < WORK_MAX ? task->size : WORK_MAX;
    return size + (ask_alone(task) ? unpacked : 0);
}

static enum type listed_type(const struct claims *claims)
{
    for (size_t i = 0; i < ARRAY_LEN(listed_types); i++)
        if (claims_by_content(claims, listed_types[i]))
            return listed_types[i];
    return TYPE_NONE;
}

/* Nothing but "bytes that nothing claims". */
static bool unclaimed(const struct claims *claims)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (t != TYPE_BINARY && t != TYPE_ANY_BINARY && claims_has(claims, (enum type)t))
            return false;
    return true;
}

enum task_ask ask_of(const struct task *task, const struct claims *claims, bool listed, enum type *container)
{
    *container = listed ? listed_type(claims) : TYPE_NONE;
    if (listed)
        return ASK_LISTING;
    return unclaimed(claims) && type_set_has(&task->admitted, TYPE_ANY_BINARY) ? ASK_TYPE : ASK_ALL;
}

/* The member path goes with whatever the second reader said of an archive inside. */
static int place(struct finding *f, const struct wire_nested *nested)
{
    if (!nested || !nested->member || f->member)
        return 0;
    f->member = strdup(nested->member);
    return f->member ? 0 : -1;
}

static int ambiguous(struct finding_list *out, const struct wire_nested *nested, const char *message)
{
    struct finding f = {.code = FINDING_ARCHIVE_AMBIGUOUS, .level = finding_default_level(FINDING_ARCHIVE_AMBIGUOUS)};
    f.message = strdup(message);
    if (f.message && place(&f, nested) == 0)
        return finding_list_add(out, &f);
    free(f.message);
    return -1;
}

int ask_compare(const struct job_result *first, const struct wire_nested *nested, struct job_result *second,
                struct finding_list *out)
{
    char message[MESSAGE_BYTES];
    uint64_t count = nested ? nested->count : first->listing_count;
    const uint8_t *sha256 = nested ? nested->sha256 : first->listing;
    for (size_t i = 0; i < second->findings.n; i++)
        if (place(&second->findings.v[i], nested) != 0)
            return -1;
    if ((!nested && !first->listed) ||
        (second->listed && count == second->listing_count && sha256_equal(sha256, second->listing)))
        return 0;
    if (!second->listed)
        snprintf(message, sizeof(message), "the second reader cannot list the members");
    else if (count != second->listing_count)
        snprintf(message, sizeof(message), "one reader sees %llu members, the other %llu", (unsigned long long)count,
                 (unsigned long long)second->listing_count);
    else
        snprintf(message, sizeof(message), "two readers see members of different names, sizes or kinds");
    return ambiguous(out, nested, message);
}

void ask_unite(struct job_result *first, const struct job_result *second)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        first->claims.of[t] = (uint8_t)(first->claims.of[t] | second->claims.of[t]);
}

int ask_unlisted(const struct job_result *first, struct finding_list *out)
{
    if (first->listed || listed_type(&first->claims) == TYPE_NONE)
        return 0;
    for (size_t i = 0; i < first->findings.n; i++)
        if (first->findings.v[i].level == LEVEL_REFUSE && !finding_acceptable(first->findings.v[i].code))
            return 0;
    return finding_list_note(out, FINDING_INSPECT_INCOMPLETE, "no reader could list the members");
}

static int by_offset(const void *a, const void *b)
{
    const struct extent *x = *(const struct extent *const *)a, *y = *(const struct extent *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

bool ask_extents_apart(const struct extent_list *list)
{
    const struct extent **sorted = calloc(list->n + 1, sizeof(*sorted));
    if (!sorted)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].length > 0)
            sorted[n++] = &list->v[i];
    qsort(sorted, n, sizeof(*sorted), by_offset);
    bool apart = true;
    for (size_t i = 1; i < n; i++)
        apart = apart && sorted[i]->offset - sorted[i - 1]->offset >= sorted[i - 1]->length;
    free(sorted);
    return apart;
}
