/* SPDX-License-Identifier: ISC
 * Saving and taking up a proof. The file must be ours or root's and writable by nobody else; every field must be there and
 * equal, every control that the contract asks for must be HELD in it, and it may not be old. */
#include "cmd/proof.h"
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "inspect/inspect_spawn.h"

static int file_sha256(int fd, char out[SHA256_HEX])
{
    AUTO_FREE uint8_t *data = NULL;
    size_t len;
    uint8_t digest[SHA256_SIZE];
    if (lseek(fd, 0, SEEK_SET) < 0 || fd_read_all(fd, PROOF_PROGRAM_BYTES, &data, &len) < 0)
        return -1;
    sha256_bytes(data, len, digest);
    hex_encode(digest, sizeof(digest), out);
    return 0;
}

int proof_bind(struct proof_binding *b, int probe_fd)
{
    struct utsname u;
    memset(b, 0, sizeof(*b));
    AUTO_FD boot = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    AUTO_FD self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t n = boot < 0 ? 0 : read(boot, b->boot_id, sizeof(b->boot_id) - 1);
    if (n < 0 || self < 0 || uname(&u) < 0)
        return -1;
    b->boot_id[strcspn(b->boot_id, "\n")] = '\0';
    snprintf(b->kernel, sizeof(b->kernel), "%s %s", u.release, u.version);
    b->uid = geteuid();
    b->made = (int64_t)time(NULL);
    return file_sha256(self, b->program) < 0 || file_sha256(probe_fd, b->probe) < 0 ? -1 : 0;
}

int proof_save(const char *path, const struct buf *document)
{
    char temporary[PATH_BYTES];
    int n = snprintf(temporary, sizeof(temporary), "%s.%d", path, getpid());
    if (n < 0 || (size_t)n >= sizeof(temporary)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    AUTO_FD fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    if (fd_write_full(fd, document->data, document->len) == 0 && fsync(fd) == 0 && rename(temporary, path) == 0)
        return 0;
    int saved = errno;
    unlink(temporary);
    errno = saved;
    return -1;
}

static int refuse(const char *why)
{
    say("--proof: %s; make a new one with `sallyport probe --save FILE`", why);
    return EXIT_CONTROL;
}

static json_t *read_document(const char *path, int *rc)
{
    AUTO_FREE uint8_t *data = NULL;
    size_t len;
    struct stat st;
    AUTO_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || fd_read_all(fd, MIB, &data, &len) < 0) {
        int error = fd < 0 ? errno : EINVAL;
        *rc = line_fail("the proof cannot be read", path, error);
        if (error == ENOENT || error == EINVAL) /* no file at all: a word on the command line is wrong */
            *rc = EXIT_USAGE;
        return NULL;
    }
    if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        *rc = refuse("the file belongs to somebody else or can be written by others");
        return NULL;
    }
    json_t *doc = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, NULL);
    if (!doc)
        *rc = refuse("the file is no JSON document");
    return doc;
}

static bool same_text(const json_t *doc, const char *key, const char *want)
{
    const char *got = json_string_value(json_object_get(doc, key));
    return got && strcmp(got, want) == 0;
}

static const char *mismatch(const json_t *doc, const struct proof_binding *now)
{
    const json_t *made = json_object_get(doc, "made"), *uid = json_object_get(doc, "uid");
    if (!same_text(doc, "schema", "sallyport.probe/1"))
        return "the file is not a proof";
    if (!now->boot_id[0])
        return "this sandbox hides the boot's id, to which a proof is bound";
    if (!same_text(doc, "boot_id", now->boot_id) || !same_text(doc, "kernel", now->kernel))
        return "it was made on another machine, kernel or before a reboot";
    if (!same_text(doc, "program_sha256", now->program) || !same_text(doc, "probe_sha256", now->probe))
        return "it was made by another build of sallyport";
    if (!json_is_integer(uid) || (uint64_t)json_integer_value(uid) != now->uid)
        return "it was made by another user";
    if (!json_is_integer(made) || json_integer_value(made) > now->made || now->made - json_integer_value(made) > PROOF_AGE_S)
        return "it is older than a day";
    return json_is_true(json_object_get(doc, "proven")) ? NULL : "it does not prove the sandbox";
}

