/* SPDX-License-Identifier: ISC
 * One question and its one answer, as bytes. */
#include "probe/probe_dns.h"

#include <string.h>

enum { HEADER = 12, LABEL_MAX = 63, TAIL = 4 /* type and class */, RECORD = 16 };

static const uint8_t type_a_class_in[TAIL] = {0, 1, 0, 1};

size_t dns_question(uint8_t out[DNS_MESSAGE], const char *name)
{
    size_t at = HEADER;
    memset(out, 0, DNS_MESSAGE);
    out[1] = 0x2a; /* id */
    out[2] = 1;    /* recursion desired */
    out[5] = 1;    /* one question */
    while (*name) {
        size_t n = strcspn(name, ".");
        if (n == 0 || n > LABEL_MAX || at + 1 + n + 1 + TAIL > DNS_MESSAGE)
            return 0;
        out[at++] = (uint8_t)n;
        memcpy(out + at, name, n);
        at += n;
        name += n + (name[n] == '.');
    }
    out[at++] = 0;
    memcpy(out + at, type_a_class_in, TAIL);
    return at + TAIL;
}

/* Where the question's name ends, after its zero; 0: it does not. */
static size_t name_end(const uint8_t *message, size_t len)
{
    size_t at = HEADER;
    while (at < len && message[at] != 0) {
        if (message[at] > LABEL_MAX)
            return 0;
        at += 1u + message[at];
    }
    return at < len ? at + 1 : 0;
}

size_t dns_answer(uint8_t out[DNS_MESSAGE], const uint8_t *question, size_t len, const uint8_t address[4])
{
    static const uint8_t record[RECORD - 4] = {0xc0, HEADER, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4};
    size_t end = len > DNS_MESSAGE ? 0 : name_end(question, len);
    if (end == 0 || end + TAIL > len || end + TAIL + RECORD > DNS_MESSAGE || (question[2] & 0x80))
        return 0;
    memcpy(out, question, end + TAIL);
    memset(out + 4, 0, HEADER - 4);
    out[2] = 0x81; /* a response */
    out[3] = 0x80;
    out[5] = 1;
    out[7] = 1; /* one answer, that never stays: what rebinding needs */
    memcpy(out + end + TAIL, record, sizeof record);
    memcpy(out + end + TAIL + sizeof record, address, 4);
    return end + TAIL + RECORD;
}

bool dns_asks(const uint8_t *question, size_t len, const char *label)
{
    size_t n = strlen(label);
    return len > HEADER + n && question[HEADER] == n && memcmp(question + HEADER + 1, label, n) == 0;
}

bool dns_address(const uint8_t *answer, size_t len, uint8_t address[4])
{
    size_t end = len < HEADER ? 0 : name_end(answer, len);
    if (end == 0 || !(answer[2] & 0x80) || answer[7] != 1 || end + TAIL + RECORD != len)
        return false;
    memcpy(address, answer + len - 4, 4);
    return true;
}
