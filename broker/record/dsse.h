/* SPDX-License-Identifier: ISC
 * DSSE envelopes (secure-systems-lab/dsse, protocol 1.0): the payload that was signed, its type and one signature over
 * both. Reading never hands out a payload other than the one that the signature covers. */
#ifndef SALLYPORT_DSSE_H
#define SALLYPORT_DSSE_H

#include "record/ssh_wire.h"

#define DSSE_INTOTO "application/vnd.in-toto+json"

/* Pre-authentication encoding: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body. */
void dsse_pae(struct buf *out, const char *type, const void *body, size_t len);
/* The envelope as canonical JSON with LF. */
void dsse_write(struct buf *out, const void *payload, size_t len, const char *keyid,
                const uint8_t signature[ED25519_SIGNATURE]);

struct dsse {
    uint8_t *payload;      /* owned; one NUL behind it that is not counted */
    size_t payload_len;
    char keyid[80];
    uint8_t signature[ED25519_SIGNATURE];
};

/* Exactly one signature, payload type in-toto, no other member. False: not that. */
bool dsse_read(const char *text, size_t len, struct dsse *out);
void dsse_free(struct dsse *dsse);

#endif
