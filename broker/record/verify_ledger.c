/* SPDX-License-Identifier: ISC
 * A bag against the ledger of its destination: an older bag in a newer one's place is itself whole and signed, and only
 * what is known from elsewhere (a number, a head) shows it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "record/ledger.h"
#include "record/verify_parts.h"

static bool has_head(const struct ledger *ledger, const char *head)
{
    uint8_t want[SHA256_SIZE];
    if (strlen(head) != SHA256_HEX - 1 || !hex_decode(head, want, SHA256_SIZE))
        return false;
    for (size_t i = 0; i < ledger->n; i++)
        if (sha256_equal(ledger->v[i].digest, want))
            return true;
    return false;
}

static void compare(struct verify *v, const struct ledger *ledger)
{
    const struct verify_options *options = v->options;
    uint8_t tagmanifest[SHA256_SIZE];
    const struct ledger_entry *entry = NULL;
    if (hex_decode(v->out->tagmanifest_sha256, tagmanifest, SHA256_SIZE))
        entry = ledger_of_bag(ledger, tagmanifest);
    if (entry)
        v->out->sequence = entry->sequence;
    if (!entry)
        verify_differs(v, "ledger", false, NULL, "the destination's ledger does not know this bag");
    else if (options->at_least && entry->sequence < options->at_least)
        verify_differs(v, "rollback", false, NULL, "the bag is older than the one asked for: another stands in its place");
    if (options->head && !has_head(ledger, options->head))
        verify_differs(v, "rollback", false, NULL, "the head asked for is not in the ledger: its end was cut off or rewritten");
}

static int against_ledger(struct verify *v, int dest_fd)
{
    struct ledger ledger;
    int rc = ledger_load(dest_fd, &ledger);
    if (rc < 0) {
        verify_differs(v, "ledger", false, NULL, "the destination has no ledger that can be read");
        return 0;
    }
    if (rc == 1)
        verify_differs(v, "ledger", false, LEDGER_NAME, ledger.fault);
    compare(v, &ledger);
    ledger_free(&ledger);
    return 0;
}

int verify_rollback(struct verify *v)
{
    if (!v->options->at_least && !v->options->head)
        return 0;
    if (v->packed) {
        verify_differs(v, "ledger", false, NULL, "a bag in one file has no destination: verify it where it was published");
        return 0;
    }
    AUTO_FD dest = openat(v->root.fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dest < 0 ? -1 : against_ledger(v, dest);
}
