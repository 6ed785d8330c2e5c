/* SPDX-License-Identifier: ISC
 * Both worker programs with inspectors that obey the file: its first word says how to misbehave. Used to show that no
 * misbehaviour makes the broker believe that a file was inspected. Compiled with SECOND for the second reader. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/finding_wire.h"
#include "inspect/listing.h"
#include "inspect/worker.h"

static bool word(struct inspection *in, const char *want)
{
    const uint8_t *p = bytes_at(in->bytes, 0, strlen(want) + 1);
    return p && memcmp(p, want, strlen(want)) == 0 && (p[strlen(want)] == '\n' || p[strlen(want)] == ' ');
}

static void hang(struct inspection *in)
{
    volatile uint64_t *work = &in->budget->work;
    for (;;)
        *work = *work + 1;
}

#ifndef SECOND
/* One raw frame on our socket, past everything that would keep it in order. */
static void raw(enum frame_type type, const struct buf *payload)
{
    int fd = WORKER_SOCKET;
    struct wire w;
    wire_init(&w, &fd, false);
    if (wire_send(&w, type, payload->data, payload->len, -1) != 0)
        _exit(1);
    free(w.out);
}

static void die(struct inspection *in)
{
    (void)in;
    _exit(1);
}

static void clean_exit(struct inspection *in)
{
    (void)in;
    _exit(0);
}

static void crash(struct inspection *in)
{
    volatile int *nowhere = (volatile int *)in->budget->entries;
    *nowhere = 1;
}

static void open_file(struct inspection *in)
{
    (void)in;
    (void)!open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static void drip(struct inspection *in)
{
    struct buf b;
    buf_init(&b, 64);
    wire_claim_encode(&(struct wire_claim){in->task->id, TYPE_TEXT, EVIDENCE_TEXT}, &b);
    for (;;)
        raw(FRAME_CLAIM, &b);
}

static void garbage(struct inspection *in)
{
    struct iovec iov = {.iov_base = in->bytes->window, .iov_len = 64};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    (void)!sendmsg(WORKER_SOCKET, &msg, 0);
}

static void wrong_id(struct inspection *in)
{
    struct buf b;
    buf_init(&b, 64);
    wire_claim_encode(&(struct wire_claim){in->task->id + 1, TYPE_TEXT, EVIDENCE_TEXT}, &b);
    raw(FRAME_CLAIM, &b);
}

static void done_of(struct inspection *in, enum inspector_id inspector)
{
    struct buf b;
    buf_init(&b, 64);
    wire_done_encode(&(struct wire_done){in->task->id, inspector, 0}, &b);
    raw(FRAME_DONE, &b);
}

static void finish_of(struct inspection *in)
{
    struct buf b;
    buf_init(&b, 64);
    wire_finish_encode(&(struct wire_finish){in->task->id, 0, 0, 0}, &b);
    raw(FRAME_FINISH, &b);
}

static void early_finish(struct inspection *in)
{
    finish_of(in);
    _exit(0);
}

static void done_twice(struct inspection *in)
{
    done_of(in, INSPECTOR_TYPE);
}

static void done_missing(struct inspection *in)
{
    done_of(in, INSPECTOR_TYPE);
    done_of(in, INSPECTOR_ARCHIVE);
    done_of(in, INSPECTOR_SECRET);
    finish_of(in);
    _exit(0);
}

/* Everything as it must be: a child can lie about its own batch. It shows that what is sent raw does arrive. */
static void whole_lie(struct inspection *in)
{
    for (int i = 0; i < INSPECTOR_COUNT; i++)
        done_of(in, (enum inspector_id)i);
    finish_of(in);
    if (word(in, "lie"))
        _exit(0);
}

/* The same, and then one byte more. */
static void trailing(struct inspection *in)
{
    whole_lie(in);
    struct iovec iov = {.iov_base = in->bytes->window, .iov_len = 1};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    (void)!sendmsg(WORKER_SOCKET, &msg, 0);
    _exit(0);
}

static void uncounted(struct inspection *in)
{
    struct buf b;
    struct finding f = {.code = FINDING_ACTIVE_BIDI};
    buf_init(&b, 1024);
    wire_finding_encode(in->task->id, &f, &b);
    raw(FRAME_FINDING, &b);
}

static void foreign_code(struct inspection *in)
{
    struct buf b;
    struct finding f = {.code = FINDING_FILE_MISSING, .level = LEVEL_NOTE};
    buf_init(&b, 1024);
    wire_finding_encode(in->task->id, &f, &b);
    raw(FRAME_FINDING, &b);
}

static void too_many(struct inspection *in)
{
    for (int i = 0; i < 3000; i++)
        uncounted(in);
}

static void descriptor(struct inspection *in)
{
    char space[CMSG_SPACE(sizeof(int))] = {0};
    struct buf b;
    buf_init(&b, 64);
    buf_bytes(&b, "\x0b\0\0\0\x21\0\0\0", 8);
    wire_claim_encode(&(struct wire_claim){in->task->id, TYPE_TEXT, EVIDENCE_TEXT}, &b);
    struct iovec iov = {.iov_base = b.data, .iov_len = b.len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &in->bytes->fd, sizeof(int));
    (void)!sendmsg(WORKER_SOCKET, &msg, 0);
}

static void second_evidence(struct inspection *in)
{
    inspect_claim(in, TYPE_TEXT, EVIDENCE_SECOND);
}

static void parent_talk(struct inspection *in)
{
    struct buf b;
    (void)in;
    buf_init(&b, 64);
    buf_u32(&b, 0);
    buf_u32(&b, 0);
    raw(FRAME_EXIT, &b);
}

static void chatty(struct inspection *in)
{
    for (int i = 0; i < 3000; i++)
        inspect_find(in, FINDING_ACTIVE_BIDI, NULL);
}

static const struct {
    const char *word;
    void (*act)(struct inspection *in);
} acts[] = {
    {"die", die},           {"exit", clean_exit},       {"crash", crash},         {"hang", hang},
    {"open", open_file},    {"drip", drip},             {"garbage", garbage},     {"wrong-id", wrong_id},
    {"early", early_finish}, {"twice", done_twice},     {"missing", done_missing}, {"trailing", trailing},
    {"uncounted", uncounted}, {"foreign", foreign_code}, {"many", too_many},      {"descriptor", descriptor},
    {"evidence", second_evidence}, {"parent", parent_talk}, {"chatty", chatty}, {"lie", whole_lie},
};
#endif

static void say_list(struct inspection *in, const char *name)
{
    uint8_t sha256[SHA256_SIZE];
    uint64_t count = 0;
    struct listing list = {.max = 10};
    listing_add(&list, name, strlen(name), 5, OBJECT_FILE);
    if (listing_finish(&list, sha256, &count))
        inspect_listing(in, TYPE_ZIP, sha256, count);
}

#ifndef SECOND
static void obey(struct inspection *in)
{
    if (word(in, "list") || word(in, "inner"))
        inspect_claim(in, TYPE_ZIP, EVIDENCE_HEAD);
    else if (word(in, "unlisted"))
        inspect_claim(in, TYPE_TAR, EVIDENCE_STRUCTURE);
    else if (!word(in, "binary"))
        inspect_claim(in, TYPE_PLAIN, EVIDENCE_TEXT);
    for (size_t i = 0; i < ARRAY_LEN(acts); i++)
        if (word(in, acts[i].word))
            acts[i].act(in);
}

/* An archive inside, whose bytes tell the second program what to answer. */
static void inner(const struct inspection *in, const char *member, const char *content)
{
    struct bytes bytes;
    struct inspection nested = *in;
    bytes_init_memory(&bytes, content, strlen(content));
    nested.depth = 1;
    nested.member = member;
    nested.bytes = &bytes;
    say_list(&nested, "a");
}

static void list(struct inspection *in)
{
    if (word(in, "list") || word(in, "inner"))
        say_list(in, "a");
    if (!word(in, "inner"))
        return;
    inner(in, "first.zip", "list same\n");
    inner(in, "next.zip", word(in, "inner same")    ? "list same\n"
                             : word(in, "inner other") ? "list other\n"
                                                       : "list die\n");
}

static void nothing(struct inspection *in)
{
    (void)in;
}

static void secret(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 6);
    if (p && memcmp(p, "secret", 6) == 0)
        inspect_secret(in, "test-rule", LEVEL_REFUSE, 0, 1, 6, NULL);
    if (p && memcmp(p, "scan-d", 6) == 0)
        _exit(1);
}

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, obey, NULL},        {"archive", INSPECTOR_ARCHIVE, list, NULL},
    {"active", INSPECTOR_ACTIVE, nothing, NULL}, {"secret", INSPECTOR_SECRET, secret, NULL},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};
