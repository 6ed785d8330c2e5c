/* SPDX-License-Identifier: ISC
 * Broker. Which output a path belongs to. The contract is trusted, the path is not: it is only compared. */
#include "contract/contract_match.h"

#include <string.h>

static bool excluded(const struct output *output, const char *path)
{
    /* What is kept out is kept out with or without a leading dot. */
    for (size_t i = 0; i < output->exclude.n; i++)
        if (glob_match_dots(output->exclude.v[i], path))
            return true;
    return false;
}

const struct output *contract_match(const struct contract *contract, const char *path, bool *hidden)
{
    bool dotted = false, any = false;
    *hidden = false;
    for (size_t i = 0; i < contract->outputs_n; i++)
        if (contract->outputs[i].path && strcmp(contract->outputs[i].path, path) == 0)
            return &contract->outputs[i];
    for (size_t i = 0; i < contract->outputs_n; i++) {
        const struct output *output = &contract->outputs[i];
        if (!output->glob)
            continue;
        if (glob_match(output->glob, path, &dotted) && !excluded(output, path))
            return output;
        any |= dotted && !excluded(output, path);
    }
    *hidden = any;
    return NULL;
}

static bool enter(const struct contract *contract, const char *dir, bool dots)
{
    size_t len = strlen(dir);
    for (size_t i = 0; i < contract->outputs_n; i++) {
        const struct output *output = &contract->outputs[i];
        if (len == 0 || (output->glob && glob_enter(output->glob, dir, dots)))
            return true;
        if (output->path && strncmp(output->path, dir, len) == 0 && output->path[len] == '/')
            return true;
    }
    return false;
}

bool contract_enter(const struct contract *contract, const char *dir)
{
    return enter(contract, dir, false);
}

bool contract_hides(const struct contract *contract, const char *dir)
{
    return !enter(contract, dir, false) && enter(contract, dir, true);
}
