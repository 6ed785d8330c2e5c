/* SPDX-License-Identifier: ISC
 * Signing at the end of the line. Broker. Invariant: while a key is open there is no worker, no job and nothing left to
 * inspect. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"

static int key_trouble(const char *path, const char *why, int code)
{
    char *shown = say_name(path);
    say("the key '%s': %s", shown ? shown : "?", why);
    free(shown);
    return code;
}

static int put(struct publish *into, const char *keyid, const char *suffix, const struct buf *text)
{
    char path[KEYID_BYTES + 32];
    snprintf(path, sizeof(path), "signatures/%s%s", keyid, suffix);
    return publish_write(into, path, text->data, text->len);
}

static int sign_with(struct publish *into, const struct sign_input *input, const struct sign_key *key, const char *path)
{
    char why[SIGN_WHY];
    struct sign_output out = {0};
    int rc = sign_make(key, input, &out, why) != 0 ? key_trouble(path, why, EXIT_BROKER) : EXIT_OK;
    if (rc == EXIT_OK && (put(into, out.keyid, ".dsse.json", &out.dsse) != 0 || put(into, out.keyid, ".sig", &out.sshsig) != 0))
        rc = errno == EEXIST ? key_trouble(path, "it is given twice", EXIT_BROKER)
                             : line_fail("the signature could not be written", NULL, errno);
    sign_output_free(&out);
    return rc;
}

int line_sign(struct line *line, struct publish *into, const struct sign_input *input)
{
    int rc = EXIT_OK;
    inspect_close(&line->pool);
    for (size_t i = 0; rc == EXIT_OK && i < line->args->sign.n; i++) {
        char why[SIGN_WHY];
        const char *path = line->args->sign.v[i];
        struct sign_key *key = sign_key_open(path, why);
        rc = key ? sign_with(into, input, key, path) : key_trouble(path, why, EXIT_BROKER);
        sign_key_close(&key);
    }
    if (rc != EXIT_OK)
        say("the bag was not signed, so nothing was published");
    return rc;
}

static int add_signature(const struct line *line, const char *path, const struct verify_result *bag)
{
    char why[SIGN_WHY], keyid[KEYID_BYTES];
    struct sign_key *key = sign_key_open(path, why);
    int rc = key ? sign_bag(line->bag_path, key, bag->tagmanifest_sha256, line_wall_clock(), keyid, why) : -1;
    sign_key_close(&key);
    return rc < 0 ? key_trouble(path, why, EXIT_BROKER) : EXIT_OK;
}

int line_sign_published(struct line *line, const struct verify_result *bag)
{
    char content[SHA256_HEX];
    int rc = EXIT_OK;
    if (line->args->sign.n == 0)
        return EXIT_OK;
    inspect_close(&line->pool);
    hex_encode(line->content_sha256, SHA256_SIZE, content);
    if (strcmp(content, bag->content_sha256) != 0) {
        say("the bag that is there tells more or less than this run: look at it, then sign it with sallyport sign");
        return EXIT_BROKER;
    }
    for (size_t i = 0; rc == EXIT_OK && i < line->args->sign.n; i++)
        rc = add_signature(line, line->args->sign.v[i], bag);
    return rc;
}
