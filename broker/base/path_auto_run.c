/* SPDX-License-Identifier: ISC
 * Both processes. Names that other software acts on by itself, as a table. Compared folded, without what a filesystem
 * may drop (trailing dots and spaces, a stream name after ':'), and with the short aliases of the two worst. */
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum place {
    ANYWHERE, /* any component: a directory or a file */
    LAST,     /* the file itself */
    PAIR,     /* two components after each other */
    SUFFIX    /* the end of the file's name */
};

static const struct {
    const char *name;
    enum place place;
    bool member; /* counts inside archives too */
} table[] = {
    /* version control: hooks, filters, commands in configuration */
    {".git", ANYWHERE, true},
    {"git~1", ANYWHERE, true},
    {".hg", ANYWHERE, false},
    {".svn", ANYWHERE, false},
    {".gitmodules", LAST, false},
    {".gitattributes", LAST, false},
    {".gitconfig", LAST, false},
    {".hgrc", LAST, false},
    {".husky", ANYWHERE, false},
    {".pre-commit-config.yaml", LAST, false},
    {".github/workflows", PAIR, false},
    {".github/actions", PAIR, false},
    {".gitlab-ci.yml", LAST, false},
    {".circleci", ANYWHERE, false},
    {".travis.yml", LAST, false},
    {".drone.yml", LAST, false},
    {".woodpecker.yml", LAST, false},
    {".woodpecker", ANYWHERE, false},
    {".cirrus.yml", LAST, false},
    {".buildkite", ANYWHERE, false},
    {"bitbucket-pipelines.yml", LAST, false},
    {"azure-pipelines.yml", LAST, false},
    {".gitea/workflows", PAIR, false},
    {".forgejo/workflows", PAIR, false},
    {".appveyor.yml", LAST, false},
    {"appveyor.yml", LAST, false},
    /* keys, logins, clusters */
    {".ssh", ANYWHERE, true},
    {"ssh~1", ANYWHERE, true},
    {".gnupg", ANYWHERE, false},
    {".aws", ANYWHERE, false},
    {".docker", ANYWHERE, false},
    {".kube", ANYWHERE, false},
    {".netrc", LAST, false},
    {".rhosts", LAST, false},
    {".shosts", LAST, false},
    {".forward", LAST, false},
    {".procmailrc", LAST, false},
    /* shells and the programs that start with them */
    {".profile", LAST, false},
    {".login", LAST, false},
    {".logout", LAST, false},
    {".bashrc", LAST, false},
    {".bash_profile", LAST, false},
    {".bash_login", LAST, false},
    {".bash_logout", LAST, false},
    {".bash_aliases", LAST, false},
    {".zshrc", LAST, false},
    {".zshenv", LAST, false},
    {".zprofile", LAST, false},
    {".zlogin", LAST, false},
    {".zlogout", LAST, false},
    {".kshrc", LAST, false},
    {".mkshrc", LAST, false},
    {".cshrc", LAST, false},
    {".tcshrc", LAST, false},
    {".inputrc", LAST, false},
    {".envrc", LAST, false},
    {".direnvrc", LAST, false},
    {".mise.toml", LAST, false},
    {"mise.toml", LAST, false},
    {".mcp.json", LAST, false},
    {".direnv", ANYWHERE, false},
    {".pam_environment", LAST, false},
    {".xinitrc", LAST, false},
    {".xsession", LAST, false},
    {".xsessionrc", LAST, false},
    {".xprofile", LAST, false},
    {".config/autostart", PAIR, false},
    {".config/systemd", PAIR, false},
    {".config/environment.d", PAIR, false},
    {".config/fish", PAIR, false},
    {".config/git", PAIR, false},
    {"library/launchagents", PAIR, false},
    {"library/launchdaemons", PAIR, false},
    {"programs/startup", PAIR, false},
    {".config/nvim", PAIR, false},
    {".config/pip", PAIR, false},
    {".local/bin", PAIR, false},
    /* editors, debuggers, terminals */
    {".vscode", ANYWHERE, false},
    {".idea", ANYWHERE, false},
    {".devcontainer", ANYWHERE, false},
    {".devcontainer.json", LAST, false},
    {".gitpod.yml", LAST, false},
    {".zed", ANYWHERE, false},
    {".fleet", ANYWHERE, false},
    {".cursor", ANYWHERE, false},
    {".cursorrules", LAST, false},
    {"agents.md", LAST, false},
    {".exrc", LAST, false},
    {".vimrc", LAST, false},
    {"_vimrc", LAST, false},
    {".gvimrc", LAST, false},
    {".nvimrc", LAST, false},
    {".nvim.lua", LAST, false},
    {".emacs", LAST, false},
    {".emacs.d", ANYWHERE, false},
    {".dir-locals.el", LAST, false},
    {".gdbinit", LAST, false},
    {".gdbearlyinit", LAST, false},
    {".lldbinit", LAST, false},
    {".tmux.conf", LAST, false},
    {".screenrc", LAST, false},
    {".curlrc", LAST, false},
    {".wgetrc", LAST, false},
    /* languages and package managers */
    {".npmrc", LAST, false},
    {".yarnrc", LAST, false},
    {".yarnrc.yml", LAST, false},
    {".pnp.js", LAST, false},
    {".pnp.cjs", LAST, false},
    {".pnp.loader.mjs", LAST, false},
    {".pnpmfile.cjs", LAST, false},
    {".pypirc", LAST, false},
    {".pythonrc", LAST, false},
    {".pythonrc.py", LAST, false},
    {".pdbrc", LAST, false},
    {".pip", ANYWHERE, false},
    {".jupyter", ANYWHERE, false},
    {".pth", SUFFIX, false},
    {"sitecustomize.py", LAST, false},
    {"usercustomize.py", LAST, false},
    {".cargo/config", PAIR, false},
    {".cargo/config.toml", PAIR, false},
    {".bazelrc", LAST, false},
    {".gemrc", LAST, false},
    {".irbrc", LAST, false},
    {".pryrc", LAST, false},
    {".rprofile", LAST, false},
    {".tool-versions", LAST, false},
    {".mvn", ANYWHERE, false},
    {".jvmopts", LAST, false},
    {".sbtopts", LAST, false},
    {".ghci", LAST, false},
    {".latexmkrc", LAST, false},
    {"latexmkrc", LAST, false},
    {".gnuplot", LAST, false},
    {".octaverc", LAST, false},
    {".bazeliskrc", LAST, false},
    {".psqlrc", LAST, false},
    {".sqliterc", LAST, false},
    /* web servers and desktops */
    {".htaccess", LAST, false},
    {".user.ini", LAST, false},
    {"web.config", LAST, false},
    {"autorun.inf", LAST, false},
    {"desktop.ini", LAST, false},
};

