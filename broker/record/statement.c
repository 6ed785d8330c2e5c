/* SPDX-License-Identifier: ISC */
#include "record/statement.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/jsonw.h"
#include "record/record_entry.h"

bool statement_subject_tag(const char *path)
{
    static const char *const tags[] = {"manifest-sha256.txt", "sallyport/record.json", "tagmanifest-sha256.txt"};
    for (size_t i = 0; i < ARRAY_LEN(tags); i++)
        if (strcmp(path, tags[i]) == 0)
            return true;
    return false;
}

static void put_sha256(struct jsonw *j, const char *hex)
{
    jsonw_key(j, "digest");
    jsonw_object(j);
    jsonw_put_text(j, "sha256", hex);
    jsonw_object_end(j);
}

/* Labels keep their order and may repeat a key, so they are pairs and no object. */
static void put_labels(struct jsonw *j, json_t *labels)
{
    size_t i;
    json_t *pair;
    json_array_foreach(labels, i, pair)
    {
        jsonw_object(j);
        jsonw_put_text(j, "key", json_string_value(json_object_get(pair, "key")));
        jsonw_put_text(j, "value", json_string_value(json_object_get(pair, "value")));
        jsonw_object_end(j);
    }
}

/* The policy that was held to: the contract, as a resource descriptor. */
static void put_verifier(struct jsonw *j, json_t *root)
{
    json_t *contract = json_object_get(json_object_get(root, "content"), "contract");
    json_t *run = json_object_get(root, "run");
    struct buf id;
    buf_init(&id, 256);
    buf_printf(&id, "pkg:generic/sallyport@%s", json_string_value(json_object_get(run, "version")));
    jsonw_key(j, "verifier");
    jsonw_object(j);
    jsonw_key(j, "id");
    jsonw_text_n(j, (const char *)id.data, id.len);
    jsonw_key(j, "policies");
    jsonw_array(j);
    jsonw_object(j);
    jsonw_key(j, "annotations");
    jsonw_object(j);
    jsonw_key(j, "labels");
    jsonw_array(j);
    put_labels(j, json_object_get(contract, "labels"));
    put_labels(j, json_object_get(run, "labels"));
    jsonw_array_end(j);
    jsonw_object_end(j);
    put_sha256(j, json_string_value(json_object_get(contract, "sha256")));
    jsonw_put_text(j, "name", json_string_value(json_object_get(contract, "name")));
    jsonw_object_end(j);
    jsonw_array_end(j);
    jsonw_object_end(j);
    if (id.failed)
        j->out->failed = true;
    buf_free(&id);
}

static bool controls_hold(json_t *controls)
{
    size_t i, enforced = 0;
    json_t *control;
    json_array_foreach(controls, i, control)
    {
        const char *state = json_string_value(json_object_get(control, "state"));
        const char *name = json_string_value(json_object_get(control, "name"));
        if (name && strncmp(name, "inspect-", strlen("inspect-")) == 0)
            continue; /* of the inspectors, not of the job's sandbox */
        bool asked = !state || strcmp(state, "not-asked") != 0;
        bool holds = state && (strcmp(state, "enforced") == 0 || strcmp(state, "proven") == 0);
        if (asked && !holds)
            return false;
        enforced += holds;
    }
    return enforced > 0;
}

/* Only what holds is listed: a property that is not there is unknown or false. */
static void put_properties(struct jsonw *j, json_t *root)
{
    const char *decision = json_string_value(json_object_get(json_object_get(root, "content"), "decision"));
    bool promote = decision && strcmp(decision, "promote") == 0;
    bool partial = decision && strcmp(decision, "partial") == 0;
    jsonw_key(j, "properties");
    jsonw_array(j);
    if (promote)
        jsonw_text(j, "SALLYPORT_CONTRACT_MET");
    if (promote || partial)
        jsonw_text(j, "SALLYPORT_SUBJECTS_INSPECTED");
    if (controls_hold(json_object_get(json_object_get(root, "run"), "controls")))
        jsonw_text(j, "SALLYPORT_SANDBOX_CONTROLS_ENFORCED");
    jsonw_array_end(j);
}

static void put_subjects(struct jsonw *j, const struct bag_list *list)
{
    char hex[SHA256_HEX];
    jsonw_key(j, "subject");
    jsonw_array(j);
    for (size_t i = 0; i < list->n; i++) {
        jsonw_object(j);
        hex_encode(list->v[i].sha256, SHA256_SIZE, hex);
        put_sha256(j, hex);
        jsonw_put_text(j, "name", list->v[i].path);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

void statement_write(struct buf *out, const struct statement *statement)
{
    struct jsonw j;
    json_t *root = json_loadb(statement->record, statement->record_len, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        out->failed = true;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "_type", STATEMENT_TYPE);
    jsonw_key(&j, "predicate");
    jsonw_object(&j);
    put_properties(&j, root);
    record_time(&j, "timeCreated", statement->time);
    put_verifier(&j, root);
    jsonw_object_end(&j);
    jsonw_put_text(&j, "predicateType", STATEMENT_PREDICATE);
    put_subjects(&j, statement->subjects);
    jsonw_object_end(&j);
    json_decref(root);
}

static bool read_subjects(json_t *list, struct bag_list *out)
{
    size_t i;
    json_t *subject;
    json_array_foreach(list, i, subject)
    {
        struct digest digest = {0};
        const char *name = json_string_value(json_object_get(subject, "name"));
        const char *hex = json_string_value(json_object_get(json_object_get(subject, "digest"), "sha256"));
        if (!name || !hex || !hex_decode(hex, digest.sha256, SHA256_SIZE) || bag_list_add(out, name, &digest) != 0)
            return false;
    }
    return true;
}

bool statement_parse(const char *text, size_t len, struct statement_read *out)
{
    *out = (struct statement_read){0};
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(root, "_type"));
    const char *predicate = json_string_value(json_object_get(root, "predicateType"));
    bool good = type && strcmp(type, STATEMENT_TYPE) == 0 && predicate && strlen(predicate) < sizeof(out->predicate) &&
                json_is_array(json_object_get(root, "subject")) && read_subjects(json_object_get(root, "subject"), &out->subjects);
    if (good)
        memcpy(out->predicate, predicate, strlen(predicate) + 1);
    json_decref(root);
    if (!good)
        statement_read_free(out);
    return good;
}

void statement_read_free(struct statement_read *read)
{
    bag_list_free(&read->subjects);
}
