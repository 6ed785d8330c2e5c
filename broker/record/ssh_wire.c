/* SPDX-License-Identifier: ISC */
#include "record/ssh_wire.h"

#include <string.h>

static const char ed25519[] = "ssh-ed25519";

uint32_t ssh_u32(struct reader *r)
{
    const uint8_t *p = reader_take(r, 4);
    return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

const uint8_t *ssh_string(struct reader *r, size_t *len)
{
    *len = ssh_u32(r);
    return reader_take(r, *len);
}

bool ssh_string_is(struct reader *r, const char *text)
{
    size_t len;
    const uint8_t *p = ssh_string(r, &len);
    return p && len == strlen(text) && memcmp(p, text, len) == 0;
}

void ssh_put_u32(struct buf *out, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_u8(out, (uint8_t)(v >> shift));
}

void ssh_put_string(struct buf *out, const void *data, size_t len)
{
    if (len > UINT32_MAX)
        out->failed = true;
    ssh_put_u32(out, (uint32_t)len);
    buf_bytes(out, data, len);
}

void ssh_put_text(struct buf *out, const char *text)
{
    ssh_put_string(out, text, strlen(text));
}

void ssh_put_public(struct buf *out, const uint8_t key[ED25519_PUBLIC])
{
    ssh_put_text(out, ed25519);
    ssh_put_string(out, key, ED25519_PUBLIC);
}

bool ssh_public_decode(const uint8_t *blob, size_t len, uint8_t key[ED25519_PUBLIC])
{
    struct reader r;
    size_t n;
    reader_init(&r, blob, len);
    if (!ssh_string_is(&r, ed25519))
        return false;
    const uint8_t *p = ssh_string(&r, &n);
    if (!p || n != ED25519_PUBLIC || !reader_done(&r))
        return false;
    memcpy(key, p, n);
    return true;
}
