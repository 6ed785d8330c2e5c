/* SPDX-License-Identifier: ISC
 * Harness for inspect/finding_wire.c and base/task.c. The first byte is the frame's type, the rest its payload: what is
 * decoded must encode to the same bytes, so nothing is read in two ways. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/task.h"
#include "base/utf8.h"
#include "base/wire.h"
#include "inspect/finding_wire.h"
#include "inspect/inspector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool finding(const uint8_t *data, size_t len, struct buf *out)
{
    struct finding f;
    uint64_t id = 0;
    if (!wire_finding_decode(&id, &f, data, len))
        return false;
    require(f.code > FINDING_NONE && f.code < FINDING_COUNT && !f.accepted);
    require(finding_group(f.code) != GROUP_file && finding_group(f.code) != GROUP_contract);
    require(!f.message || (utf8_valid((const uint8_t *)f.message, strlen(f.message)) && !strchr(f.message, '\n')));
    wire_finding_encode(id, &f, out);
    free(f.member);
    free(f.message);
    return true;
}

static bool nested(const uint8_t *data, size_t len, struct buf *out)
{
    struct wire_nested v;
    if (!wire_nested_decode(&v, data, len))
        return false;
    struct nested_listing again = {v.container, v.spooled, v.base, v.size, v.count, {0}, v.member};
    memcpy(again.sha256, v.sha256, sizeof(again.sha256));
    wire_nested_encode(v.id, &again, out);
    free(v.member);
    return true;
}

static bool extent(const uint8_t *data, size_t len, struct buf *out)
{
    struct wire_extent e;
    if (!wire_extent_decode(&e, data, len))
        return false;
    const struct stream_member m = {e.path, strlen(e.path), e.offset, e.length, e.mode, e.uid, e.gid, e.mtime_ns, e.kind};
    wire_extent_encode(e.id, &m, out);
    free(e.path);
    return true;
}

/* A decoder and its encoder over one structure. */
#define ROUND_TRIP(name)                                                                                               \
    static bool name(const uint8_t *data, size_t len, struct buf *out)                                                 \
    {                                                                                                                  \
        struct wire_##name x;                                                                                          \
        if (!wire_##name##_decode(&x, data, len))                                                                      \
            return false;                                                                                              \
        wire_##name##_encode(&x, out);                                                                                 \
        return true;                                                                                                   \
    }
ROUND_TRIP(hello)
ROUND_TRIP(claim)
ROUND_TRIP(done)
ROUND_TRIP(finish)
ROUND_TRIP(listing)
ROUND_TRIP(ready)

static bool task(const uint8_t *data, size_t len, struct buf *out)
{
    struct task t;
    if (!task_decode(&t, data, len))
        return false;
    task_encode(&t, out);
    return true;
}

static const struct {
    enum frame_type type;
    bool (*again)(const uint8_t *data, size_t len, struct buf *out);
} rows[] = {{FRAME_HELLO, hello}, {FRAME_CLAIM, claim},     {FRAME_FINDING, finding}, {FRAME_DONE, done},
            {FRAME_FINISH, finish}, {FRAME_LISTING, listing}, {FRAME_EXTENT, extent},   {FRAME_READY, ready},
            {FRAME_TASK, task},     {FRAME_NESTED, nested}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf out;
    buf_init(&out, 2 * FRAME_BYTES);
    for (size_t i = 0; size > 0 && i < ARRAY_LEN(rows); i++)
        if (rows[i].type == (enum frame_type)data[0] && rows[i].again(data + 1, size - 1, &out))
            require(!out.failed && out.len == size - 1 && memcmp(out.data, data + 1, size - 1) == 0);
    buf_free(&out);
    return 0;
}
