/* SPDX-License-Identifier: ISC
 * Harness for rule files and sealed tables: a file that is read makes a table that survives its own sealed form; an input
 * taken as a sealed form is refused or whole. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/limits.h"
#include "contract/rules_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_rules(const struct rule_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        const struct rule *r = &table->v[i];
        require(rule_id_valid(r->id) && r->about && r->pattern && r->max <= RULE_WIDTH_MAX && r->entropy <= 800);
        require(rule_table_find(table, r->id) == r);
    }
}

static void round_trip(const struct rule_table *table)
{
    struct buf sealed;
    struct rule_table again;
    buf_init(&sealed, RULE_TABLE_BYTES);
    rule_table_encode(table, &sealed);
    require(!sealed.failed && rule_table_decode(&again, sealed.data, sealed.len) && again.n == table->n);
    rule_table_free(&again);
    buf_free(&sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rule_table table;
    struct buf errors;
    buf_init(&errors, MIB);
    if (rules_parse("input", data, size, &table, &errors) == 0) {
        check_rules(&table);
        round_trip(&table);
    } else {
        require(errors.len > 0 && table.n == 0);
    }
    rule_table_free(&table);
    buf_free(&errors);
    /* with the digest made right, the content alone is judged */
    uint8_t *sealed = malloc(size + SHA256_SIZE);
    require(sealed);
    memcpy(sealed, data, size);
    sha256_bytes(data, size, sealed + size);
    if (!rule_table_decode(&table, sealed, size + SHA256_SIZE))
        require(table.n == 0);
    rule_table_free(&table);
    free(sealed);
    return 0;
}
