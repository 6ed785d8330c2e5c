/* SPDX-License-Identifier: ISC
 * ssh-agent signs: the private key stays there (OpenSSH, draft-miller-ssh-agent). The agent is the operator's, found by
 * SSH_AUTH_SOCK; its answers are bounded and checked. */
#ifndef SALLYPORT_SIGN_AGENT_H
#define SALLYPORT_SIGN_AGENT_H

#include "record/ssh_wire.h"

/* 0, or -1 with errno: ENXIO no agent is named or listening, EPERM it does not hold the key or will not
 * sign, EPROTO it answered something else, ETIMEDOUT. */
int sign_agent(const uint8_t public_key[ED25519_PUBLIC], const void *data, size_t len,
               uint8_t signature[ED25519_SIGNATURE]) MUST_CHECK;

#endif