/* The rows as they were; names that this build does not know count as nothing. */
static bool take_rows(const json_t *doc, struct probe_report *report)
{
    const json_t *rows = json_object_get(doc, "probes");
    for (size_t i = 0; i < json_array_size(rows) && report->n < PROBE_ROWS; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *control = json_string_value(json_object_get(row, "control"));
        struct probe_result *r = &report->rows[report->n];
        int c = 0;
        while (control && c < CONTROL_COUNT && strcmp(control, control_name((enum control)c)) != 0)
            c++;
        if (!control || c == CONTROL_COUNT)
            return false;
        *r = (struct probe_result){.name = "saved", .control = (enum control)c,
                                   .required = !json_is_false(json_object_get(row, "required"))};
        for (int v = 0; v <= PROBE_HELD; v++)
            if (same_text(row, "verdict", probe_verdict_name((enum probe_verdict)v)))
                r->verdict = (enum probe_verdict)v;
        report->n++;
    }
    return true;
}

/* The first control that the contract asks for and the proof does not show; CONTROL_COUNT: none. */
static enum control unproven(const struct probe_report *report, const struct run_limits *l)
{
    const struct {
        enum control control;
        bool asked;
    } table[] = {{CONTROL_NAMESPACES, true},          {CONTROL_NETWORK, true},
                 {CONTROL_INPUTS, true},              {CONTROL_SCRATCH_ONLY, true},
                 {CONTROL_PRIVILEGE, true},           {CONTROL_SECCOMP, true},
                 {CONTROL_CLEANUP, true},             {CONTROL_MEMORY, l->has_memory},
                 {CONTROL_PROCESSES, l->has_processes}, {CONTROL_CPUS, l->has_cpus},
                 {CONTROL_FILE_SIZE, l->has_file},    {CONTROL_SCRATCH_SIZE, l->has_scratch},
                 {CONTROL_INODES, l->has_inodes},     {CONTROL_OUTPUT, l->has_output},
                 {CONTROL_WALL, l->has_wall}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].asked && !probe_control_held(report, table[i].control))
            return table[i].control;
    return CONTROL_COUNT;
}

/* Was this the sandbox? An engine's base names its image by digest, the built-in one never begins so. */
static bool same_sandbox(const json_t *doc, const struct container_engine *engine)
{
    const char *base = json_string_value(json_object_get(doc, "base"));
    const char *image = base ? strstr(base, ": image sha256:") : NULL;
    return base && (engine ? image && strcmp(image + 8, engine->image_id) == 0 : !image);
}

/* A proof is of a daemon on this host or of one elsewhere, and the job runs as it says or not at all. */
static bool same_place(const json_t *doc, struct container_engine *engine)
{
    const char *base = json_string_value(json_object_get(doc, "base"));
    bool elsewhere = base && strstr(base, ", elsewhere: image ") != NULL;
    if (!engine || (engine->elsewhere && !elsewhere))
        return !engine;
    if (elsewhere && !engine->elsewhere)
        snprintf(engine->why, sizeof(engine->why), "as the saved proof says");
    engine->elsewhere = elsewhere;
    engine->decided = true;
    return true;
}

int proof_load(const char *path, const struct run_limits *asked, struct container_engine *engine, struct probe_report *report)
{
    struct proof_binding now;
    char why[128];
    int rc = EXIT_CONTROL;
    AUTO_FD probe = spawn_find(NULL, "sallyport-probe");
    if (probe < 0 || proof_bind(&now, probe) < 0)
        return refuse("this machine or these programs cannot be identified");
    json_t *doc = read_document(path, &rc);
    if (!doc)
        return rc;
    memset(report, 0, sizeof(*report));
    const char *wrong = mismatch(doc, &now);
    if (!wrong && (!same_sandbox(doc, engine) || !same_place(doc, engine)))
        wrong = "it was made in another sandbox: another engine, image or host";
    bool rows = take_rows(doc, report);
    json_decref(doc);
    if (wrong || !rows || !probe_all_held(report))
        return refuse(wrong ? wrong : "it does not prove the sandbox");
    enum control missing = unproven(report, asked);
    if (missing == CONTROL_COUNT)
        return EXIT_OK;
    snprintf(why, sizeof(why), "it does not show the control '%s', which the contract asks for", control_name(missing));
    return refuse(why);
}
