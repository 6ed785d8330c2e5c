/* SPDX-License-Identifier: ISC
 * Which control group hierarchies there are, and where in them we live. Pure; the kernel's text is read carefully all the
 * same, since in a container it describes somebody else's arrangement. */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "box/box_cgroup.h"

static const struct {
    const char *name;
    unsigned bit;
} controllers[] = {{"memory", CG_MEMORY}, {"pids", CG_PIDS}, {"cpu", CG_CPU}};

static bool has_word(const char *list, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list, *end = list + len; p < end;) {
        size_t step = 0;
        while (p + step < end && p[step] != ',')
            step++;
        if (step == n && memcmp(p, word, n) == 0)
            return true;
        p += step + 1;
    }
    return false;
}

static unsigned controllers_in(const char *list, size_t len)
{
    unsigned found = 0;
    for (size_t i = 0; i < ARRAY_LEN(controllers); i++)
        if (has_word(list, len, controllers[i].name))
            found |= controllers[i].bit;
    return found;
}

/* The k-th blank-separated field of a line (0-based); NULL where there are fewer. */
static const char *field(const char *line, const char *end, unsigned k, size_t *len)
{
    for (const char *p = line; p < end; k--) {
        size_t n = 0;
        while (p + n < end && p[n] != ' ')
            n++;
        if (k == 0) {
            *len = n;
            return p;
        }
        p += n + 1;
    }
    return NULL;
}

/* Our path in the hierarchy that holds these controllers; v2: the line of hierarchy 0. */
static bool own_path(const char *cgroup, bool v2, unsigned wanted, const char **path, size_t *len)
{
    for (const char *line = cgroup; *line;) {
        const char *end = line + strcspn(line, "\n");
        const char *list = memchr(line, ':', (size_t)(end - line));
        const char *place = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
        if (place) {
            size_t list_len = (size_t)(place - list - 1);
            bool ours = v2 ? list_len == 0 : list_len > 0 && (controllers_in(list + 1, list_len) & wanted) != 0;
            if (ours) {
                *path = place + 1;
                *len = (size_t)(end - place - 1);
                return true;
            }
        }
        line = *end ? end + 1 : end;
    }
    return false;
}

/* Mount point plus our path, less the part above the mount's root. */
static bool site_path(struct cgroup_site *site, const char *root, size_t root_len, const char *path, size_t path_len)
{
    if (root_len > 1) {
        if (path_len < root_len || memcmp(path, root, root_len) != 0)
            return false;
        path += root_len;
        path_len -= root_len;
    }
    if (path_len >= 3 && memcmp(path, "/..", 3) == 0)
        return false; /* outside of our control group namespace */
    if (path_len == 1)
        path_len = 0;
    int n = snprintf(site->path, sizeof site->path, "%s%.*s", site->mount, (int)path_len, path);
    return n > 0 && (size_t)n < sizeof site->path;
}

static bool parse_line(const char *line, const char *end, const char *cgroup, struct cgroup_site *site)
{
    size_t root_len = 0, mount_len = 0, type_len = 0, super_len = 0, path_len = 0;
    const char *root = field(line, end, 3, &root_len), *mount = field(line, end, 4, &mount_len);
    const char *type = NULL, *super = NULL, *path;
    for (unsigned k = 6; k < 20 && !type; k++) {
        size_t n;
        const char *f = field(line, end, k, &n);
        if (!f)
            return false;
        if (n == 1 && f[0] == '-') {
            type = field(line, end, k + 1, &type_len);
            super = field(line, end, k + 3, &super_len);
        }
    }
    if (!root || !mount || !type || mount_len >= sizeof site->mount || memchr(mount, '\\', mount_len))
        return false;
    site->v2 = type_len == 7 && memcmp(type, "cgroup2", 7) == 0;
    if (!site->v2 && !(type_len == 6 && memcmp(type, "cgroup", 6) == 0))
        return false;
    site->controllers = site->v2 || !super ? 0 : controllers_in(super, super_len);
    if (!site->v2 && site->controllers == 0)
        return false;
    memcpy(site->mount, mount, mount_len);
    site->mount[mount_len] = 0;
    return own_path(cgroup, site->v2, site->controllers, &path, &path_len) &&
           site_path(site, root, root_len, path, path_len);
}

size_t cgroup_sites(const char *mountinfo, const char *cgroup, struct cgroup_site *out, size_t max)
{
    size_t n = 0;
    for (const char *line = mountinfo; *line && n < max;) {
        const char *end = line + strcspn(line, "\n");
        struct cgroup_site site;
        if (parse_line(line, end, cgroup, &site)) {
            bool known = false;
            for (size_t i = 0; i < n; i++)
                known = known || (out[i].v2 == site.v2 && out[i].controllers == site.controllers);
            if (!known)
                out[n++] = site;
        }
        line = *end ? end + 1 : end;
    }
    return n;
}
