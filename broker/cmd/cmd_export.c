/* SPDX-License-Identifier: ISC
 * A bag in another form: verified first, and held to what was verified while it is copied. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/export.h"

/* Exactly one form; returns how many are given. */
static unsigned chosen(const struct args *args, enum export_form *form, const char **to)
{
    const char *const given[] = {[EXPORT_DIR] = args->dir, [EXPORT_TAR] = args->tar, [EXPORT_ZIP] = args->zip,
                                 [EXPORT_OCI] = args->oci, [EXPORT_SIGSTORE] = args->sigstore};
    unsigned n = 0;
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        if (given[i]) {
            n++;
            *form = (enum export_form)i;
            *to = given[i];
        }
    return n;
}

static int show_json(enum export_form form, const char *to, const struct verify_result *verified)
{
    static const char *const names[] = {[EXPORT_DIR] = "dir", [EXPORT_TAR] = "tar", [EXPORT_ZIP] = "zip",
                                        [EXPORT_OCI] = "oci", [EXPORT_SIGSTORE] = "sigstore"};
    struct buf out;
    struct jsonw j;
    buf_init(&out, 64 * KIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_put_text(&j, "form", names[form]);
    jsonw_put_text(&j, "tagmanifest_sha256", verified->tagmanifest_sha256);
    jsonw_put_text(&j, "to", to);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int export_verified(const struct args *args, const struct verify_result *verified, enum export_form form,
                           const char *to)
{
    char why[EXPORT_WHY];
    int rc = export_bag(args->operands.v[0], verified, form, to, why);
    int error = errno;
    char *shown = say_name(to);
    if (rc != 0)
        say("the bag could not be exported to '%s': %s", shown ? shown : "?", why);
    else if (args->format == REPORT_JSON)
        rc = show_json(form, shown, verified) == EXIT_OK ? 0 : -1;
    else if (!args->quiet)
        printf("%s\n", shown ? shown : "?");
    free(shown);
    if (rc != 0 && (error == ENODATA || error == EADDRINUSE))
        return EXIT_USAGE;
    return rc == 0 ? EXIT_OK : error == EILSEQ ? EXIT_VERIFY : exit_for_errno(error);
}

int cmd_export(const struct args *args)
{
    struct verify_result verified = {0};
    const struct verify_options options = {0};
    enum export_form form = EXPORT_DIR;
    const char *to = NULL;
    if (args->operands.n != 1 || chosen(args, &form, &to) != 1) {
        say("one bag and one form are wanted: sallyport export BAG --dir DIR | --tar FILE | --zip FILE | --oci DIR | "
            "--sigstore DIR");
        return EXIT_USAGE;
    }
    int rc = verify_bag(args->operands.v[0], &options, &verified);
    if (rc < 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? EXIT_USAGE : EXIT_BROKER;
        line_fail("the bag cannot be read", args->operands.v[0], errno);
    } else if (rc == 1) {
        say("the bag does not verify, so it is not exported; see: sallyport verify");
        rc = EXIT_VERIFY;
    } else {
        rc = export_verified(args, &verified, form, to);
    }
    verify_result_free(&verified);
    return rc;
}
