/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/limits.h"
#include "inspect/sink.h"

/* A container format of this test: "[NAME=SIZE:...]" would be more than is needed; '<' opens a member that is the rest of
 * the content without its first byte, 'x' is a leaf, 'T' claims elf. */
static void claim_by_first_byte(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 1);
    in->text = TYPE_PLAIN;
    inspect_claim(in, p && *p == 'T' ? TYPE_ELF : p && *p == '<' ? TYPE_ZIP : TYPE_PLAIN, EVIDENCE_HEAD);
}

static void enter_first_byte(struct inspection *in)
{
    struct bytes rest;
    const uint8_t *p = bytes_at(in->bytes, 0, 1);
    if (p && *p == '<' && bytes_init_slice(&rest, in->bytes, 1, in->bytes->size - 1))
        (void)inspect_member(in, "m", 1, &rest, NULL, false);
    if (p && *p == '@') /* a container that contains itself */
        (void)inspect_member(in, "same", 4, in->bytes, NULL, false);
}

static void secret_everywhere(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 1);
    if (p && *p == 'S')
        inspect_secret(in, "test-rule", LEVEL_REFUSE, 3, 2, 10, "base64");
}

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, claim_by_first_byte, NULL},
    {"archive", INSPECTOR_ARCHIVE, enter_first_byte, NULL},
    {"secret", INSPECTOR_SECRET, secret_everywhere, NULL},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};

static const char *const types[] = {"zip", "text", NULL};

static void start(struct sink_list *list, struct task *task)
{
    sink_list_init(list);
    sink_task(task, "f.zip", types);
    type_set_add(&task->inside.types, TYPE_ZIP);
    type_set_add(&task->inside.types, TYPE_PLAIN);
}

Test(inspection, members_are_entered_named_and_judged)
{
    struct sink_list list;
    struct task task;
    start(&list, &task);
    sink_run(&list, inspectors, &task, "<<T", 3);
    const struct finding *f = sink_list_find(&list, FINDING_TYPE_NOT_LISTED);
    if (!f)
        f = sink_list_find(&list, FINDING_ACTIVE_EXECUTABLE);
    cr_assert_not_null(f);
    cr_assert_str_eq(f->member, "m!m");
    cr_assert_eq(list.findings.n, 1u);
    cr_assert(claims_has(&list.claims, TYPE_ZIP));
    cr_assert(!claims_has(&list.claims, TYPE_ELF)); /* a member's claim is not the file's */
    cr_assert_eq(list.budget.entries, 2u);
    sink_list_free(&list);
}

Test(inspection, nesting_is_bounded_at_the_contract_and_at_the_program)
{
    struct sink_list list;
    struct task task;
    char deep[100];
    memset(deep, '<', sizeof(deep));
    start(&list, &task);
    task.inside.nesting = 3;
    sink_run(&list, inspectors, &task, "<<<x", 4);
    cr_assert_eq(list.findings.n, 0u);
    sink_run(&list, inspectors, &task, "<<<<x", 5);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_NESTING), 1u);
    sink_list_free(&list);
    start(&list, &task);
    task.inside.nesting = UINT64_MAX;
    sink_run(&list, inspectors, &task, deep, sizeof(deep));
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_NESTING), 1u);
    cr_assert_eq(list.budget.entries, NESTING_MAX + 1u);
    sink_list_free(&list);
}

Test(inspection, an_archive_in_itself_is_found)
{
    struct sink_list list;
    struct task task;
    start(&list, &task);
    task.inside.nesting = UINT64_MAX;
    sink_run(&list, inspectors, &task, "@", 1);
    const struct finding *f = sink_list_find(&list, FINDING_ARCHIVE_NESTING);
    cr_assert_not_null(f);
    cr_assert_str_eq(f->message, "the archive contains itself");
    cr_assert_str_eq(f->member, "same!same");
    sink_list_free(&list);
}

Test(inspection, entries_are_shared_by_all_levels)
{
    struct sink_list list;
    struct task task;
    start(&list, &task);
    task.inside.entries = 2;
    sink_run(&list, inspectors, &task, "<<x", 3);
    cr_assert_eq(list.findings.n, 0u);
    list.budget = (struct budget){0};
    sink_run(&list, inspectors, &task, "<<<x", 4);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_ENTRIES), 1u);
    sink_list_free(&list);
}

