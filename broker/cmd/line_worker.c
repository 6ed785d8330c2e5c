/* SPDX-License-Identifier: ISC
 * What the workers could apply to themselves and which libraries they read with, for the record. */
#include <stdio.h>
#include <string.h>

#include "cmd/line.h"
#include "cmd/line_worker.h"

/* "zlib 1.2.13, bzip2 1.0.8" cut in place. */
static void split_libraries(struct worker_facts *facts)
{
    char *rest = facts->confinement.libraries;
    facts->libraries = (struct pair_list){.v = facts->pairs};
    while (*rest && facts->libraries.n < WORKER_LIBRARIES) {
        char *name = rest, *end = strchr(rest, ',');
        rest = end ? end + 1 : rest + strlen(rest);
        if (end)
            *end = '\0';
        while (*rest == ' ')
            rest++;
        char *space = strchr(name, ' ');
        if (!space)
            continue;
        *space = '\0';
        facts->pairs[facts->libraries.n++] = (struct text_pair){name, space + 1};
    }
}

static void set_control(struct control_line *control, const char *name, bool enforced, const char *how)
{
    snprintf(control->name, sizeof(control->name), "%s", name);
    snprintf(control->state, sizeof(control->state), "%s", enforced ? "enforced" : "missing");
    snprintf(control->how, sizeof(control->how), "%s", how);
}

void line_worker_facts(const struct line *line, struct worker_facts *facts)
{
    char landlock[64] = "this kernel has none";
    *facts = (struct worker_facts){0};
    if (!line->pool)
        return;
    const struct inspect_confinement *c = &facts->confinement;
    inspect_confinement(line->pool, &facts->confinement);
    if (c->landlock)
        snprintf(landlock, sizeof(landlock), "Landlock ABI %d: no file, no TCP, no signal outwards", c->landlock_abi);
    set_control(&facts->controls[0], "inspect-filter", c->seccomp,
                "seccomp: memory, reads of given descriptors, messages; anything else kills");
    set_control(&facts->controls[1], "inspect-landlock", c->landlock, landlock);
    set_control(&facts->controls[2], "inspect-limits", c->rlimits, "address space, file size 0, descriptors, no core");
    facts->controls_n = WORKER_CONTROLS;
    split_libraries(facts);
}
