/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static struct contract contract = {.name = (char[]){"n"}, .text_len = 3};
static struct output output = {.index = 4};
static const bool no_accepts[1];

static struct record base_record(const struct item_list *items, const struct finding_list *whole)
{
    return (struct record){.contract = &contract, .items = items, .whole = whole, .decision = "promote",
                           .accept_used = no_accepts, .source_kind = "directory", .source_text = "s", .id = "id",
                           .tool_version = "1", .operator_name = "o", .host = "h", .started = 1790000000,
                           .finished = 1790000001, .elapsed_ms = 5, .stability = "leased", .destination_grade = "ext4"};
}

static char *written(const struct record *record, uint8_t digest[SHA256_SIZE])
{
    struct buf out;
    buf_init(&out, 1 << 20);
    cr_assert_eq(record_write(record, &out, digest), 0);
    char *text = buf_take_text(&out);
    cr_assert_not_null(text);
    return text;
}

static struct item *add(struct item_list *items, const char *path, bool copied)
{
    struct item *item = item_list_add(items, strdup(path));
    cr_assert_not_null(item);
    item->output = &output;
    item->copied = copied;
    memset(item->digest.sha256, 0xAA, SHA256_SIZE);
    memset(item->digest.xxh128, 0xBB, XXH128_SIZE);
    return item;
}

static void promote(struct item *item, uint64_t bytes)
{
    item->digest.bytes = bytes;
    item->verdict = (struct verdict){OUTCOME_PROMOTE, REASON_CLEAN};
}

#define AA8 "aaaaaaaa"
#define AA64 AA8 AA8 AA8 AA8 AA8 AA8 AA8 AA8

Test(record, content_and_its_digest)
{
    struct item_list items = {0};
    struct finding_list whole = {0};
    uint8_t digest[SHA256_SIZE], again[SHA256_SIZE];
    promote(add(&items, "a", true), 7);
    struct record record = base_record(&items, &whole);
    char *text = written(&record, digest);
    char *content = strstr(text, "{\"content\":") + strlen("{\"content\":"), *end = strstr(text, ",\"content_sha256\":");
    sha256_bytes(content, (size_t)(end - content), again);
    cr_assert(sha256_equal(digest, again));
    cr_assert_not_null(strstr(text, "\"bytes_promoted\":7"));
    cr_assert_not_null(strstr(text, "\"started\":\"2026-09-21T14:13:20Z\""));
    cr_assert_eq(text[strlen(text) - 1], '\n');
    record.id = "other";
    record.elapsed_ms = 99;
    record.host = "elsewhere";
    char *other = written(&record, again);
    cr_assert(sha256_equal(digest, again), "content does not depend on the run");
    free(text);
    free(other);
    item_list_free(&items);
}

Test(record, a_name_that_is_no_text)
{
    struct item_list items = {0};
    struct finding_list whole = {0};
    uint8_t digest[SHA256_SIZE];
    promote(add(&items, "a\xff\\b", true), 1);
    struct record record = base_record(&items, &whole);
    char *text = written(&record, digest);
    cr_assert_not_null(strstr(text, "\"path\":\"a\\\\xFF\\\\\\\\b\",\"path_escaped\":true"), "%s", text);
    free(text);
    item_list_free(&items);
}

/* The digest of a small file could be guessed back to the secret in it. */
Test(record, a_small_file_with_a_secret_has_no_digest)
{
    struct item_list items = {0};
    struct finding_list whole = {0};
    uint8_t digest[SHA256_SIZE];
    struct finding hit = {.code = FINDING_SECRET, .rule = "some-rule"};
    struct item *small = add(&items, "small", true);
    small->digest.bytes = 4096;
    cr_assert_eq(finding_list_add(&small->findings, &hit), 0);
    struct record record = base_record(&items, &whole);
    record.decision = "refuse";
    char *text = written(&record, digest);
    cr_assert_not_null(strstr(text, "digest_omitted"));
    cr_assert_null(strstr(text, AA64));
    free(text);
    items.v[0].digest.bytes = 4097;
    text = written(&record, digest);
    cr_assert_not_null(strstr(text, AA64));
    free(text);
    item_list_free(&items);
}

static bool scored(const char *text, const char *name, const char *state)
{
    char want[256];
    snprintf(want, sizeof(want), "\"name\":\"%s\",\"state\":\"%s\"", name, state);
    return strstr(text, want) != NULL;
}

Test(record, unknown_is_never_a_pass)
{
    struct item_list items = {0};
    struct finding_list whole = {0};
    uint8_t digest[SHA256_SIZE];
    struct control_line controls[] = {{"network", "proven", ""}, {"memory", "unenforced", ""}};
    struct record record = base_record(&items, &whole);
    char *text = written(&record, digest);
    cr_assert(scored(text, "every file was inspected to the end", "unknown"));
    cr_assert(scored(text, "no credential was found", "unknown"));
    cr_assert(scored(text, "the job's sandbox was enforced", "unknown"));
    cr_assert(scored(text, "the inspectors were confined", "unknown"));
    cr_assert(scored(text, "somebody answers for it", "unknown"));
    free(text);
    record.controls = controls;
    record.controls_n = 1;
    record.stability = "stat-only";
    text = written(&record, digest);
    cr_assert(scored(text, "the job's sandbox was enforced", "pass"));
    cr_assert(scored(text, "the source could not change while it was read", "unknown"));
    free(text);
    record.controls_n = 2;
    text = written(&record, digest);
    cr_assert(scored(text, "the job's sandbox was enforced", "fail"));
    free(text);
}
