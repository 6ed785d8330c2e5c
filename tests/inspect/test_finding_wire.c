/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/wire.h"
#include "inspect/finding_wire.h"
#include "inspect/inspector.h"

static char member[] = "a.zip!b\xff.txt", message[] = "one sentence";

static const struct finding full = {.code = FINDING_SECRET, .level = LEVEL_NOTE, .has_offset = true, .offset = 1234,
                                    .has_line = true, .line = 7, .length = 20, .rule = "some-rule-2",
                                    .member = member, .message = message};

static void encode(const struct finding *f, struct buf *b)
{
    buf_init(b, FRAME_BYTES);
    wire_finding_encode(77, f, b);
    cr_assert(!b->failed);
}

Test(finding_wire, a_finding_round_trips)
{
    struct buf b;
    struct finding f;
    uint64_t id = 0;
    encode(&full, &b);
    cr_assert(wire_finding_decode(&id, &f, b.data, b.len));
    cr_assert_eq(id, 77u);
    cr_assert(f.code == full.code && f.level == full.level && f.offset == 1234 && f.line == 7 && f.length == 20);
    cr_assert(f.has_offset && f.has_line && !f.accepted);
    cr_assert_str_eq(f.rule, full.rule);
    cr_assert_str_eq(f.member, full.member);
    cr_assert_str_eq(f.message, full.message);
    free(f.member);
    free(f.message);
    buf_free(&b);
    encode(&(struct finding){.code = FINDING_ACTIVE_BIDI}, &b);
    cr_assert(wire_finding_decode(&id, &f, b.data, b.len));
    cr_assert(!f.member && !f.message && !f.has_offset && !f.has_line);
    buf_free(&b);
}

static bool decodes(const struct buf *b)
{
    struct finding f;
    uint64_t id = 0;
    bool ok = wire_finding_decode(&id, &f, b->data, b->len);
    if (ok) {
        free(f.member);
        free(f.message);
    }
    return ok;
}

Test(finding_wire, every_cut_and_every_byte_more_is_refused)
{
    struct buf b;
    encode(&full, &b);
    size_t whole = b.len;
    for (b.len = 0; b.len < whole; b.len++)
        cr_assert(!decodes(&b), "cut at %zu", b.len);
    b.len = whole;
    cr_assert(decodes(&b));
    buf_u8(&b, 0);
    cr_assert(!decodes(&b));
    buf_free(&b);
}

enum { AT_CODE = 8, AT_LEVEL = 10, AT_FLAGS = 11, AT_OFFSET = 12, AT_LINE = 28, AT_RULE = 37 };

static void spoil(size_t at, uint8_t value)
{
    struct buf b;
    encode(&full, &b);
    cr_assert_neq(b.data[at], value);
    b.data[at] = value;
    cr_assert(!decodes(&b), "byte %zu", at);
    buf_free(&b);
}

Test(finding_wire, what_a_worker_may_not_say_is_refused)
{
    spoil(AT_CODE, FINDING_NONE);
    spoil(AT_CODE, FINDING_FILE_MISSING);
    spoil(AT_CODE, FINDING_CONTRACT_REVIEW_DUE);
    spoil(AT_CODE, FINDING_COUNT);
    spoil(AT_CODE, FINDING_ACTIVE_BIDI); /* a rule only belongs to a secret */
    spoil(AT_CODE + 1, 1);
    spoil(AT_LEVEL, LEVEL_NOTE + 1);
    spoil(AT_FLAGS, 15 - 1); /* an offset without its flag */
    spoil(AT_FLAGS, 15 - 2);
    spoil(AT_FLAGS, 15 - 4);
    spoil(AT_FLAGS, 15 - 8);
    spoil(AT_FLAGS, 16 + 15);
    spoil(AT_LINE, 0);
    static const enum finding_code foreign[] = {FINDING_FILE_MISSING, FINDING_FILE_UNLISTED, FINDING_CONTRACT_REVIEW_DUE};
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
        struct buf b;
        encode(&(struct finding){.code = foreign[i], .level = LEVEL_NOTE}, &b);
        cr_assert(!decodes(&b), "a worker spoke of %s", finding_code_name(foreign[i]));
        buf_free(&b);
    }
    spoil(AT_RULE, '/');
    spoil(AT_RULE, 'A');
    spoil(AT_RULE + 11, 0);                    /* NUL in the member */
    spoil(AT_RULE + 11 + sizeof(member) - 1, '\n'); /* control character in the message */
    spoil(AT_RULE + 11 + sizeof(member) - 1, 0xff); /* no UTF-8 */
}

Test(finding_wire, texts_that_are_too_long_or_hostile_never_lose_the_finding)
{
    struct buf b;
    struct finding f;
    uint64_t id = 0;
    char *long_member = malloc(MEMBER_BYTES + 100), bad[] = "x\x1b[2J";
    memset(long_member, 'm', MEMBER_BYTES + 99);
    long_member[MEMBER_BYTES + 99] = '\0';
    encode(&(struct finding){.code = FINDING_ARCHIVE_PATH, .member = long_member, .message = bad}, &b);
    cr_assert(wire_finding_decode(&id, &f, b.data, b.len));
    cr_assert_eq(strlen(f.member), MEMBER_BYTES);
    cr_assert_null(f.message);
    free(f.member);
    free(long_member);
    buf_free(&b);
}

