/* SPDX-License-Identifier: ISC */
#include "record/sign_agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"

enum {
    AGENT_ANSWER_MAX = 64 * 1024,
    AGENT_SECONDS = 120, /* a person may have to confirm, or touch a token */
    REQUEST_SIGN = 13,
    ANSWER_FAILURE = 5,
    ANSWER_SIGNED = 14
};

static int agent_connect(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = AGENT_SECONDS};
    const char *path = getenv("SSH_AUTH_SOCK");
    if (!path || !*path || strlen(path) >= sizeof(address.sun_path)) {
        errno = ENXIO;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0)
        return fd;
    fd_close(&fd);
    errno = ENXIO;
    return -1;
}

static int send_request(int fd, const uint8_t public_key[ED25519_PUBLIC], const void *data, size_t len)
{
    struct buf body, blob, frame;
    buf_init(&blob, AGENT_ANSWER_MAX);
    buf_init(&body, len + AGENT_ANSWER_MAX);
    buf_init(&frame, len + AGENT_ANSWER_MAX);
    ssh_put_public(&blob, public_key);
    buf_u8(&body, REQUEST_SIGN);
    ssh_put_string(&body, blob.data, blob.len);
    ssh_put_string(&body, data, len);
    ssh_put_u32(&body, 0);
    ssh_put_string(&frame, body.data, body.len);
    errno = ENOMEM;
    int rc = blob.failed || body.failed || frame.failed ? -1 : fd_write_full(fd, frame.data, frame.len);
    buf_free(&blob);
    buf_free(&body);
    buf_free(&frame);
    return rc;
}

static int read_signature(struct reader *r, uint8_t signature[ED25519_SIGNATURE])
{
    struct reader inner;
    size_t len;
    const uint8_t *blob = ssh_string(r, &len);
    errno = EPROTO;
    if (!blob || !reader_done(r))
        return -1;
    reader_init(&inner, blob, len);
    bool kind = ssh_string_is(&inner, "ssh-ed25519");
    const uint8_t *p = ssh_string(&inner, &len);
    if (!kind || !p || len != ED25519_SIGNATURE || !reader_done(&inner))
        return -1;
    memcpy(signature, p, len);
    return 0;
}

static int read_answer(int fd, uint8_t signature[ED25519_SIGNATURE])
{
    uint8_t head[4];
    struct reader r;
    if (fd_read_full(fd, head, sizeof(head)) != 0)
        return -1;
    reader_init(&r, head, sizeof(head));
    size_t len = ssh_u32(&r);
    AUTO_FREE uint8_t *body = len == 0 || len > AGENT_ANSWER_MAX ? NULL : malloc(len);
    if (!body) {
        errno = EPROTO;
        return -1;
    }
    if (fd_read_full(fd, body, len) != 0)
        return -1;
    reader_init(&r, body, len);
    uint8_t kind = reader_u8(&r);
    if (kind == ANSWER_SIGNED)
        return read_signature(&r, signature);
    errno = kind == ANSWER_FAILURE ? EPERM : EPROTO;
    return -1;
}

int sign_agent(const uint8_t public_key[ED25519_PUBLIC], const void *data, size_t len,
               uint8_t signature[ED25519_SIGNATURE])
{
    AUTO_FD fd = agent_connect();
    if (fd < 0 || send_request(fd, public_key, data, len) != 0 || read_answer(fd, signature) != 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}
