/* SPDX-License-Identifier: ISC
 * Harness for record/sshsig.c and dsse.c: one input is a signature file or an envelope. What is read as one encodes again
 * to a text that reads the same. */
#include <stdlib.h>
#include <string.h>

#include "record/dsse.h"
#include "record/sshsig.h"
#include "record/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_sshsig(const char *text, size_t len)
{
    struct sshsig sig, again;
    struct buf out;
    enum sshsig_fault fault = sshsig_read(text, len, &sig);
    require(sshsig_fault_text(fault) != NULL);
    if (fault != SSHSIG_OK)
        return;
    buf_init(&out, SSHSIG_TEXT_MAX);
    sshsig_armor(&out, &sig);
    require(!out.failed && sshsig_read((const char *)out.data, out.len, &again) == SSHSIG_OK);
    require(memcmp(&sig, &again, sizeof(sig)) == 0);
    buf_free(&out);
}

static void check_dsse(const char *text, size_t len)
{
    struct dsse dsse, again;
    struct statement_read read;
    struct buf out;
    if (!dsse_read(text, len, &dsse))
        return;
    buf_init(&out, 4 * len + 4096);
    dsse_write(&out, dsse.payload, dsse.payload_len, dsse.keyid, dsse.signature);
    require(!out.failed && dsse_read((const char *)out.data, out.len, &again));
    require(again.payload_len == dsse.payload_len && memcmp(again.payload, dsse.payload, dsse.payload_len) == 0);
    if (statement_parse((const char *)dsse.payload, dsse.payload_len, &read))
        statement_read_free(&read);
    buf_free(&out);
    dsse_free(&dsse);
    dsse_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_sshsig((const char *)data, size);
    check_dsse((const char *)data, size);
    return 0;
}
