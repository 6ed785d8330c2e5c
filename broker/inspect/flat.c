/* SPDX-License-Identifier: ISC
 * See flat.h. Runs in the confined child on hostile bytes. */
#include "inspect/flat.h"

#include "inspect/octets.h"

enum { OFFSET = 4, SLOT = 2 };

static bool inside(struct flat *f, size_t at, size_t n)
{
    bool good = at <= f->len && n <= f->len - at;
    f->bad = f->bad || !good;
    return good;
}

static bool table_at(struct flat *f, size_t at, struct flat_table *t)
{
    if (!inside(f, at, OFFSET))
        return false;
    int64_t list = (int64_t)at - (int32_t)get_le32(f->data + at);
    if (list < 0 || !inside(f, (size_t)list, 2 * SLOT)) {
        f->bad = true;
        return false;
    }
    unsigned size = get_le16(f->data + list);
    if (size < 2 * SLOT || !inside(f, (size_t)list, size)) {
        f->bad = true;
        return false;
    }
    *t = (struct flat_table){.at = at, .slots = (size_t)list + 2 * SLOT, .n = (size - 2 * SLOT) / SLOT};
    return true;
}

/* Where a slot's value is, `size` bytes of it; 0: not there. */
static size_t slot_at(struct flat *f, const struct flat_table *t, unsigned slot, size_t size)
{
    unsigned offset = slot < t->n ? get_le16(f->data + t->slots + slot * SLOT) : 0;
    return offset > 0 && inside(f, t->at + offset, size) ? t->at + offset : 0;
}

static size_t follow(struct flat *f, size_t at)
{
    uint32_t offset = get_le32(f->data + at);
    return inside(f, at, offset) ? at + offset : 0;
}

bool flat_root(struct flat *f, struct flat_table *table)
{
    size_t at = inside(f, 0, OFFSET) ? follow(f, 0) : 0;
    return at > 0 && table_at(f, at, table);
}

uint64_t flat_number(struct flat *f, const struct flat_table *table, unsigned slot, unsigned size, uint64_t missing)
{
    size_t at = slot_at(f, table, slot, size);
    uint64_t value = 0;
    for (unsigned i = 0; at > 0 && i < size; i++)
        value |= (uint64_t)f->data[at + i] << (8 * i);
    return at > 0 ? value : missing;
}

bool flat_child(struct flat *f, const struct flat_table *table, unsigned slot, struct flat_table *child)
{
    size_t at = slot_at(f, table, slot, OFFSET);
    at = at > 0 ? follow(f, at) : 0;
    return at > 0 && table_at(f, at, child);
}

struct flat_vector flat_list(struct flat *f, const struct flat_table *table, unsigned slot, size_t size)
{
    struct flat_vector v = {0, 0};
    size_t at = slot_at(f, table, slot, OFFSET);
    at = at > 0 ? follow(f, at) : 0;
    if (at == 0 || !inside(f, at, OFFSET))
        return v;
    uint32_t n = get_le32(f->data + at);
    if (n > (f->len - at - OFFSET) / size) {
        f->bad = true;
        return v;
    }
    v = (struct flat_vector){at + OFFSET, n};
    return v;
}

bool flat_element(struct flat *f, const struct flat_vector *list, uint32_t index, struct flat_table *child)
{
    size_t at = index < list->n ? follow(f, list->at + (size_t)index * OFFSET) : 0;
    return at > 0 && table_at(f, at, child);
}
