/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/allowed_signers.h"
#include "record/verify.h"

/* Whoever asked for a signer and did not get one must not read of integrity alone. */
static const char *state_words(const struct verify_result *r)
{
    if (r->signature_bad)
        return "signature INVALID";
    if (r->signer_bad)
        return r->signatures ? "NOT signed as asked for" : "UNSIGNED, and a signature was asked for";
    if (r->signers[0])
        return "signed by ";
    return r->signatures ? "signed, by nobody who is trusted here (integrity only)" : "UNSIGNED (integrity only)";
}

static const char *state_name(const struct verify_result *r)
{
    if (r->signer_bad && !r->signature_bad)
        return r->signatures ? "untrusted" : "unsigned";
    return r->signature_bad ? "invalid" : r->signers[0] ? "signed" : r->signatures ? "untrusted" : "unsigned";
}

/* What was verified, beside its differences. */
struct shown {
    const char *path;
    bool ok, destination, fast;
    size_t bags;
};

static void print_summary(const struct verify_result *r, const struct shown *s, const char *path)
{
    printf("%s: %s, ", path, s->ok ? "verified" : "VERIFICATION FAILED");
    if (s->destination)
        printf("%zu bags, %llu ledger lines, %llu files, %llu bytes\n", s->bags, (unsigned long long)r->sequence,
               (unsigned long long)r->files, (unsigned long long)r->bytes);
    else
        printf("%llu files, %llu bytes, %s%s\n", (unsigned long long)r->files, (unsigned long long)r->bytes, state_words(r),
               r->signers[0] && !r->signature_bad && !r->signer_bad ? r->signers : "");
    if (!s->destination && s->ok && strcmp(r->decision, "refuse") == 0)
        printf("  this is the record of a REFUSAL: nothing was promoted\n");
    if (s->fast)
        printf("  --fast: the promoted files were compared by XXH3-128 alone, which finds accidents and proves nothing against people\n");
}

static void print_human(const struct verify_result *r, const struct shown *s, bool quiet)
{
    char *shown = say_name(s->path);
    for (size_t i = 0; i < r->n; i++) {
        char *path = r->v[i].path ? say_name(r->v[i].path) : NULL;
        printf("  %s %s%s%s: %s\n", r->v[i].note ? "note  " : "FAILED", r->v[i].code, path ? " " : "", path ? path : "",
               r->v[i].message);
        free(path);
    }
    if (!quiet || !s->ok)
        print_summary(r, s, shown ? shown : "?");
    free(shown);
}

static void write_name(struct jsonw *j, const char *name)
{
    bool escaped = false;
    char *text = name ? say_path_text(name, strlen(name), &escaped) : NULL;
    jsonw_put_text(j, "path", text);
    free(text);
}

static int print_json(const struct verify_result *r, const struct shown *s)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, 64 * MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    if (s->destination)
        jsonw_put_u64(&j, "bags", s->bags);
    jsonw_put_u64(&j, "bytes", r->bytes);
    if (!s->destination)
        jsonw_put_text(&j, "decision", r->decision);
    jsonw_key(&j, "differences");
    jsonw_array(&j);
    for (size_t i = 0; i < r->n; i++) {
        jsonw_object(&j);
        jsonw_put_text(&j, "code", r->v[i].code);
        jsonw_put_text(&j, "level", r->v[i].note ? "note" : "fail");
        jsonw_put_text(&j, "message", r->v[i].message);
        write_name(&j, r->v[i].path);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_put_bool(&j, "fast", s->fast);
    jsonw_put_u64(&j, "files", r->files);
    jsonw_put_text(&j, "id", r->id);
    jsonw_put_text(&j, "schema", "sallyport.verify/1");
    jsonw_put_u64(&j, "sequence", r->sequence);
    jsonw_put_text(&j, "signature", state_name(r));
    jsonw_put_u64(&j, "signatures", r->signatures);
    jsonw_put_text(&j, "signers", r->signers);
    jsonw_put_text(&j, "tagmanifest_sha256", r->tagmanifest_sha256);
    jsonw_put_bool(&j, "verified", s->ok);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

/* The operator's list of trusted keys. */
static int load_signers(const char *path, struct allowed_signers *list)
{
    uint8_t *text = NULL;
    size_t len = 0;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fd_read_all(fd, ALLOWED_SIGNERS_BYTES, &text, &len) != 0) {
        line_fail("the allowed signers cannot be read", path, errno);
        return EXIT_USAGE;
    }
    long line = allowed_signers_parse(list, (const char *)text, len);
    free(text);
    if (line == 0)
        return EXIT_OK;
    char *shown = say_name(path);
    say("%s:%ld: no line of allowed signers: PRINCIPALS [OPTIONS] KEYTYPE KEY, as in ssh-keygen(1)", shown ? shown : "?", line);
    free(shown);
    return EXIT_USAGE;
}

static int check_usage(const struct args *args)
{
    struct stat st;
    if (args->operands.n != 1) {
        say("one bag is wanted: sallyport verify BAG");
        return EXIT_USAGE;
    }
    if (!args->allowed_signers != !args->identity) {
        say("--allowed-signers and --identity go together");
        return EXIT_USAGE;
    }
    if (args->head && (strlen(args->head) != SHA256_HEX - 1 || strspn(args->head, "0123456789abcdefABCDEF") != SHA256_HEX - 1)) {
        say("--head wants the 64 hexadecimal digits that a run prints as its ledger head");
        return EXIT_USAGE;
    }
    if (args->fast && (args->allowed_signers || stat(args->operands.v[0], &st) != 0 || S_ISREG(st.st_mode))) {
        say("--fast is for bags in directories, and without --allowed-signers: what it does is no evidence of who made the bytes");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* A directory with a ledger and no declaration of a bag is a destination. */
static bool is_destination(const char *path)
{
    char file[PATH_BYTES + 16];
    struct stat st;
    if (strlen(path) > PATH_BYTES)
        return false;
    snprintf(file, sizeof(file), "%s/bagit.txt", path);
    if (lstat(file, &st) == 0)
        return false;
    snprintf(file, sizeof(file), "%s/ledger.jsonl", path);
    return lstat(file, &st) == 0;
}

static int verify_one(const struct args *args, const struct verify_options *options)
{
    struct verify_result result = {0};
    struct shown shown = {.path = args->operands.v[0], .fast = args->fast, .destination = is_destination(args->operands.v[0])};
    int rc = shown.destination ? verify_destination(shown.path, options, &result, &shown.bags)
                               : verify_bag(shown.path, options, &result);
    shown.ok = rc == 0;
    if (rc < 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
        line_fail("the bag cannot be read", shown.path, errno);
    } else {
        rc = shown.ok ? EXIT_OK : EXIT_VERIFY;
        if (args->format == REPORT_JSON)
            rc = exit_worst(rc, print_json(&result, &shown));
        else
            print_human(&result, &shown, args->quiet);
    }
    verify_result_free(&result);
    return rc;
}

int cmd_verify(const struct args *args)
{
    struct allowed_signers signers = {0};
    const struct verify_options options = {.allowed_signers = args->allowed_signers ? &signers : NULL,
                                           .identity = args->identity, .transported = args->transported, .fast = args->fast,
                                           .at_least = args->at_least, .head = args->head};
    int rc = check_usage(args);
    if (rc == EXIT_OK && args->allowed_signers)
        rc = load_signers(args->allowed_signers, &signers);
    if (rc == EXIT_OK)
        rc = verify_one(args, &options);
    allowed_signers_free(&signers);
    return rc;
}
