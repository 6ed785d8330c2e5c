/* SPDX-License-Identifier: ISC
 * What a fetch may ask for, and where it may lead. Pure. */
#include <stdlib.h>
#include <string.h>

#include "box/box_gate.h"

struct block {
    uint8_t address[16];
    unsigned bits;
};

/* The host itself, its link, groups, and the metadata services of clouds. IPv4 blocks are mapped ones. */
static const struct block blocks[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0}, 104},       /* 0.0.0.0/8: this host */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 0}, 104},     /* loopback */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254, 0, 0}, 112},   /* link-local, and metadata */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 100, 100, 100, 200}, 128}, /* metadata of one cloud */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 168, 63, 129, 16}, 128}, /* and of another */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 224, 0, 0, 0}, 99},      /* groups and reserved: 224.0.0.0/3 */
    {{0}, 96},                                                           /* ::, ::1, and IPv4 in its old form */
    {{0xfe, 0x80}, 10},                                                  /* link-local */
    {{0xff}, 8},                                                         /* groups */
    {{0xfd, 0x00, 0x0e, 0xc2}, 32},                                      /* metadata */
    {{0x00, 0x64, 0xff, 0x9b}, 32},                                      /* IPv4 behind a translator */
    {{0x20, 0x02}, 16},                                                  /* IPv4 behind a tunnel */
    {{0x20, 0x01, 0, 0}, 32},                                            /* the same */
};

static bool in_block(const struct block *b, const uint8_t address[16])
{
    unsigned whole = b->bits / 8, rest = b->bits % 8;
    uint8_t mask = (uint8_t)(0xff00u >> rest);
    return memcmp(b->address, address, whole) == 0 &&
           (rest == 0 || (b->address[whole] & mask) == (address[whole] & mask));
}

bool gate_allows(const struct gate_own *own, const uint8_t address[16])
{
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (in_block(&blocks[i], address))
            return false;
    for (size_t i = 0; i < own->n; i++)
        if (memcmp(own->v[i], address, 16) == 0)
            return false;
    return true;
}

/* host, host:port or [v6]:port up to `end`; *port is what is taken without one, 0: one is needed. */
static bool take_authority(const char *p, const char *end, char host[256], uint16_t *port)
{
    bool six = p < end && *p == '[';
    const char *last = six ? memchr(p, ']', (size_t)(end - p)) : p + strcspn(p, ":/ ");
    if (!last || last > end)
        return false;
    const char *name = p + six;
    size_t n = (size_t)(last - name);
    if (n == 0 || n > 253)
        return false;
    for (size_t i = 0; i < n; i++)
        if (name[i] < 0x21 || name[i] > 0x7e || strchr("\"\\<>@?#%", name[i]))
            return false;
    memcpy(host, name, n);
    host[n] = 0;
    p = last + six;
    if (p < end && *p == ':') {
        char *stop;
        unsigned long v = strtoul(p + 1, &stop, 10);
        if (p[1] < '0' || p[1] > '9' || v == 0 || v > 65535)
            return false;
        *port = (uint16_t)v;
        p = stop;
    }
    return p == end && *port != 0;
}

bool gate_request(const char *line, char host[256], uint16_t *port, const char **path)
{
    static const char scheme[] = "http://";
    size_t method = strcspn(line, " ");
    const char *target = line + method + (line[method] == ' ');
    const char *end = target + strcspn(target, " ");
    if (method == 0 || method > 16 || end == target || strncmp(end, " HTTP/1.", 8) != 0 || strlen(end) != 9)
        return false;
    for (const char *p = line; *p; p++) /* a line feed alone ends a line for some servers */
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    *path = NULL;
    *port = 0;
    if (method == 7 && memcmp(line, "CONNECT", 7) == 0)
        return take_authority(target, end, host, port);
    if (strncmp(target, scheme, sizeof scheme - 1) != 0)
        return false;
    target += sizeof scheme - 1;
    *path = memchr(target, '/', (size_t)(end - target));
    *port = 80;
    return *path && take_authority(target, *path, host, port);
}
