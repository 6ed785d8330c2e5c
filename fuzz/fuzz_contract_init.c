/* SPDX-License-Identifier: ISC
 * Harness for contract/contract_init.c and contract_takes.c. One input is a list of lines. As file names they make a
 * contract that reads without an error; as takes they make one whose text says the same, or errors. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "contract/contract_init.h"
#include "contract/contract_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 64 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_init(char *const *lines, size_t n)
{
    struct init_file files[LINES];
    struct buf out;
    struct contract *c;
    struct contract_errors errors;
    for (size_t i = 0; i < n; i++)
        files[i] = (struct init_file){lines[i], (uint64_t)i << i};
    buf_init(&out, MIB);
    contract_init_write(n ? lines[0] : NULL, files, n, &out);
    require(!out.failed && memchr(out.data, 0x1b, out.len) == NULL);
    require(contract_parse("init", out.data, out.len, &c, &errors) == 0 && c->outputs_n > 0);
    contract_errors_free(&errors);
    contract_free(&c);
    buf_free(&out);
}

static void check_takes(char *const *lines, size_t n)
{
    struct contract *c, *again;
    struct contract_errors errors;
    if (contract_from_takes(lines, n, &c, &errors) == 0) {
        require(c->outputs_n == n);
        require(contract_parse("again", c->text, c->text_len, &again, &errors) == 0 && again->outputs_n == n);
        contract_free(&again);
    } else {
        require(errors.n > 0);
        for (size_t i = 0; i < errors.n; i++)
            require(errors.v[i].line >= 1 && errors.v[i].line <= (n ? n : 1));
    }
    contract_errors_free(&errors);
    contract_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines[LINES];
    size_t n = 0;
    AUTO_FREE char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = strtok(text, "\n"); at && n < LINES; at = strtok(NULL, "\n"))
        lines[n++] = at;
    check_init(lines, n);
    check_takes(lines, n);
    return 0;
}
