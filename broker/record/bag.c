/* SPDX-License-Identifier: ISC */
#include "record/bag.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int bag_list_add(struct bag_list *list, const char *path, const struct digest *digest)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct bag_file *grown = realloc(list->v, cap * sizeof(*grown));
        if (!grown)
            return -1;
        list->v = grown;
        list->cap = cap;
    }
    struct bag_file *file = &list->v[list->n];
    file->path = strdup(path);
    if (!file->path)
        return -1;
    memcpy(file->sha256, digest->sha256, SHA256_SIZE);
    memcpy(file->xxh128, digest->xxh128, XXH128_SIZE);
    file->bytes = digest->bytes;
    list->n++;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct bag_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

void bag_list_sort(struct bag_list *list)
{
    if (list->n > 1)
        qsort(list->v, list->n, sizeof(*list->v), by_path);
}

void bag_list_free(struct bag_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i].path);
    free(list->v);
    *list = (struct bag_list){0};
}

void bag_declaration(struct buf *out)
{
    buf_text(out, "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
}

/* A value must stay on its line: the contract's words may hold line breaks. */
static void info_value(struct buf *out, const char *value)
{
    for (; *value; value++)
        buf_u8(out, *value == '\n' || *value == '\r' ? ' ' : (uint8_t)*value);
}

void bag_info_line(struct buf *out, const char *label, const char *value)
{
    if (!value || !*value)
        return;
    buf_printf(out, "%s: ", label);
    info_value(out, value);
    buf_u8(out, '\n');
}

void bag_info_label(struct buf *out, const char *key, const char *value)
{
    buf_text(out, "Sallyport-Label: ");
    info_value(out, key);
    buf_u8(out, '=');
    info_value(out, value);
    buf_u8(out, '\n');
}

static void info_labels(struct buf *out, const struct pair_list *labels)
{
    for (size_t i = 0; labels && i < labels->n; i++)
        bag_info_label(out, labels->v[i].key, labels->v[i].value);
}

void bag_info(struct buf *out, const struct contract *contract, const char *id, int64_t date, uint64_t bytes,
              uint64_t files, const struct pair_list *labels)
{
    char day[16] = "";
    struct tm tm;
    time_t t = (time_t)date;
    if (gmtime_r(&t, &tm))
        strftime(day, sizeof(day), "%Y-%m-%d", &tm);
    bag_info_line(out, "Bagging-Date", day);
    bag_info_line(out, "Bag-Software-Agent", "sallyport " PACKAGE_VERSION);
    bag_info_line(out, "Contact-Email", contract->owner);
    bag_info_line(out, "External-Description", contract->purpose);
    bag_info_line(out, "External-Identifier", id);
    bag_info_line(out, "Internal-Sender-Description", contract->name);
    buf_printf(out, "Payload-Oxum: %llu.%llu\n", (unsigned long long)bytes, (unsigned long long)files);
    info_labels(out, &contract->labels);
    info_labels(out, labels);
}

/* coreutils escapes LF, CR and backslash with a leading backslash on the line; names: posix admits a backslash. */
static void list_name(struct buf *out, const char *path)
{
    for (; *path; path++) {
        if (*path == '\\')
            buf_text(out, "\\\\");
        else
            buf_u8(out, (uint8_t)*path);
    }
}

void bag_manifest_sha256(struct buf *out, const struct bag_list *list)
{
    char hex[SHA256_HEX];
    for (size_t i = 0; i < list->n; i++) {
        hex_encode(list->v[i].sha256, SHA256_SIZE, hex);
        buf_printf(out, "%s%s  ", strchr(list->v[i].path, '\\') ? "\\" : "", hex);
        list_name(out, list->v[i].path);
        buf_u8(out, '\n');
    }
}

void bag_manifest_xxh128(struct buf *out, const struct bag_list *list)
{
    char hex[XXH128_HEX];
    for (size_t i = 0; i < list->n; i++) {
        hex_encode(list->v[i].xxh128, XXH128_SIZE, hex);
        buf_printf(out, "XXH128 (%s) = %s\n", list->v[i].path, hex);
    }
}
