/* SPDX-License-Identifier: ISC
 * The two tag files that stock BagIt tools read: nothing in them is free, so they are made again from the record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/limits.h"
#include "record/bag.h"
#include "record/verify_parts.h"

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static long long number_of(json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static void put_labels(struct buf *out, json_t *labels)
{
    size_t i;
    json_t *pair;
    json_array_foreach(labels, i, pair)
        bag_info_label(out, text_of(pair, "key"), text_of(pair, "value"));
}

static void write_info(struct buf *out, json_t *record)
{
    json_t *content = json_object_get(record, "content"), *run = json_object_get(record, "run");
    json_t *contract = json_object_get(content, "contract"), *totals = json_object_get(content, "totals");
    bool refused = strcmp(text_of(content, "decision"), "refuse") == 0;
    char day[11], agent[80], oxum[64];
    snprintf(day, sizeof(day), "%s", text_of(run, "started"));
    snprintf(agent, sizeof(agent), "sallyport %s", text_of(run, "version"));
    snprintf(oxum, sizeof(oxum), "%lld.%lld", refused ? 0 : number_of(totals, "bytes_promoted"),
             refused ? 0 : number_of(totals, "promoted"));
    bag_info_line(out, "Bagging-Date", day);
    bag_info_line(out, "Bag-Software-Agent", agent);
    bag_info_line(out, "Contact-Email", text_of(contract, "owner"));
    bag_info_line(out, "External-Description", text_of(contract, "purpose"));
    bag_info_line(out, "External-Identifier", text_of(run, "id"));
    bag_info_line(out, "Internal-Sender-Description", text_of(contract, "name"));
    bag_info_line(out, "Payload-Oxum", oxum);
    put_labels(out, json_object_get(contract, "labels"));
    put_labels(out, json_object_get(run, "labels"));
}

static void compare(struct verify *v, const char *path, const struct buf *want, const char *sentence)
{
    uint8_t *data = NULL;
    size_t len = 0;
    if (verify_read(v, path, &data, &len) == 0 && (want->failed || len != want->len || memcmp(data, want->data, len) != 0))
        verify_differs(v, "list", false, path, sentence);
    free(data);
}

void verify_info(struct verify *v, json_t *record)
{
    struct buf want;
    buf_init(&want, MIB);
    write_info(&want, record);
    compare(v, "bag-info.txt", &want, "a line (Payload-Oxum, or another) is not what the record says");
    buf_reset(&want);
    bag_declaration(&want);
    compare(v, "bagit.txt", &want, "the declaration is not that of BagIt 1.0 in UTF-8");
    buf_free(&want);
}
