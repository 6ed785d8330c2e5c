/* SPDX-License-Identifier: ISC
 * Adds a signature to a published bag: verified first, then the key is opened, and nothing but two new files in
 * signatures/ is touched. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/key_check.h"
#include "cmd/line.h"
#include "record/verify.h"

static void show_signed(const char *bag, const char *keyid, bool before, struct jsonw *j)
{
    if (j) {
        jsonw_object(j);
        jsonw_put_bool(j, "before", before);
        jsonw_put_text(j, "keyid", keyid);
        jsonw_object_end(j);
        return;
    }
    char *shown = say_name(bag);
    printf("%s %s by %s\n", shown ? shown : "?", before ? "was signed before" : "signed", keyid);
    free(shown);
}

static int sign_one(const struct args *args, const char *path, const char *tagmanifest_sha256, struct jsonw *j)
{
    char why[SIGN_WHY], keyid[KEYID_BYTES];
    const char *bag = args->operands.v[0];
    struct sign_key *key = sign_key_open(path, why);
    int rc = key ? sign_bag(bag, key, tagmanifest_sha256, line_wall_clock(), keyid, why) : -1;
    sign_key_close(&key);
    if (rc >= 0) {
        if (j || !args->quiet)
            show_signed(bag, keyid, rc == 1, j);
        return EXIT_OK;
    }
    char *shown = say_name(path);
    say("the key '%s': %s", shown ? shown : "?", why);
    free(shown);
    return EXIT_BROKER;
}

static int sign_each(const struct args *args, const char *tagmanifest_sha256, struct jsonw *j)
{
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < args->key.n; i++)
        rc = sign_one(args, args->key.v[i], tagmanifest_sha256, j);
    return rc;
}

static int sign_json(const struct args *args, const char *tagmanifest_sha256)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "signatures");
    jsonw_array(&j);
    int rc = sign_each(args, tagmanifest_sha256, &j);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "tagmanifest_sha256", tagmanifest_sha256);
    jsonw_object_end(&j);
    return exit_worst(rc, cmd_print_document(&out));
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
    int rc = line_epoch_check();
    if (rc == EXIT_OK)
        rc = key_check(&args->key);
    if (rc == EXIT_OK)
        rc = verify_first(args->operands.v[0], &result);
    if (rc == EXIT_OK)
        rc = args->format == REPORT_JSON ? sign_json(args, result.tagmanifest_sha256)
                                         : sign_each(args, result.tagmanifest_sha256, NULL);
    verify_result_free(&result);
    return rc;
}
