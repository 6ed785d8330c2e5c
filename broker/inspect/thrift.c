/* SPDX-License-Identifier: ISC
 * See thrift.h. Runs in the confined child on hostile bytes. Invariant: each event takes at least a byte, and no list is
 * believed to have more elements than there are bytes. */
#include "inspect/thrift.h"

#include "inspect/octets.h"

enum wire {
    WIRE_STOP = 0,
    WIRE_TRUE,
    WIRE_FALSE,
    WIRE_BYTE,
    WIRE_I16,
    WIRE_I32,
    WIRE_I64,
    WIRE_DOUBLE,
    WIRE_BINARY,
    WIRE_LIST,
    WIRE_SET,
    WIRE_MAP,
    WIRE_STRUCT,
    WIRE_UUID
};

enum { NOTHING = -1, UUID_BYTES = 16 };

void thrift_init(struct thrift *t, const uint8_t *data, size_t len)
{
    *t = (struct thrift){.at = data, .end = data + len, .depth = 1};
}

bool thrift_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

int64_t thrift_zigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static int bad(struct thrift *t)
{
    t->bad = true;
    return THRIFT_BAD;
}

static size_t left(const struct thrift *t)
{
    return (size_t)(t->end - t->at);
}

static int number(struct thrift *t)
{
    uint64_t raw;
    if (!thrift_varint(&t->at, t->end, &raw))
        return bad(t);
    t->value = thrift_zigzag(raw);
    return THRIFT_NUMBER;
}

/* A value of so many bytes. */
static int fixed(struct thrift *t, size_t n)
{
    if (left(t) < n)
        return bad(t);
    t->text = t->at;
    t->len = n;
    t->value = n == 8 ? (int64_t)get_le64(t->at) : (int8_t)t->at[0];
    t->at += n;
    return n == UUID_BYTES ? THRIFT_TEXT : THRIFT_NUMBER;
}

static int text(struct thrift *t)
{
    uint64_t n;
    if (!thrift_varint(&t->at, t->end, &n) || n > left(t))
        return bad(t);
    t->text = t->at;
    t->len = (size_t)n;
    t->at += n;
    return THRIFT_TEXT;
}

static struct thrift_level *push(struct thrift *t)
{
    if (t->depth == THRIFT_DEPTH) {
        (void)bad(t);
        return NULL;
    }
    struct thrift_level *l = &t->level[t->depth++];
    *l = (struct thrift_level){.path = t->path};
    return l;
}

static int open_list(struct thrift *t, bool map)
{
    uint64_t n = 0;
    if (left(t) == 0)
        return bad(t);
    uint8_t head = map ? 0 : *t->at++;
    if (!map && head >> 4 < 15)
        n = head >> 4;
    else if (!thrift_varint(&t->at, t->end, &n))
        return bad(t);
    if (map && n > 0 && left(t) > 0)
        head = *t->at++;
    struct thrift_level *l = n <= left(t) ? push(t) : NULL;
    if (!l)
        return bad(t);
    l->list = true;
    l->left = map ? 2 * n : n;
    l->type[0] = map ? head >> 4 : head & 15;
    l->type[1] = head & 15;
    return NOTHING;
}

static int value(struct thrift *t, uint8_t type, bool element)
{
    switch (type) {
    case WIRE_TRUE:
    case WIRE_FALSE:
        t->value = type == WIRE_TRUE;
        return element ? fixed(t, 1) : THRIFT_NUMBER;
    case WIRE_BYTE:
        return fixed(t, 1);
    case WIRE_I16:
    case WIRE_I32:
    case WIRE_I64:
        return number(t);
    case WIRE_DOUBLE:
        return fixed(t, 8);
    case WIRE_BINARY:
        return text(t);
    case WIRE_UUID:
        return fixed(t, UUID_BYTES);
    case WIRE_LIST:
    case WIRE_SET:
    case WIRE_MAP:
        return open_list(t, type == WIRE_MAP);
    case WIRE_STRUCT:
        return push(t) ? THRIFT_OPEN : THRIFT_BAD;
    default:
        return bad(t);
    }
}

static uint64_t path_of(const struct thrift_level *l)
{
    bool fits = l->path != THRIFT_ELSEWHERE && l->path >> 56 == 0 && l->last > 0 && l->last <= 255;
    return fits ? l->path << 8 | (uint64_t)l->last : THRIFT_ELSEWHERE;
}

static int field(struct thrift *t, struct thrift_level *l)
{
    uint64_t id;
    if (left(t) == 0)
        return bad(t);
    uint8_t head = *t->at++;
    if (head == WIRE_STOP) {
        t->path = l->path;
        t->depth--;
        return THRIFT_CLOSE;
    }
    if (head >> 4)
        l->last = (l->last + (head >> 4)) & 0xffff;
    else if (thrift_varint(&t->at, t->end, &id))
        l->last = (int32_t)(thrift_zigzag(id) & 0xffff);
    else
        return bad(t);
    t->path = path_of(l);
    return value(t, head & 15, false);
}

enum thrift_event thrift_next(struct thrift *t)
{
    int event = NOTHING;
    while (event == NOTHING) {
        if (t->bad || t->depth == 0)
            return t->bad ? THRIFT_BAD : THRIFT_END;
        struct thrift_level *l = &t->level[t->depth - 1];
        if (!l->list)
            event = field(t, l);
        else if (l->left == 0)
            t->depth--;
        else {
            uint8_t type = l->type[l->left-- & 1];
            t->path = l->path;
            event = value(t, type, true);
        }
    }
    return (enum thrift_event)event;
}
