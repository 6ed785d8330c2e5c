/* SPDX-License-Identifier: ISC
 * Payloads of the frames that a worker child sends. Encoded in the worker, decoded in the broker, where a child is as
 * hostile as what it read: exact sizes, known numbers, UTF-8 without control characters in messages, no NUL in names,
 * nothing set that its flag does not announce. Pure. */
#ifndef SALLYPORT_FINDING_WIRE_H
#define SALLYPORT_FINDING_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/item.h"

struct nested_listing;
struct stream_member;

struct wire_hello {
    bool seccomp, rlimits;
    uint32_t landlock_abi;
};

struct wire_claim {
    uint64_t id;
    enum type type;
    enum evidence evidence;
};

struct wire_done {
    uint64_t id;
    enum inspector_id inspector;
    uint32_t findings; /* said while this inspector ran */
};

struct wire_finish {
    uint64_t id;
    uint64_t entries, unpacked;
    uint32_t findings; /* in all */
};

struct wire_listing {
    uint64_t id;
    uint8_t sha256[SHA256_SIZE];
    uint64_t count;
};

/* A decoded listing of an archive inside the file; member is owned by the receiver. */
struct wire_nested {
    uint64_t id;
    enum type container;
    bool spooled;
    uint64_t base, size, count;
    uint8_t sha256[SHA256_SIZE];
    char *member; /* NULL: the file itself, below one compression */
};

/* A decoded tar member; path is owned by the receiver. */
struct wire_extent {
    uint64_t id;
    uint64_t offset, length;
    uint32_t mode, uid, gid;
    int64_t mtime_ns;
    enum object_kind kind;
    char *path;
};

struct wire_ready {
    char version[64];
    char libraries[512];
};

void wire_hello_encode(const struct wire_hello *hello, struct buf *out);
bool wire_hello_decode(struct wire_hello *hello, const uint8_t *data, size_t len);
void wire_start_encode(uint64_t id, struct buf *out);
bool wire_start_decode(uint64_t *id, const uint8_t *data, size_t len);
void wire_claim_encode(const struct wire_claim *claim, struct buf *out);
bool wire_claim_decode(struct wire_claim *claim, const uint8_t *data, size_t len);
void wire_done_encode(const struct wire_done *done, struct buf *out);
bool wire_done_decode(struct wire_done *done, const uint8_t *data, size_t len);
void wire_finish_encode(const struct wire_finish *finish, struct buf *out);
bool wire_finish_decode(struct wire_finish *finish, const uint8_t *data, size_t len);
void wire_listing_encode(const struct wire_listing *listing, struct buf *out);
bool wire_listing_decode(struct wire_listing *listing, const uint8_t *data, size_t len);
void wire_nested_encode(uint64_t id, const struct nested_listing *nested, struct buf *out);
bool wire_nested_decode(struct wire_nested *nested, const uint8_t *data, size_t len);
void wire_extent_encode(uint64_t id, const struct stream_member *member, struct buf *out);
bool wire_extent_decode(struct wire_extent *extent, const uint8_t *data, size_t len);
void wire_ready_encode(const struct wire_ready *ready, struct buf *out);
bool wire_ready_decode(struct wire_ready *ready, const uint8_t *data, size_t len);

/* Member and message are borrowed on encoding (over-long or hostile ones are cut or left out: a finding is never lost
 * for its text) and owned by *finding after a successful decode. */
void wire_finding_encode(uint64_t id, const struct finding *finding, struct buf *out);
bool wire_finding_decode(uint64_t *id, struct finding *finding, const uint8_t *data, size_t len);

#endif
