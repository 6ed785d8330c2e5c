/* SPDX-License-Identifier: ISC
 * Harness for contract/contract_floor.c and contract_floor_check.c. One input is a floor, a line "%%" and a contract;
 * without the line the contract is one that a floor of any kind has something to say about. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "contract/contract_floor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char usual[] =
    "sallyport: 1\nname: t\nnames: posix\nhard-links: within\nsymlinks: skip\npartial: true\nlabels: {a: b}\noutputs:\n"
    "- {path: a, types: [zip, passive], inside: {links: inside, types: [elf]}, max: 1G}\n"
    "- {glob: '*', types: [web], accept: [{code: active/rtf, reason: r, approved-by: a, until: 2099-01-01}]}\n";

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct contract_floor *floor, const uint8_t *text, size_t len)
{
    struct contract *c;
    struct contract_errors errors;
    if (contract_parse("c", text, len, &c, &errors) == 0) {
        int rc = contract_floor_check(floor, c, 1700000000, &errors);
        require((rc == 0) == (errors.n == 0));
        for (size_t i = 0; i < errors.n; i++)
            require(errors.v[i].line >= 1 && errors.v[i].column >= 1 && strstr(errors.v[i].sentence, "floor:"));
    }
    contract_errors_free(&errors);
    contract_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct contract_floor *floor;
    struct contract_errors errors;
    const uint8_t *split = size > 4 ? memmem(data, size, "\n%%\n", 4) : NULL;
    size_t len = split ? (size_t)(split - data) + 1 : size;
    if (contract_floor_parse("floor", data, len, &floor, &errors) == 0) {
        if (split)
            check(floor, split + 4, size - len - 3);
        else
            check(floor, (const uint8_t *)usual, sizeof(usual) - 1);
    } else {
        require(errors.n > 0 && !floor);
    }
    contract_errors_free(&errors);
    contract_floor_free(&floor);
    return 0;
}
