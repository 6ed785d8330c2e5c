/* SPDX-License-Identifier: ISC
 * Opens where the bytes come from and where they go, once, as directory descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "cmd/line_parts.h"
#include "cmd/line_stream.h"
#include "record/bag_around.h"
#include "record/ledger.h"
#include "source/source_container.h"

/* docker:CONTAINER:/path: a directory of a running container of this host, or the stream of the engine's copy command. */
static int open_container(struct line *line, const char *rest)
{
    line->container = calloc(1, sizeof(*line->container));
    if (!line->container)
        return line_fail("the source", NULL, ENOMEM);
    if (container_source_open(line->container, line->source_kind, rest) != 0) {
        int error = errno;
        say("%s", line->container->fault[0] ? line->container->fault : strerror(error));
        return line->container->usage ? EXIT_USAGE : exit_for_errno(error);
    }
    if (line->container->dir_fd < 0) {
        line->streams = true;
        line->producer = line->container->argv;
        line->strip = line->container->strip;
        return EXIT_OK;
    }
    if (root_adopt(&line->root, &line->container->dir_fd, RESOLVE_UNPROBED) != 0)
        return line_fail("the directory of the container cannot be read", rest, errno);
    return EXIT_OK;
}

/* orb:MACHINE:/path: the stream of tar in the machine; the record tells how to replace the machine. */
static int open_machine(struct line *line, const char *rest)
{
    line->container = calloc(1, sizeof(*line->container));
    if (!line->container)
        return line_fail("the source", NULL, ENOMEM);
    if (machine_source_open(line->container, rest) != 0) {
        int error = errno;
        say("%s", line->container->fault[0] ? line->container->fault : strerror(error));
        return line->container->usage ? EXIT_USAGE : error == ENOENT ? EXIT_CONTROL : exit_for_errno(error);
    }
    line_did(line, "machine", line->container->owner_acts);
    line->streams = true;
    line->producer = line->container->argv;
    line->strip = line->container->strip;
    return EXIT_OK;
}

static const struct {
    const char *prefix;
    const char *kind;
    int (*open)(struct line *line, const char *rest);
} kinds[] = {
    {"docker:", "docker", open_container}, {"podman:", "podman", open_container}, {"orb:", "orb", open_machine},
};

static int open_directory(struct line *line, const char *path)
{
    enum resolve_tier tier = line->args->components ? RESOLVE_COMPONENTS : RESOLVE_UNPROBED;
    line->source_kind = "directory";
    if (root_open(&line->root, path, tier) == 0)
        return EXIT_OK;
    if (errno == ENOTDIR) {
        char *shown = say_name(path);
        say("the source '%s' is not a directory; for a tar stream give '-' and pipe it in", shown ? shown : "?");
        free(shown);
        return EXIT_USAGE;
    }
    if (errno == ENOENT) {
        line_fail("the source cannot be opened", path, ENOENT);
        return EXIT_USAGE;
    }
    return line_fail("the source cannot be opened", path, errno);
}

/* held:DIR/ID is the directory of files that a refused promotion kept. */
static int open_held(struct line *line, const char *path)
{
    char files[4096];
    int n = snprintf(files, sizeof(files), "%s/files", path);
    if (n < 0 || n >= (int)sizeof(files))
        return line_fail("the held files cannot be opened", path, ENAMETOOLONG);
    int rc = open_directory(line, files);
    line->source_kind = "held";
    return rc;
}

int line_source(struct line *line)
{
    const struct args *args = line->args;
    if (args->from.n == 0) {
        say("where from? give --from SOURCE");
        return EXIT_USAGE;
    }
    const char *from = args->from.v[0];
    line->source_text = say_name(from);
    int shard = line_shard_parse(line);
    if (shard != EXIT_OK)
        return shard;
    if (args->from.n > 1 || strncmp(from, "bag:", 4) == 0)
        return line_parts_open(line);
    if (strcmp(from, "-") == 0)
        return line_stream_open(line);
    if (args->producer) {
        say("a command after '--' goes with --from -");
        return EXIT_USAGE;
    }
    if (args->root) {
        say("--root goes with a tar stream (--from -)");
        return EXIT_USAGE;
    }
    if (strncmp(from, "held:", 5) == 0)
        return open_held(line, from + 5);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strncmp(from, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
            continue;
        line->source_kind = kinds[i].kind;
        return kinds[i].open(line, from + strlen(kinds[i].prefix));
    }
    return open_directory(line, from);
}

/* A check publishes nothing: its private copies live in a temporary directory that goes with it. */
static int temporary_destination(struct line *line)
{
    const char *tmp = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s/sallyport-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (n < 0 || n >= (int)sizeof(path) || !mkdtemp(path))
        return line_fail("no temporary directory", tmp, errno);
    line->scratch_dest = strdup(path);
    if (!line->scratch_dest)
        return line_fail("temporary directory", NULL, ENOMEM);
    if (destination_open(&line->dest, path, false) != 0)
        return line_fail("the temporary directory cannot be used", path, errno);
    return EXIT_OK;
}

