/* SPDX-License-Identifier: ISC
 * What the record says of a fetch phase: the deviation, who approved it, what it reached and what came of it. Pure. */
#include "record/record_entry.h"

static void write_destination(struct jsonw *j, const struct fetch_destination *d)
{
    jsonw_object(j);
    jsonw_put_text(j, "address", d->address[0] ? d->address : NULL);
    jsonw_put_u64(j, "connections", d->connections);
    record_name(j, "host", "host_escaped", d->host);
    jsonw_put_u64(j, "port", d->port);
    jsonw_put_u64(j, "received", d->received);
    jsonw_put_u64(j, "sent", d->sent);
    jsonw_put_text(j, "state", d->state);
    jsonw_object_end(j);
}

void record_fetch(struct jsonw *j, const struct fetch_line *fetch)
{
    jsonw_key(j, "fetch");
    jsonw_object(j);
    jsonw_put_text(j, "approved_by", fetch->approved_by);
    jsonw_put_u64(j, "attempts", fetch->attempts);
    jsonw_key(j, "destinations");
    jsonw_array(j);
    for (size_t i = 0; i < fetch->destinations_n; i++)
        write_destination(j, &fetch->destinations[i]);
    jsonw_array_end(j);
    jsonw_put_text(j, "deviation", "the network, before the job and through a relay alone");
    jsonw_put_u64(j, "elapsed_ms", fetch->elapsed_ms);
    jsonw_put_text(j, "fetched_sha256", fetch->tree);
    jsonw_put_text(j, "network_gone", fetch->network_gone);
    jsonw_put_text(j, "reason", fetch->reason);
    jsonw_put_i64(j, "status", fetch->status);
    record_date(j, "until", fetch->until);
    jsonw_object_end(j);
}
