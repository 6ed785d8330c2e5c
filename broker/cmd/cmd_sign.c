/* SPDX-License-Identifier: ISC
 * Adds a signature to a published bag: verified first, then the key is opened, and nothing but two new files in
 * signatures/ is touched. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/key_check.h"
#include "cmd/line.h"
#include "record/verify.h"

static int sign_one(const char *bag, const char *path, const char *tagmanifest_sha256, bool quiet)
{
    char why[SIGN_WHY], keyid[KEYID_BYTES];
    struct sign_key *key = sign_key_open(path, why);
    int rc = key ? sign_bag(bag, key, tagmanifest_sha256, line_wall_clock(), keyid, why) : -1;
    sign_key_close(&key);
    char *shown = say_name(path);
    if (rc < 0)
        say("the key '%s': %s", shown ? shown : "?", why);
    else if (!quiet)
        printf("%s %s by %s\n", bag, rc == 1 ? "was signed before" : "signed", keyid);
    free(shown);
    return rc < 0 ? EXIT_BROKER : EXIT_OK;
}

static int verify_first(const char *bag, struct verify_result *result)
{
    const struct verify_options options = {0};
    int rc = verify_bag(bag, &options, result);
    if (rc < 0)
        return errno == ENOENT || errno == ENOTDIR ? (line_fail("the bag cannot be read", bag, errno), EXIT_USAGE)
                                                   : line_fail("the bag cannot be read", bag, errno);
    if (rc == 0)
        return EXIT_OK;
    say("the bag does not verify, so it is not signed; see: sallyport verify");
    return EXIT_VERIFY;
}

int cmd_sign(const struct args *args)
{
    struct verify_result result = {0};
    if (args->operands.n != 1 || args->key.n == 0) {
        say("one bag and a key are wanted: sallyport sign BAG --key KEY");
        return EXIT_USAGE;
    }
    int rc = key_check(&args->key);
    if (rc == EXIT_OK)
        rc = verify_first(args->operands.v[0], &result);
    for (size_t i = 0; rc == EXIT_OK && i < args->key.n; i++)
        rc = sign_one(args->operands.v[0], args->key.v[i], result.tagmanifest_sha256, args->quiet);
    verify_result_free(&result);
    return rc;
}
