/* SPDX-License-Identifier: ISC
 * Harness for box/box_gate_request.c. One input is an address of 16 bytes and one request line; what is taken from the line
 * must be a part of it, and no form of an address may get around a block. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "box/box_gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_line(const char *line)
{
    char host[256];
    uint16_t port = 0;
    const char *path = NULL;
    memset(host, 'x', sizeof host);
    if (!gate_request(line, host, &port, &path))
        return;
    require(memchr(host, 0, sizeof host) != NULL && host[0] != 0 && port != 0);
    require(strstr(line, host) != NULL);
    for (const char *p = host; *p; p++)
        require(*p > ' ' && *p < 0x7f && !strchr("@/\\#?%", *p));
    require(strpbrk(line, "\r\n") == NULL);
    require(path == NULL ? strncmp(line, "CONNECT ", 8) == 0 : path > line && path < line + strlen(line) && *path == '/');
}

static void check_address(const uint8_t address[16])
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    struct gate_own none = {.n = 0}, own = {.n = 1};
    bool v4 = memcmp(address, mapped, sizeof mapped) == 0;
    memcpy(own.v[0], address, 16);
    require(!gate_allows(&own, address));
    if (!gate_allows(&none, address))
        return;
    require(!(v4 && (address[12] == 127 || address[12] == 0 || (address[12] == 169 && address[13] == 254))));
    require(address[0] != 0xff && !(address[0] == 0xfe && (address[1] & 0xc0) == 0x80));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 16)
        return 0;
    check_address(data);
    AUTO_FREE char *line = malloc(size - 16 + 1);
    require(line != NULL);
    memcpy(line, data + 16, size - 16);
    line[size - 16] = 0;
    check_line(line);
    return 0;
}
