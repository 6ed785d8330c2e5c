/* SPDX-License-Identifier: ISC
 * A directory of an OrbStack machine as a source: tar in the machine writes a stream, which is hostile like any. The machine
 * itself stays: to delete it is its owner's act, and the record says how. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "engine/engine_machine.h"
#include "source/source_container.h"

static int fault(struct container_source *s, int error, const char *text)
{
    AUTO_FREE char *shown = say_name(text);
    snprintf(s->fault, sizeof s->fault, "%s", shown ? shown : "?");
    errno = error;
    return -1;
}

/* tar of the last component, in the directory above it. */
static int make_words(struct container_source *s, const struct machine *m, const char *path)
{
    char parent[PATH_BYTES + 1];
    const char *last = strrchr(path, '/') + 1;
    snprintf(parent, sizeof parent, "%.*s", (int)(last - path), path);
    const char *const words[] = {"env", "-i", m->client.search, m->client.home[0] ? m->client.home : "LC_ALL=C", "orb", "-m", m->name,
                                 "-u", "root", "tar", "-C", parent, "-cf", "-", "--", *last ? last : "."};
    _Static_assert(ARRAY_LEN(words) < CONTAINER_ARGS, "room for the words and their end");
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!(s->argv[i] = strdup(words[i])))
            return -1;
    return *last && !(s->strip = strdup(last)) ? -1 : 0;
}

int machine_source_open(struct container_source *s, const char *spec)
{
    AUTO_FREE struct machine *m = calloc(1, sizeof *m);
    size_t n = strcspn(spec, ":");
    const char *path = spec + n + (spec[n] == ':');
    *s = (struct container_source){.dir_fd = -1};
    if (!m)
        return -1;
    if (!machine_name_valid(spec, n) || spec[n] != ':' || path[0] != '/' ||
        (path[1] && path_grammar(path + 1, strlen(path + 1)) != PATH_OK)) {
        s->usage = true;
        return fault(s, EINVAL, "a source in a machine is orb:MACHINE:/path, with a name and an absolute path without '..'");
    }
    AUTO_FREE char *name = strndup(spec, n);
    if (!name)
        return -1;
    if (machine_open(m, name) != 0)
        return fault(s, errno, m->fault);
    snprintf(s->owner_acts, sizeof s->owner_acts, "rebuild: orb create %.63s %.120s; delete, the owner's act: orb delete %.40s",
             m->system[0] ? m->system : "DISTRO", m->name, m->name);
    return make_words(s, m, path);
}
