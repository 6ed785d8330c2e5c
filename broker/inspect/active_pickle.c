/* SPDX-License-Identifier: ISC
 * Pickles, whatever the file is called. Loading one runs whatever it names, so every file and member is walked from its
 * first byte; data-only pickles are a type that an output may list. Runs in the confined child on hostile bytes. */
#include "inspect/active_pickle.h"

#include "inspect/active_binary.h"
#include "inspect/pickle.h"

bool active_pickle_applies(const struct inspection *in)
{
    return in->bytes->size > 1;
}

/* Has a walker accounted for the bytes as another format? Its first bytes read as opcodes by chance: a zip is "PK". */
static bool explained(const struct inspection *in)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (t != TYPE_PICKLE && (in->claims.of[t] & 1u << EVIDENCE_STRUCTURE))
            return true;
    return false;
}

void active_pickle_at(struct inspection *in, uint64_t offset)
{
    struct pickle_walk walk = pickle_walk(in->bytes, offset);
    bool text = in->text == TYPE_PLAIN && !walk.protocol;
    bool named = claims_has(&in->claims, TYPE_PICKLE) || type_set_has(in->admitted, TYPE_PICKLE);
    /* Names at the start of plain lines are words until something is done with them. */
    bool chance = !walk.protocol && (text || explained(in));
    bool acts = walk.call || (walk.global && (!chance || walk.complete));
    if (walk.complete && (!text || named || acts))
        inspect_claim(in, TYPE_PICKLE, EVIDENCE_STRUCTURE);
    if (acts)
        inspect_find_at(in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, walk.call ? walk.call_at : walk.global_at, 0,
                        walk.call ? "a pickle looks up a name and calls it" : "a pickle looks up a name");
    if (walk.straddle && (walk.protocol || walk.complete))
        inspect_find_at(in, FINDING_ACTIVE_PICKLE, LEVEL_REFUSE, walk.straddle_at, 0,
                        "a frame of the pickle ends inside an instruction, which readers take differently");
    if (walk.limit && (walk.protocol || named))
        inspect_find(in, FINDING_INSPECT_LIMIT, "the pickle has more instructions or marks than are walked");
}

void active_pickle_scan(struct inspection *in)
{
    active_pickle_at(in, 0);
}
