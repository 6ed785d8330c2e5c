/* SPDX-License-Identifier: ISC
 * Broker. --take arguments into a contract: written out as contract text first, so that the record shows a contract
 * that says the same, and read by the one parser. Line N+OUTPUTS_LINE of that text is argument N. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "contract/contract_errors.h"
#include "contract/yaml_text.h"

enum { OUTPUTS_LINE = 3 };

static void write_types(struct buf *out, const char *types, size_t len)
{
    buf_text(out, ", types: [");
    for (size_t at = 0; at <= len;) {
        const char *plus = memchr(types + at, '+', len - at);
        size_t end = plus ? (size_t)(plus - types) : len;
        if (at)
            buf_text(out, ", ");
        yaml_text_quote(out, types + at, end - at);
        at = end + 1;
    }
    buf_text(out, "]");
}

/* PATH=TYPE[+TYPE...][,SIZE]; the last '=' parts the two, so that a name may hold one. */
static bool write_take(struct buf *out, const char *take, unsigned number, struct contract_errors *errors)
{
    size_t len = strlen(take);
    const char *equals = strrchr(take, '='), *comma = equals ? strchr(equals, ',') : NULL;
    const char *end = comma ? comma : take + len;
    if (!utf8_valid((const uint8_t *)take, len)) {
        contract_errors_add(errors, number, 1, "the name is not UTF-8; name such a file by a glob");
        return false;
    }
    if (!equals || equals == take || end == equals + 1) {
        contract_errors_add(errors, number, 1, "write PATH=TYPE or PATH=TYPE,SIZE, as in 'report.json=json,2M', not '%s'",
                            contract_quote(take, len).text);
        return false;
    }
    size_t name = (size_t)(equals - take);
    buf_text(out, strcspn(take, "*?[") < name ? "  - {glob: " : "  - {path: ");
    yaml_text_quote(out, take, name);
    write_types(out, equals + 1, (size_t)(end - equals) - 1);
    if (comma) {
        buf_text(out, ", max: ");
        yaml_text_quote(out, comma + 1, strlen(comma + 1));
    }
    buf_text(out, "}\n");
    return true;
}

/* Positions in the text of our own mean nothing to the operator: the argument's number does. */
static void renumber(struct contract_errors *errors)
{
    for (size_t i = 0; i < errors->n; i++) {
        errors->v[i].line = errors->v[i].line > OUTPUTS_LINE ? errors->v[i].line - OUTPUTS_LINE : 1;
        errors->v[i].column = 1;
    }
}

static int parse_text(struct buf *text, struct contract **out, struct contract_errors *errors)
{
    int rc = contract_parse("--take", text->data, text->len, out, errors);
    if (rc < 0) {
        renumber(errors);
        return -1;
    }
    free((*out)->file);
    (*out)->file = NULL;
    return 0;
}

int contract_from_takes(char *const *takes, size_t n, struct contract **out, struct contract_errors *errors)
{
    struct buf text;
    bool good = n > 0;
    *errors = (struct contract_errors){.n = 0};
    *out = NULL;
    buf_init(&text, CONTRACT_BYTES);
    buf_text(&text, "sallyport: 1\nname: take\noutputs:\n");
    for (size_t i = 0; i < n; i++)
        good &= write_take(&text, takes[i], (unsigned)i + 1, errors);
    if (n == 0)
        contract_errors_add(errors, 1, 1, "nothing to take");
    if (text.failed)
        contract_errors_add(errors, 1, 1, "too many takes; write a contract file");
    int rc = -1;
    if (good && !text.failed)
        rc = parse_text(&text, out, errors);
    else
        errno = EINVAL;
    int saved = errno;
    buf_free(&text);
    errno = saved;
    return rc;
}