/* Length of a component without what a filesystem may drop. */
static size_t stripped(const char *name, size_t len)
{
    const char *colon = memchr(name, ':', len);
    if (colon)
        len = (size_t)(colon - name);
    while (len > 1 && (name[len - 1] == '.' || name[len - 1] == ' '))
        len--;
    return len;
}

/* Whole-name comparison; for a pair, `rest` is the component that follows (0 bytes where there is none). */
static bool name_is(const char *want, const char *name, size_t len)
{
    return strlen(want) == len && memcmp(want, name, len) == 0;
}

static bool pair_is(const char *want, const char *name, size_t len, const char *rest)
{
    size_t first = strcspn(want, "/");
    return *rest && first == len && memcmp(want, name, len) == 0 &&
           name_is(want + first + 1, rest, stripped(rest, strcspn(rest, "/")));
}

static bool component_acts(const char *name, size_t len, const char *rest, bool member)
{
    bool last = *rest == '\0';
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const char *want = table[i].name;
        if ((member && !table[i].member) || (want[0] != name[0] && table[i].place != SUFFIX))
            continue;
        size_t n = strlen(want);
        if ((table[i].place == ANYWHERE || (table[i].place == LAST && last)) && name_is(want, name, len))
            return true;
        if (table[i].place == PAIR && pair_is(want, name, len, rest))
            return true;
        if (table[i].place == SUFFIX && last && len >= n && memcmp(name + len - n, want, n) == 0)
            return true;
    }
    return false;
}

/* A lower-case copy for bytes that cannot be folded: such a name is unsafe anyway. */
static char *plain_lower(const char *path, size_t len)
{
    char *copy = malloc(len + 1);
    for (size_t i = 0; copy && i < len; i++)
        copy[i] = path[i] >= 'A' && path[i] <= 'Z' ? (char)(path[i] + 32) : path[i] ? path[i] : '?';
    if (copy)
        copy[len] = '\0';
    return copy;
}

bool path_auto_run(const char *path, size_t len, bool member)
{
    AUTO_FREE char *folded = path_fold(path, len);
    if (!folded)
        folded = plain_lower(path, len);
    if (!folded)
        return true; /* without memory nothing is known, and unknown is never a pass */
    for (const char *at = folded; *at;) {
        size_t whole = strcspn(at, "/");
        const char *rest = at + whole + (at[whole] == '/');
        if (component_acts(at, stripped(at, whole), rest, member))
            return true;
        at = rest;
    }
    return false;
}
