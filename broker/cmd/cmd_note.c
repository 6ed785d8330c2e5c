/* SPDX-License-Identifier: ISC
 * Custody: what became of a bag, as a signed line in the ledger beside it. The bag itself never changes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/key_check.h"
#include "cmd/line.h"
#include "record/ledger.h"
#include "record/sshsig.h"
#include "record/verify.h"

static bool event_known(const char *event)
{
    static const char *const events[] = {"released", "received", "held", "retired"};
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        if (strcmp(event, events[i]) == 0)
            return true;
    return false;
}

static int check_usage(const struct args *args)
{
    if (args->operands.n != 1 || !args->event || args->key.n != 1) {
        say("one bag, one event and one key are wanted: sallyport note BAG --event released --key KEY");
        return EXIT_USAGE;
    }
    if (!event_known(args->event)) {
        say("--event knows released, received, held and retired");
        return EXIT_USAGE;
    }
    if (args->reason && strlen(args->reason) > LEDGER_TEXT_BYTES) {
        say("--reason takes at most %u bytes", LEDGER_TEXT_BYTES);
        return EXIT_USAGE;
    }
    int rc = line_epoch_check();
    return rc == EXIT_OK ? key_check(&args->key) : rc;
}

/* The signature covers everything but the place in the chain, so that no lock is held while a person is asked. */
static int sign_line(struct ledger_line *line, const struct sign_key *key, struct buf *armor, char why[SIGN_WHY])
{
    struct buf text, bytes;
    struct sshsig sig;
    uint8_t sha512[SHA512_SIZE];
    buf_init(&text, LEDGER_LINE_BYTES);
    buf_init(&bytes, LEDGER_LINE_BYTES);
    ledger_event_bytes(&text, line);
    int rc = -1;
    if (text.failed) {
        snprintf(why, SIGN_WHY, "the reason is not UTF-8, or too long");
    } else {
        sign_key_sha512(text.data, text.len, sha512);
        sshsig_signed_bytes(&bytes, sha512);
        rc = sign_key_sign(key, bytes.data, bytes.len, sig.signature, why);
    }
    if (rc == 0) {
        memcpy(sig.public_key, sign_key_public(key), ED25519_PUBLIC);
        sshsig_armor(armor, &sig);
    }
    buf_free(&text);
    buf_free(&bytes);
    return rc;
}

static int show_line(const struct args *args, uint64_t sequence, const char *head)
{
    struct buf out;
    struct jsonw j;
    if (args->format != REPORT_JSON) {
        printf("ledger line %llu, head %s\n", (unsigned long long)sequence, head);
        return EXIT_OK;
    }
    buf_init(&out, 4 * KIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_put_text(&j, "event", args->event);
    jsonw_put_text(&j, "head", head);
    jsonw_put_u64(&j, "sequence", sequence);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int append(const struct args *args, const struct ledger_line *line)
{
    const char *bag = args->operands.v[0];
    struct destination dest = {.fd = -1};
    struct ledger ledger = {0};
    struct ledger_torn torn;
    char head[SHA256_HEX];
    uint64_t sequence = 0;
    AUTO_FD inside = open(bag, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FD parent = inside < 0 ? -1 : openat(inside, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dest.fd = parent;
    AUTO_FD lock = parent < 0 ? -1 : destination_lock(&dest, true);
    if (lock < 0)
        return line_fail("the bag's destination cannot be locked", bag, errno);
    int rc = ledger_mend(parent, (int64_t)time(NULL), &torn) < 0 ? -1 : ledger_load(parent, &ledger);
    bool known = rc == 0 && ledger_of_bag(&ledger, line->tagmanifest_sha256);
    ledger_free(&ledger);
    if (!known) {
        say("the ledger beside the bag is missing or damaged, or does not know this bag");
        return EXIT_VERIFY;
    }
    if (ledger_append(parent, line, &sequence, head) != 0)
        return line_fail("the ledger could not be written", NULL, errno);
    return show_line(args, sequence, head);
}

static int note(const struct args *args, const struct verify_result *bag)
{
    char why[SIGN_WHY], keyid[KEYID_BYTES];
    struct buf armor;
    struct ledger_line line = {.id = bag->id, .name = bag->name, .time = line_wall_clock(), .event = args->event,
                               .text = args->reason, .keyid = keyid};
    struct sign_key *key = sign_key_open(args->key.v[0], why);
    buf_init(&armor, LEDGER_LINE_BYTES);
    int rc = key && hex_decode(bag->tagmanifest_sha256, line.tagmanifest_sha256, SHA256_SIZE) ? 0 : -1;
    if (rc == 0) {
        sign_keyid(sign_key_public(key), keyid);
        rc = sign_line(&line, key, &armor, why);
    }
    sign_key_close(&key);
    AUTO_FREE char *signature = rc == 0 ? buf_take_text(&armor) : NULL;
    buf_free(&armor);
    if (!signature) {
        char *shown = say_name(args->key.v[0]);
        say("the key '%s': %s", shown ? shown : "?", rc == 0 ? "no memory" : why);
        free(shown);
        return EXIT_BROKER;
    }
    line.signature = signature;
    return append(args, &line);
}

int cmd_note(const struct args *args)
{
    struct verify_result bag = {0};
    const struct verify_options options = {0};
    int rc = check_usage(args);
    if (rc != EXIT_OK)
        return rc;
    int verified = verify_bag(args->operands.v[0], &options, &bag);
    if (verified < 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
        line_fail("the bag cannot be read", args->operands.v[0], errno);
    } else if (verified == 1) {
        say("the bag does not verify; see: sallyport verify");
        rc = EXIT_VERIFY;
    } else {
        rc = note(args, &bag);
    }
    verify_result_free(&bag);
    return rc;
}
