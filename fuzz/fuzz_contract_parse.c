/* SPDX-License-Identifier: ISC
 * Harness for contract/: one input is a contract. What is read is whole; what is not has errors that are safe to show. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/utf8.h"
#include "contract/contract_match.h"
#include "contract/contract_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_output(const struct output *o)
{
    require((o->path != NULL) != (o->glob != NULL));
    require(!o->path || path_grammar(o->path, strlen(o->path)) == PATH_OK);
    require(!o->glob || glob_valid(o->glob, strlen(o->glob)));
    require(!type_set_empty(&o->types) && !type_set_empty(&o->inside.types));
    require(o->max > 0 && o->count_min <= o->count_max && o->count_max > 0);
    require(!type_set_has(&o->types, TYPE_ANY_BINARY) || o->reason);
    for (size_t i = 0; i < o->accept_n; i++)
        require(finding_acceptable(o->accept[i].code) && o->accept[i].reason && o->accept[i].approved_by &&
                o->accept[i].until > 0);
}

static void check_contract(const struct contract *c, size_t size)
{
    require(c->name && c->outputs_n > 0 && c->text_len == size);
    require(c->limits.depth >= 1 && c->limits.depth <= WALK_DEPTH_MAX && c->limits.files >= 1);
    require(!c->run.given || (c->run.command.n > 0 && (c->run.base || c->run.image)));
    for (size_t i = 0; i < c->outputs_n; i++)
        check_output(&c->outputs[i]);
}

/* No byte of the text may act on the terminal that shows the errors. */
static void check_errors(const struct contract_errors *errors, const uint8_t *data, size_t size)
{
    struct buf out;
    require(errors->n > 0);
    buf_init(&out, MIB);
    contract_errors_print(errors, "f\x1b", data, size, &out);
    require(!out.failed && utf8_valid(out.data, out.len));
    for (size_t i = 0; i < out.len;) {
        uint32_t code = 0;
        i += utf8_decode(out.data + i, out.len - i, &code);
        require(code == '\n' || (!utf8_is_control(code) && !utf8_is_format(code)));
    }
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct contract *c = NULL;
    struct contract_errors errors;
    if (contract_parse("fuzz", data, size, &c, &errors) == 0) {
        check_contract(c, size);
        require(errors.n == 0);
    } else {
        require(c == NULL);
        check_errors(&errors, data, size);
    }
    contract_errors_free(&errors);
    contract_free(&c);
    return 0;
}
