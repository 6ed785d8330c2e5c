/* SPDX-License-Identifier: ISC
 * Set-up of the secret inspector in the first reader's parent, before confinement and before any hostile byte, and its
 * entry in the table of inspectors. Trusts the embedded rules; checks the operator's as it checks everything. */
#include "inspect/secret_first.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/secret.h"

/* Set once before the first child is forked, never changed: an inspector's run() has no other way to its tables. */
static struct secret_engine *engine;

static int read_rules(int fd, struct rule_table *out)
{
    uint8_t *data = NULL;
    size_t len = 0;
    /* The offset is shared with every worker that read the table before. */
    if (lseek(fd, 0, SEEK_SET) != 0 || fd_read_all(fd, RULE_TABLE_BYTES, &data, &len) != 0)
        return -1;
    bool good = rule_table_decode(out, data, len);
    free(data);
    errno = good ? 0 : EPROTO;
    return good ? 0 : -1;
}

int secret_setup(int rules_fd)
{
    char why[256];
    struct rule_table table, extra;
    if (!rule_table_decode(&table, rules_table, rules_table_len))
        return -1;
    if (rules_fd >= 0) {
        bool good = read_rules(rules_fd, &extra) == 0 && secret_db_measure(&extra, why, sizeof(why));
        if (!good || rule_table_move(&table, &extra) != 0) {
            rule_table_free(&table);
            return -1;
        }
    }
    engine = secret_engine_new(&table, rules_fd < 0 ? rules_database : NULL, rules_database_len, why, sizeof(why));
    rule_table_free(&table);
    if (!engine)
        errno = EINVAL;
    return engine ? 0 : -1;
}

void secret_warm(void)
{
    secret_engine_warm(engine);
}

void secret_inspect(struct inspection *in)
{
    secret_scan(engine, in);
}
