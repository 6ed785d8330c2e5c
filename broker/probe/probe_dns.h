/* SPDX-License-Identifier: ISC
 * The smallest part of DNS (RFC 1035) that the probes of names need: one question, one IPv4 answer. Pure; used by the probe
 * program and by the oracle outside, which treats what it gets as hostile. */
#ifndef SALLYPORT_PROBE_DNS_H
#define SALLYPORT_PROBE_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DNS_MESSAGE = 512 };

/* A question for the IPv4 address of a name; its length, 0: the name does not fit. */
size_t dns_question(uint8_t out[DNS_MESSAGE], const char *name);
/* The answer to a question; its length, 0: it is none. */
size_t dns_answer(uint8_t out[DNS_MESSAGE], const uint8_t *question, size_t len, const uint8_t address[4]);
/* Does the question begin with this label? */
bool dns_asks(const uint8_t *question, size_t len, const char *label);
/* The address in an answer made by dns_answer(). */
bool dns_address(const uint8_t *answer, size_t len, uint8_t address[4]);

#endif
