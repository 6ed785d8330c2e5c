/* SPDX-License-Identifier: ISC
 * Harness for record/allowed_signers.c: one input is a list of keys. A malformed list is empty and its line is named; in
 * a good one a key that no line names never matches. */
#include <stdlib.h>
#include <string.h>

#include "record/allowed_signers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct allowed_signers list;
    const char *principals;
    uint8_t absent[ED25519_PUBLIC];
    long line = allowed_signers_parse(&list, (const char *)data, size);
    require(line >= 0 && (line == 0 || list.n == 0) && list.n <= size);
    memset(absent, 0x5A, sizeof(absent));
    bool named = false;
    for (size_t i = 0; i < list.n; i++) {
        require(list.v[i].principals && list.v[i].line > 0);
        named |= memcmp(list.v[i].key, absent, sizeof(absent)) == 0;
        enum signer_match match = allowed_signers_match(&list, list.v[i].key, list.v[i].principals, 1790000000, &principals);
        require(match != SIGNER_UNKNOWN && principals);
    }
    enum signer_match none = allowed_signers_match(&list, absent, "a", 1, &principals);
    require(named || (none == SIGNER_UNKNOWN && !principals));
    allowed_signers_free(&list);
    return 0;
}