Test(finding_wire, the_small_ones_round_trip_and_check_their_numbers)
{
    struct buf b;
    struct wire_claim claim = {5, TYPE_PNG, EVIDENCE_HEAD}, claim2;
    struct wire_done done = {6, INSPECTOR_SECRET, 9}, done2;
    struct wire_hello hello = {true, true, 7}, hello2;
    buf_init(&b, 1024);
    wire_claim_encode(&claim, &b);
    cr_assert(wire_claim_decode(&claim2, b.data, b.len));
    cr_assert(claim2.id == 5 && claim2.type == TYPE_PNG && claim2.evidence == EVIDENCE_HEAD);
    b.data[8] = TYPE_COUNT;
    cr_assert(!wire_claim_decode(&claim2, b.data, b.len));
    b.data[8] = TYPE_NONE;
    cr_assert(!wire_claim_decode(&claim2, b.data, b.len));
    b.data[8] = TYPE_PNG;
    b.data[10] = 0;
    cr_assert(!wire_claim_decode(&claim2, b.data, b.len));
    b.data[10] = EVIDENCE_COUNT;
    cr_assert(!wire_claim_decode(&claim2, b.data, b.len));
    buf_reset(&b);
    wire_done_encode(&done, &b);
    cr_assert(wire_done_decode(&done2, b.data, b.len));
    cr_assert(done2.id == 6 && done2.inspector == INSPECTOR_SECRET && done2.findings == 9);
    b.data[8] = INSPECTOR_COUNT;
    cr_assert(!wire_done_decode(&done2, b.data, b.len));
    buf_reset(&b);
    wire_hello_encode(&hello, &b);
    cr_assert(wire_hello_decode(&hello2, b.data, b.len));
    cr_assert(hello2.seccomp && hello2.rlimits && hello2.landlock_abi == 7);
    b.data[0] = 4;
    cr_assert(!wire_hello_decode(&hello2, b.data, b.len));
    buf_free(&b);
}

Test(finding_wire, extents_and_ready_check_their_texts)
{
    struct buf b;
    struct wire_extent e;
    struct wire_ready ready = {"0.1.0", "zlib 1.2.13"}, ready2;
    struct stream_member m = {.path = "dir/f\xfe", .path_len = 6, .offset = 512, .length = 3, .mode = 0644, .uid = 1,
                              .gid = 2, .mtime_ns = -5, .kind = OBJECT_FILE};
    buf_init(&b, FRAME_BYTES);
    wire_extent_encode(9, &m, &b);
    cr_assert(wire_extent_decode(&e, b.data, b.len));
    cr_assert(e.id == 9 && e.offset == 512 && e.length == 3 && e.mode == 0644 && e.uid == 1 && e.gid == 2);
    cr_assert(e.mtime_ns == -5 && e.kind == OBJECT_FILE);
    cr_assert_str_eq(e.path, "dir/f\xfe");
    free(e.path);
    b.data[b.len - 1] = 0;
    cr_assert(!wire_extent_decode(&e, b.data, b.len));
    buf_reset(&b);
    wire_ready_encode(&ready, &b);
    cr_assert(wire_ready_decode(&ready2, b.data, b.len));
    cr_assert_str_eq(ready2.libraries, ready.libraries);
    b.data[4] = 0x1b;
    cr_assert(!wire_ready_decode(&ready2, b.data, b.len));
    buf_free(&b);
}

/* The table of wire.c and the encoders must agree on every size: what is encoded is accepted for sending. */
Test(finding_wire, every_payload_fits_its_row)
{
    struct wire w = {.fd = -1};
    struct buf b;
    struct stream_member m = {.path = "p", .path_len = 1};
    buf_init(&b, FRAME_BYTES);
    wire_finding_encode(1, &full, &b);
    cr_assert_eq(wire_queue(&w, FRAME_FINDING, b.data, b.len, -1), 0);
    buf_reset(&b);
    wire_finding_encode(1, &(struct finding){.code = FINDING_ACTIVE_BIDI}, &b);
    cr_assert_eq(wire_queue(&w, FRAME_FINDING, b.data, b.len, -1), 0);
    cr_assert_neq(wire_queue(&w, FRAME_FINDING, b.data, b.len - 1, -1), 0);
    buf_reset(&b);
    wire_extent_encode(1, &m, &b);
    cr_assert_eq(wire_queue(&w, FRAME_EXTENT, b.data, b.len, -1), 0);
    buf_reset(&b);
    wire_listing_encode(&(struct wire_listing){.id = 1}, &b);
    cr_assert_eq(wire_queue(&w, FRAME_LISTING, b.data, b.len, -1), 0);
    buf_reset(&b);
    struct nested_listing nested = {.container = TYPE_ZIP, .spooled = true, .base = 5, .size = 7, .count = 2,
                                    .member = "a!b"};
    struct wire_nested again;
    wire_nested_encode(1, &nested, &b);
    cr_assert_eq(wire_queue(&w, FRAME_NESTED, b.data, b.len, -1), 0);
    cr_assert(wire_nested_decode(&again, b.data, b.len));
    cr_assert(again.spooled && again.base == 5 && again.size == 7 && again.count == 2);
    cr_assert_str_eq(again.member, "a!b");
    free(again.member);
    cr_assert(!wire_nested_decode(&again, b.data, b.len - 1));
    b.data[15] = 0x80; /* beyond any file */
    cr_assert(!wire_nested_decode(&again, b.data, b.len));
    buf_reset(&b);
    wire_finish_encode(&(struct wire_finish){.id = 1}, &b);
    cr_assert_eq(wire_queue(&w, FRAME_FINISH, b.data, b.len, -1), 0);
    buf_free(&b);
    wire_close(&w);
}
