/* SPDX-License-Identifier: ISC */
#include "base/task.h"

#include <string.h>

static void set_encode(const struct type_set *set, struct buf *out)
{
    buf_u64(out, set->bits[0]);
    buf_u64(out, set->bits[1]);
}

static void set_decode(struct type_set *set, struct reader *r)
{
    set->bits[0] = reader_u64(r);
    set->bits[1] = reader_u64(r);
}

void task_encode(const struct task *task, struct buf *out)
{
    size_t path_len = strlen(task->path);
    buf_u64(out, task->id);
    buf_u64(out, task->size);
    buf_u64(out, task->base);
    set_encode(&task->admitted, out);
    buf_u8(out, (uint8_t)task->names);
    buf_u8(out, task->inside.given);
    buf_u8(out, task->inside.types_given);
    buf_u8(out, (uint8_t)task->inside.links);
    set_encode(&task->inside.types, out);
    buf_u64(out, task->inside.entries);
    buf_u64(out, task->inside.member);
    buf_u64(out, task->inside.unpacked);
    buf_u64(out, task->inside.ratio);
    buf_u64(out, task->inside.nesting);
    buf_u8(out, (uint8_t)task->ask);
    buf_u8(out, (uint8_t)task->container);
    buf_u16(out, (uint16_t)path_len);
    buf_bytes(out, task->path, path_len);
}

bool task_decode(struct task *task, const uint8_t *data, size_t len)
{
    struct reader r;
    *task = (struct task){0};
    reader_init(&r, data, len);
    task->id = reader_u64(&r);
    task->size = reader_u64(&r);
    task->base = reader_u64(&r);
    set_decode(&task->admitted, &r);
    uint8_t names = reader_u8(&r), given = reader_u8(&r), types_given = reader_u8(&r), links = reader_u8(&r);
    set_decode(&task->inside.types, &r);
    task->inside.entries = reader_u64(&r);
    task->inside.member = reader_u64(&r);
    task->inside.unpacked = reader_u64(&r);
    task->inside.ratio = reader_u64(&r);
    task->inside.nesting = reader_u64(&r);
    uint8_t ask = reader_u8(&r), container = reader_u8(&r);
    size_t path_len;
    const uint8_t *path = reader_text(&r, PATH_BYTES, &path_len);
    if (!reader_done(&r) || names > NAMES_POSIX || given > 1 || types_given > 1 || links > LINKS_INSIDE ||
        ask > ASK_TYPE || container >= TYPE_COUNT || task->size > INT64_MAX ||
        task->base > INT64_MAX - task->size)
        return false;
    memcpy(task->path, path, path_len);
    task->names = (enum names_policy)names;
    task->inside.given = given;
    task->inside.types_given = types_given;
    task->inside.links = (enum link_policy)links;
    task->ask = (enum task_ask)ask;
    task->container = (enum type)container;
    return true;
}
