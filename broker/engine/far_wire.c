/* SPDX-License-Identifier: ISC */
#include "engine/far_wire.h"

#include "base/item.h"
#include "base/limits.h"
#include "box/box.h"

static const struct {
    uint16_t type;
    bool agent;
    size_t least, most;
} table[] = {
    {FAR_HELLO, true, FAR_HELLO_BYTES, FAR_HELLO_BYTES},
    {FAR_FAULT, true, FAR_FAULT_BYTES, FAR_FAULT_BYTES + FAR_FAULT_WORDS},
    {FAR_OUT, true, 1, FAR_CHUNK},
    {FAR_ERR, true, 1, FAR_CHUNK},
    {FAR_END, true, FAR_END_BYTES, FAR_END_BYTES},
    {FAR_QUIET, true, FAR_QUIET_BYTES, FAR_QUIET_BYTES},
    {FAR_ENTRY, true, FAR_FACTS_BYTES + 1, FAR_FACTS_BYTES + PATH_BYTES},
    {FAR_LISTED, true, FAR_LISTED_BYTES, FAR_LISTED_BYTES},
    {FAR_FILE, true, FAR_FACTS_BYTES, FAR_FACTS_BYTES},
    {FAR_DATA, true, 1, FAR_CHUNK},
    {FAR_DONE, true, FAR_DONE_BYTES, FAR_DONE_BYTES},
    {FAR_GO, false, 0, 0},
    {FAR_WANT, false, 1, PATH_BYTES},
    {FAR_BYE, false, 0, 0},
};

/* --- little-endian, into and out of the caller's bytes ------------------------------------------------------------------ */

static uint8_t *put(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *out++ = (uint8_t)(value >> (8 * i));
    return out;
}

static uint64_t get(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t) * (*at)++ << (8 * i);
    return value;
}

static uint32_t get32(const uint8_t **at)
{
    return (uint32_t)get(at, 4);
}

void far_head(uint8_t out[FAR_HEAD], enum far_type type, size_t len)
{
    put(put(put(out, len, 4), (uint64_t)type, 2), 0, 2);
}

long far_frame(const uint8_t *data, size_t len, bool agent, struct far_frame *out)
{
    const uint8_t *at = data;
    if (len < FAR_HEAD)
        return 0;
    size_t payload = get32(&at);
    uint64_t type = get(&at, 2), zero = get(&at, 2);
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].type != type || table[i].agent != agent)
            continue;
        if (zero != 0 || payload < table[i].least || payload > table[i].most)
            return -1;
        if (len - FAR_HEAD < payload)
            return 0;
        *out = (struct far_frame){.type = (enum far_type)type, .data = data + FAR_HEAD, .len = payload};
        return (long)(FAR_HEAD + payload);
    }
    return -1;
}

/* --- payloads ------------------------------------------------------------------------------------------------------------ */

void far_pair_encode(uint32_t a, uint32_t b, uint8_t out[FAR_FAULT_BYTES])
{
    put(put(out, a, 4), b, 4);
}

void far_pair_decode(const uint8_t *data, uint32_t *a, uint32_t *b)
{
    *a = get32(&data);
    *b = get32(&data);
}

void far_hello_encode(const struct far_hello *h, uint8_t out[FAR_HELLO_BYTES])
{
    const uint64_t numbers[] = {h->scratch_type, h->scratch_bytes, h->scratch_inodes, h->memory, h->memory_swap, h->processes,
                                h->cpus_milli};
    out = put(put(out, h->version, 4), h->uid, 4);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        out = put(out, numbers[i], 8);
}

bool far_hello_decode(const uint8_t *data, struct far_hello *h)
{
    uint64_t *const numbers[] = {&h->scratch_type, &h->scratch_bytes, &h->scratch_inodes, &h->memory, &h->memory_swap,
                                 &h->processes, &h->cpus_milli};
    h->version = get32(&data);
    h->uid = get32(&data);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        *numbers[i] = get(&data, 8);
    return h->version == FAR_VERSION;
}

uint32_t far_lacks(uint32_t control, uint32_t error)
{
    return (control < CONTROL_COUNT ? control << FAR_ERROR_BITS : 0) | (error & FAR_ERROR_MASK);
}

void far_end_encode(const struct far_end *e, uint8_t out[FAR_END_BYTES])
{
    far_pair_encode(e->how, e->value, out);
}

bool far_end_decode(const uint8_t *data, struct far_end *e)
{
    far_pair_decode(data, &e->how, &e->value);
    uint32_t values = e->how == FAR_NOT_LOWERED ? (uint32_t)CONTROL_COUNT << FAR_ERROR_BITS : FAR_ERROR_MASK + 1;
    return e->how >= FAR_EXITED && e->how <= FAR_NOT_LOWERED && e->value < values;
}

void far_quiet_encode(const struct far_quiet *q, uint8_t out[FAR_QUIET_BYTES])
{
    out = put(put(put(put(out, q->left, 4), q->unfrozen, 4), q->hit, 4), 0, 4);
    put(put(out, q->memory_peak, 8), q->cpu_ms, 8);
}

bool far_quiet_decode(const uint8_t *data, struct far_quiet *q)
{
    q->left = get32(&data);
    q->unfrozen = get32(&data);
    q->hit = get32(&data);
    uint32_t zero = get32(&data);
    q->memory_peak = get(&data, 8);
    q->cpu_ms = get(&data, 8);
    return zero == 0 && q->hit < 1u << CONTROL_COUNT;
}

void far_facts_encode(const struct far_facts *f, uint8_t out[FAR_FACTS_BYTES])
{
    out = put(put(put(put(out, f->kind, 4), f->mode, 4), f->uid, 4), f->gid, 4);
    out = put(put(put(put(out, f->links, 8), f->size, 8), f->ino, 8), (uint64_t)f->mtime_ns, 8);
    put(out, 0, 8);
}

bool far_facts_decode(const uint8_t *data, struct far_facts *f)
{
    f->kind = get32(&data);
    f->mode = get32(&data);
    f->uid = get32(&data);
    f->gid = get32(&data);
    f->links = get(&data, 8);
    f->size = get(&data, 8);
    f->ino = get(&data, 8);
    f->mtime_ns = (int64_t)get(&data, 8);
    uint64_t zero = get(&data, 8);
    return zero == 0 && f->kind > OBJECT_UNKNOWN && f->kind <= OBJECT_OTHER && f->mode <= 07777 && f->links > 0;
}

void far_listed_encode(const struct far_listed *l, uint8_t out[FAR_LISTED_BYTES])
{
    put(put(put(out, l->count, 8), l->error, 4), 0, 4);
}

bool far_listed_decode(const uint8_t *data, struct far_listed *l)
{
    l->count = get(&data, 8);
    l->error = get32(&data);
    return get32(&data) == 0;
}

void far_done_encode(const struct far_done *d, uint8_t out[FAR_DONE_BYTES])
{
    put(put(put(out, d->bytes, 8), d->error, 4), 0, 4);
}

bool far_done_decode(const uint8_t *data, struct far_done *d)
{
    d->bytes = get(&data, 8);
    d->error = get32(&data);
    return get32(&data) == 0;
}