#else
static void obey_second(struct inspection *in)
{
    if (in->task->ask != ASK_TYPE && in->task->ask != ASK_LISTING)
        _exit(1);
    if (word(in, "binary elf"))
        inspect_claim(in, TYPE_ELF, EVIDENCE_SECOND);
    if (word(in, "list die"))
        _exit(1);
    if (word(in, "list hang"))
        hang(in);
}

static void list_second(struct inspection *in)
{
    if ((word(in, "list same") || word(in, "inner")) && in->task->container == TYPE_ZIP)
        say_list(in, "a");
    if (word(in, "list other"))
        say_list(in, "b");
}

const struct inspector inspectors[] = {
    {"type", INSPECTOR_TYPE, obey_second, NULL},
    {"archive", INSPECTOR_ARCHIVE, list_second, NULL},
    {NULL, INSPECTOR_COUNT, NULL, NULL},
};
#endif

/* The stream is "extents N": N members of ten bytes one after the other; "overlap": two in one place. */
static void stream(struct inspection *in)
{
    struct stream_member m = {.path = "m", .path_len = 1, .length = 10, .mode = 0644, .kind = OBJECT_FILE};
    bool overlap = word(in, "overlap");
    for (uint64_t at = 0; at + 10 <= in->bytes->size; at += overlap ? 5 : 10) {
        m.offset = at;
        inspect_extent(in, &m);
    }
    if (word(in, "outside")) {
        m.offset = in->bytes->size;
        inspect_extent(in, &m);
    }
}

static void libraries(char *out, size_t size)
{
    snprintf(out, size, "bad 1.0");
}

const struct worker_program worker_program = {"bad worker", stream, libraries, NULL};