static int open_destination(struct line *line, struct destination *dest, const char *path)
{
    if (destination_open(dest, path, line->args->shared_dest) == 0) {
        if (!bag_around(dest->fd))
            return EXIT_OK;
        char *shown = say_name(path);
        say("'%s' is a bag or lies in one, and nothing may be added to a bag: give the directory that holds it",
            shown ? shown : "?");
        free(shown);
        return EXIT_USAGE;
    }
    if (errno == EACCES && dest->grade.shared && !line->args->shared_dest) {
        char *shown = say_name(path);
        say("the destination '%s' belongs to somebody else, or others can write to it: make it private or say --shared-dest",
            shown ? shown : "?");
        free(shown);
        return EXIT_BROKER;
    }
    return line_fail("the destination cannot be opened", path, errno);
}

/* The destination is left out of the walk, so nothing may lie in it that a promotion did not put there: the job, too,
 * can write a ledger and whatever else it would like to have left out. */
static int check_inside(const struct destination *dest)
{
    char stranger[NAME_MAX + 1];
    int rc = ledger_accounts(dest->fd, stranger);
    if (rc == 0)
        return EXIT_OK;
    if (rc < 0 && errno != ENOENT)
        return line_fail("the destination cannot be read", dest->path, errno);
    char *shown = say_name(rc == 1 ? stranger : LEDGER_NAME);
    say("the destination lies inside the source, and sallyport did not make it as it is ('%s' %s): choose another destination",
        shown ? shown : "?", rc == 1 ? "is nothing that its ledger tells of" : "is not there");
    free(shown);
    return EXIT_USAGE;
}

/* Scratch inside the destination, or equal to it, would publish into what is being read. */
static int check_overlap(struct line *line, const struct destination *dest)
{
    if (line->root.fd < 0)
        return EXIT_OK;
    int inside_dest = fd_beneath(line->root.fd, dest->dev, dest->ino);
    int inside_source = fd_beneath(dest->fd, line->root.dev, line->root.ino);
    if (inside_dest < 0 || inside_source < 0)
        return line_fail("source and destination cannot be compared", NULL, errno);
    if (inside_dest) {
        say("the source lies inside the destination (or is the same): choose another destination");
        return EXIT_USAGE;
    }
    if (!inside_source)
        return EXIT_OK;
    if (dest != &line->dest) {
        say("the directory for held files, for the tree or for the record lies inside the source: choose another one");
        return EXIT_USAGE;
    }
    line->dest_inside = true;
    return dest->created ? EXIT_OK : check_inside(dest);
}

static int begin(const struct line *line, struct destination *dest, struct publish **into, const char *path)
{
    *into = publish_begin(dest);
    if (!*into)
        return line_fail("no private staging directory", path, errno);
    int64_t epoch;
    if (line_epoch(&epoch))
        publish_set_time(*into, line->started);
    return EXIT_OK;
}

static int open_second(struct line *line, struct destination *dest, struct publish **into, const char *path)
{
    int rc = open_destination(line, dest, path);
    if (rc == EXIT_OK)
        rc = check_overlap(line, dest);
    return rc == EXIT_OK ? begin(line, dest, into, path) : rc;
}

/* A refusal leaves no bag in the destination: no line of its ledger would know it. */
static int open_refusal(struct line *line, const char *path)
{
    int rc = open_second(line, &line->refusal_dest, &line->refusal, path);
    if (rc != EXIT_OK || line->refusal_dest.dev != line->dest.dev || line->refusal_dest.ino != line->dest.ino)
        return rc;
    say("--record is the destination itself, where nothing of a refusal may appear: give another directory");
    return EXIT_USAGE;
}

int line_destination(struct line *line)
{
    const struct args *args = line->args;
    int rc;
    if (!line->publishes)
        rc = temporary_destination(line);
    else if (args->to)
        rc = open_destination(line, &line->dest, args->to);
    else if (args->tree)
        rc = open_destination(line, &line->dest, args->tree);
    else {
        say("where to? give --to DEST for a bag or --tree DIR for the files alone");
        return EXIT_USAGE;
    }
    if (rc == EXIT_OK && line->publishes)
        rc = check_overlap(line, &line->dest);
    if (rc == EXIT_OK)
        rc = begin(line, &line->dest, &line->publish, args->to ? args->to : args->tree);
    if (rc == EXIT_OK && args->hold && line->publishes)
        rc = open_second(line, &line->hold_dest, &line->hold, args->hold);
    if (rc == EXIT_OK && args->to && args->tree && line->publishes)
        rc = open_second(line, &line->tree_dest, &line->tree, args->tree);
    if (rc == EXIT_OK && args->record_dir && line->publishes)
        rc = open_refusal(line, args->record_dir);
    return rc;
}
