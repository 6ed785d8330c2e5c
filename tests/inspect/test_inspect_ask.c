/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "inspect/inspect_ask.h"

static void set_task(struct task *task, const char *path, const char *type)
{
    *task = (struct task){.size = MIB, .inside = {.unpacked = 100 * MIB, .ratio = 200}};
    snprintf(task->path, sizeof(task->path), "%s", path);
    if (!type_group_add(&task->admitted, type, strlen(type)))
        type_set_add(&task->admitted, type_from_name(type, strlen(type)));
}

Test(inspect_ask, containers_get_a_child_to_themselves)
{
    static const struct {
        const char *path, *admitted;
        bool alone;
    } rows[] = {{"a.txt", "passive", false}, {"a.zip", "passive", true},   {"dir.zip/a", "passive", false},
                {"A.PDF", "passive", true},  {"a.tar.gz", "any-binary", true}, {"a.pkl", "any-binary", true},
                {"noext", "archives", true}, {"noext", "text", false},     {".zip", "text", true}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct task task;
        set_task(&task, rows[i].path, rows[i].admitted);
        cr_expect_eq(ask_alone(&task), rows[i].alone, "%s", rows[i].path);
    }
}

Test(inspect_ask, the_deadline_allows_for_what_a_container_may_unpack_to)
{
    struct task task;
    set_task(&task, "a.txt", "text");
    cr_assert_eq(ask_work(&task), MIB);
    set_task(&task, "a.zip", "zip");
    cr_assert_eq(ask_work(&task), 101 * MIB);
    task.inside.ratio = 10;
    cr_assert_eq(ask_work(&task), 11 * MIB);
    task.size = task.inside.unpacked = task.inside.ratio = UINT64_MAX;
    cr_assert_eq(ask_work(&task), 2 * WORK_MAX);
}

Test(inspect_ask, the_second_reader_is_asked_for_lists_and_for_what_nothing_claims)
{
    struct task task;
    struct claims claims = {{0}};
    enum type container = TYPE_NONE;
    set_task(&task, "a.bin", "any-binary");
    claims_add(&claims, TYPE_BINARY, EVIDENCE_HEAD);
    cr_assert_eq(ask_of(&task, &claims, false, &container), ASK_TYPE);
    set_task(&task, "a.bin", "png");
    cr_assert_eq(ask_of(&task, &claims, false, &container), ASK_ALL);
    set_task(&task, "a.bin", "any-binary");
    claims_add(&claims, TYPE_ELF, EVIDENCE_HEAD);
    cr_assert_eq(ask_of(&task, &claims, false, &container), ASK_ALL);
    claims = (struct claims){{0}};
    claims_add(&claims, TYPE_GZIP, EVIDENCE_HEAD);
    claims_add(&claims, TYPE_TAR_GZ, EVIDENCE_STRUCTURE);
    cr_assert_eq(ask_of(&task, &claims, true, &container), ASK_LISTING);
    cr_assert_eq(container, TYPE_TAR_GZ);
}

static struct job_result listed(uint64_t count, uint8_t first)
{
    return (struct job_result){.listed = true, .listing = {first}, .listing_count = count};
}

Test(inspect_ask, two_lists_must_be_the_same)
{
    struct finding_list out = {0};
    struct job_result a = listed(3, 1), same = listed(3, 1), count = listed(4, 1), digest = listed(3, 2), none = {0};
    cr_assert_eq(ask_compare(&a, NULL, &same, &out), 0);
    cr_assert_eq(out.n, 0u);
    cr_assert_eq(ask_compare(&a, NULL, &count, &out), 0);
    cr_assert_eq(ask_compare(&a, NULL, &digest, &out), 0);
    cr_assert_eq(ask_compare(&a, NULL, &none, &out), 0);
    cr_assert_eq(out.n, 3u);
    for (size_t i = 0; i < out.n; i++)
        cr_assert_eq(out.v[i].code, FINDING_ARCHIVE_AMBIGUOUS);
    cr_assert_str_eq(out.v[0].message, "one reader sees 3 members, the other 4");
    finding_list_free(&out);
}

Test(inspect_ask, an_archive_inside_is_compared_by_itself)
{
    struct finding_list out = {0};
    char member[] = "b.zip";
    struct wire_nested nested = {.container = TYPE_ZIP, .sha256 = {7}, .count = 2, .member = member};
    struct job_result file = listed(3, 1), same = listed(2, 7), other = listed(3, 1), said = {0};
    cr_assert_eq(ask_compare(&file, &nested, &same, &out), 0);
    cr_assert_eq(out.n, 0u);
    cr_assert_eq(ask_compare(&file, &nested, &other, &out), 0);
    cr_assert_eq(out.n, 1u);
    cr_assert_str_eq(out.v[0].member, "b.zip");
    cr_assert_eq(finding_list_note(&said.findings, FINDING_ARCHIVE_AMBIGUOUS, NULL), 0);
    cr_assert_eq(ask_compare(&file, &nested, &said, &out), 0);
    cr_assert_str_eq(said.findings.v[0].member, "b.zip"); /* what the second reader said stands there too */
    finding_list_free(&said.findings);
    finding_list_free(&out);
}

Test(inspect_ask, an_archive_without_a_list_is_incomplete_unless_it_is_refused_for_good)
{
    struct finding_list out = {0};
    struct job_result r = {0};
    claims_add(&r.claims, TYPE_ZIP, EVIDENCE_EXTENSION);
    cr_assert_eq(ask_unlisted(&r, &out), 0);
    cr_assert_eq(out.n, 0u); /* a name alone is not an archive */
    claims_add(&r.claims, TYPE_ZIP, EVIDENCE_TAIL);
    cr_assert_eq(ask_unlisted(&r, &out), 0);
    cr_assert_eq(out.n, 1u);
    cr_assert_eq(finding_list_note(&r.findings, FINDING_ARCHIVE_LINK, NULL), 0);
    cr_assert_eq(ask_unlisted(&r, &out), 0);
    cr_assert_eq(out.n, 2u); /* somebody may accept the link */
    cr_assert_eq(finding_list_note(&r.findings, FINDING_ARCHIVE_CORRUPT, NULL), 0);
    cr_assert_eq(ask_unlisted(&r, &out), 0);
    cr_assert_eq(out.n, 2u);
    finding_list_free(&out);
    finding_list_free(&r.findings);
}

Test(inspect_ask, extents_may_touch_and_not_overlap)
{
    struct extent v[] = {{.offset = 100, .length = 10}, {.offset = 0, .length = 100}, {.offset = 50, .length = 0}};
    struct extent_list list = {.v = v, .n = 3};
    cr_assert(ask_extents_apart(&list));
    v[1].length = 101;
    cr_assert(!ask_extents_apart(&list));
    v[1] = (struct extent){.offset = 100, .length = 10};
    cr_assert(!ask_extents_apart(&list));
}
