/* SPDX-License-Identifier: ISC
 * Claims by structure, for formats that no signature at the start shows. Runs in the confined child on hostile bytes;
 * each reads a bounded number of them. */
#include <string.h>

#include "base/limits.h"
#include "inspect/octet_run.h"
#include "inspect/octets.h"
#include "inspect/type_name.h"

/* Could a reader that looks for the end record from the end take this one? Its directory must fit before it. */
static bool end_record(const uint8_t *p, uint64_t at)
{
    uint64_t size = get_le32(p + 12), offset = get_le32(p + 16);
    bool zip64 = offset == UINT32_MAX || get_le16(p + 10) == UINT16_MAX;
    return get_le16(p + 4) == get_le16(p + 6) && get_le16(p + 8) <= get_le16(p + 10) && (zip64 || size + offset <= at);
}

/* ZIP is read from its end, so anything may stand before. Archives that account for all of their bytes rightly hold such
 * a record in their last member; there only one that ends exactly with the file counts. */
static bool zip_at_end(const struct inspection *in, const uint8_t *p, size_t len, uint64_t base)
{
    bool holds_others = claims_by_content(&in->claims, TYPE_TAR) || claims_by_content(&in->claims, TYPE_AR) ||
                        claims_by_content(&in->claims, TYPE_CPIO) || claims_by_content(&in->claims, TYPE_PCAP);
    const uint8_t *hit = p;
    while ((hit = octet_find(hit, len - (size_t)(hit - p), (const uint8_t *)"PK\5\6", 4)) && len - (size_t)(hit - p) >= 22) {
        size_t i = (size_t)(hit - p), comment = get_le16(hit + 20);
        if (end_record(hit, base + i) && (!holds_others || i + 22 + comment == len))
            return true;
        hit++;
    }
    return false;
}

static void look_for_zip(struct inspection *in)
{
    enum { TAIL = 22 + 65535 };
    if (in->clean == in->bytes->size)
        return; /* printable throughout: no record's mark can be in it */
    size_t len = in->bytes->size < TAIL ? (size_t)in->bytes->size : TAIL;
    uint64_t base = in->bytes->size - len;
    const uint8_t *p = len >= 22 ? bytes_at(in->bytes, base, len) : NULL;
    if (p && zip_at_end(in, p, len, base))
        inspect_claim(in, TYPE_ZIP, EVIDENCE_TAIL);
}

/* A length of at most 100 MB, then an object in JSON; the scanner validates the rest. */
static void look_for_safetensors(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 10);
    if (!p)
        return;
    uint64_t header = get_le64(p);
    if (header >= 2 && header <= SAFETENSORS_HEADER && header <= in->bytes->size - 8 && p[8] == '{' &&
        (p[9] == '"' || p[9] == '}' || p[9] == ' '))
        inspect_claim(in, TYPE_SAFETENSORS, EVIDENCE_STRUCTURE);
}

static bool varint(struct bytes *b, uint64_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *p = bytes_at(b, *at, 1);
        if (!p)
            return false;
        ++*at;
        *value |= (uint64_t)(*p & 0x7F) << shift;
        if (*p < 0x80)
            return true;
    }
    return false;
}

/* An ONNX model is a protobuf message without a magic: its fields must tile the file, with the graph and the operator
 * sets among them. */
static bool is_onnx(struct bytes *b)
{
    enum { IR_VERSION = 1, MODEL_VERSION = 5, GRAPH = 7, OPSET = 8, LAST = 26, FIELDS_MAX = 4096 };
    unsigned seen = 0;
    uint64_t at = 0, key, value;
    for (int fields = 0; fields < FIELDS_MAX && at < b->size; fields++) {
        if (!varint(b, &at, &key) || !varint(b, &at, &value))
            return false;
        uint64_t number = key >> 3, wire = key & 7;
        bool is_number = number == IR_VERSION || number == MODEL_VERSION;
        if (number == 0 || number > LAST || wire != (is_number ? 0 : 2))
            return false;
        if (wire == 2) {
            if (value > b->size - at)
                return false;
            at += value;
        }
        seen |= 1u << number;
    }
    return at == b->size && (seen & 1u << GRAPH) && (seen & 1u << OPSET) && (seen & 1u << IR_VERSION);
}

void type_structure(struct inspection *in)
{
    look_for_zip(in);
    if (in->text == TYPE_PLAIN)
        return;
    look_for_safetensors(in);
    const uint8_t *p = bytes_at(in->bytes, 0, 2);
    if (p && p[0] == 0x08 && p[1] > 0 && p[1] < 64 && is_onnx(in->bytes))
        inspect_claim(in, TYPE_ONNX, EVIDENCE_STRUCTURE);
}
