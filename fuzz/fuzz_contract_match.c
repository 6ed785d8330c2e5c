/* SPDX-License-Identifier: ISC
 * Harness for base/glob.c and contract/contract_match.c. One input is a glob, a line feed and a path. */
#include <stdlib.h>
#include <string.h>

#include "contract/contract_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Whatever matches lies below directories that the walk enters. */
static void check_enter(const struct contract *contract, char *path)
{
    require(contract_enter(contract, ""));
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        require(contract_enter(contract, path) && !contract_hides(contract, path));
        *slash = '/';
    }
}

static void check(char *glob, char *path)
{
    struct output output = {.glob = glob, .count_max = UINT64_MAX};
    struct contract contract = {.outputs = &output, .outputs_n = 1};
    bool hidden = false;
    bool match = glob_match(glob, path, &hidden);
    require(!(match && hidden));
    require(!match || glob_match_dots(glob, path));
    require(glob_valid(glob, strlen(glob)) || strlen(glob) <= 4096 || !match);
    require((contract_match(&contract, path, &hidden) != NULL) == match);
    if (match)
        check_enter(&contract, path);
    if (glob_valid(glob, strlen(glob)) && !strpbrk(glob, "*?["))
        require(match == (strcmp(glob, path) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    if (!line || size > 2048)
        return 0;
    AUTO_FREE char *glob = strndup((const char *)data, (size_t)(line - data));
    AUTO_FREE char *path = strndup((const char *)line + 1, size - (size_t)(line - data) - 1);
    if (glob && path)
        check(glob, path);
    return 0;
}