static void init(struct inspection *in, struct sink_list *list, struct task *task, struct bytes *bytes)
{
    start(list, task);
    bytes_init_memory(bytes, "x", 1);
    inspection_init(in, bytes, task, &list->budget, &list->sink);
}

Test(inspection, unpacking_holds_member_total_and_ratio)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    init(&in, &list, &task, &bytes);
    in.inside.member = 3 * MIB;
    in.inside.unpacked = 4 * MIB;
    in.inside.ratio = 2;
    struct unpack a = {0}, b = {0}, c = {0};
    cr_assert(inspect_unpack(&in, &a, 1, MIB)); /* below the floor no ratio is judged */
    cr_assert(inspect_unpack(&in, &b, MIB, 2 * MIB));
    cr_assert(!inspect_unpack(&in, &c, MIB, 2 * MIB)); /* the total */
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_UNPACKED), 1u);
    in.inside.unpacked = UINT64_MAX;
    struct unpack d = {0};
    cr_assert(!inspect_unpack(&in, &d, UINT64_MAX / 2, 3 * MIB + 1)); /* one member */
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_UNPACKED), 2u);
    struct unpack e = {0};
    cr_assert(!inspect_unpack(&in, &e, 1000, 2 * MIB));
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_RATIO), 1u);
    sink_list_free(&list);
}

Test(inspection, too_many_findings_are_one_limit)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    init(&in, &list, &task, &bytes);
    for (unsigned i = 0; i < FINDINGS_MAX; i++)
        inspect_find(&in, FINDING_ACTIVE_BIDI, NULL);
    cr_assert_eq(sink_list_count(&list, FINDING_INSPECT_LIMIT), 0u);
    cr_assert(inspect_wants_more(&in));
    for (unsigned i = 0; i < 50; i++)
        inspect_find_at(&in, FINDING_ACTIVE_BIDI, LEVEL_NOTE, 5, 1, "x");
    cr_assert(!inspect_wants_more(&in));
    cr_assert_eq(list.findings.n, FINDINGS_MAX + 1);
    cr_assert_eq(sink_list_count(&list, FINDING_INSPECT_LIMIT), 1u);
    cr_assert_eq(sink_list_find(&list, FINDING_INSPECT_LIMIT)->level, LEVEL_REFUSE);
    sink_list_free(&list);
}

Test(inspection, a_long_path_or_a_nul_in_a_name_refuses)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    AUTO_FREE char *name = malloc(MEMBER_BYTES + 1);
    memset(name, 'n', MEMBER_BYTES + 1);
    init(&in, &list, &task, &bytes);
    cr_assert(inspect_member(&in, name, MEMBER_BYTES, &bytes, NULL, false));
    cr_assert_eq(list.findings.n, 0u);
    cr_assert(!inspect_member(&in, name, MEMBER_BYTES + 1, &bytes, NULL, false));
    cr_assert_eq(sink_list_count(&list, FINDING_INSPECT_LIMIT), 1u);
    cr_assert(inspect_member(&in, "a\0b", 3, &bytes, NULL, false));
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_PATH), 1u);
    sink_list_free(&list);
}

Test(inspection, loose_text_is_scanned_for_secrets_alone)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    init(&in, &list, &task, &bytes);
    inspect_loose(&in, "!comment", "S123", 4);
    inspect_loose(&in, "!comment", "T123", 4);
    cr_assert_eq(list.findings.n, 1u);
    cr_assert_str_eq(list.findings.v[0].member, "!comment");
    cr_assert_str_eq(list.findings.v[0].rule, "test-rule");
    cr_assert_str_eq(list.findings.v[0].message, "a credential (base64)");
    sink_list_free(&list);
}

Test(inspection, a_package_admits_unknown_passive_parts_and_a_layer_has_no_name)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes, elf;
    struct inspection in;
    struct type_set none = {0};
    init(&in, &list, &task, &bytes);
    bytes_init_memory(&elf, "T", 1);
    type_set_add(&none, TYPE_PLAIN);
    cr_assert(inspect_member(&in, "part", 4, &bytes, &none, true));
    cr_assert_eq(list.findings.n, 0u);
    cr_assert(inspect_layer(&in, "f.tar", 5, &elf, &none));
    cr_assert_eq(list.findings.n, 1u);
    cr_assert_null(list.findings.v[0].member);
    cr_assert_eq(list.budget.entries, 1u);
    sink_list_free(&list);
}
