/* SPDX-License-Identifier: ISC
 * Harness for base/wire.c. The input is what a hostile peer sends before it closes: every frame that comes out must be one
 * that could have been sent, and the frames and the rest must be the input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 64 * 1024 }; /* fits any socket buffer: nobody reads while it is written */

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void receive_all(struct wire *w, const uint8_t *data, size_t size)
{
    struct wire again = {.fd = -1};
    struct frame f;
    size_t at = 0;
    int got = 0;
    while ((got = wire_recv(w, &f, true)) == 1) {
        require(f.fd == -1 && size - at >= 8 + f.len && memcmp(f.payload, data + at + 8, f.len) == 0);
        require(wire_queue(&again, f.type, f.payload, f.len, -1) == 0);
        require(memcmp(again.out, data + at, again.out_len) == 0);
        again.out_len = 0;
        at += 8 + f.len;
    }
    require(got == -1 && (errno == EPROTO || (errno == EPIPE && at == size)));
    wire_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int pair[2];
    struct wire w;
    if (size > INPUT_MAX)
        return 0;
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    wire_init(&w, &pair[0], false);
    require(fd_write_full(pair[1], data, size) == 0);
    close(pair[1]);
    receive_all(&w, data, size);
    wire_close(&w);
    return 0;
}
