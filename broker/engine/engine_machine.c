/* SPDX-License-Identifier: ISC */
#include "engine/engine_machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"

/* One transaction: the table is replaced whole. Established connections end with the rest; only loopback goes on. */
static const char rules[] =
    "add table inet sallyport_cut; delete table inet sallyport_cut; "
    "add table inet sallyport_cut; "
    "add chain inet sallyport_cut out { type filter hook output priority -400; policy drop; }; "
    "add rule inet sallyport_cut out oif lo accept; "
    "add chain inet sallyport_cut in { type filter hook input priority -400; policy drop; }; "
    "add rule inet sallyport_cut in iif lo accept; "
    "add chain inet sallyport_cut through { type filter hook forward priority -400; policy drop; }";

bool machine_name_valid(const char *name, size_t len)
{
    if (len == 0 || len >= sizeof((struct machine *)0)->name || !isalnum((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
            return false;
    return true;
}

int machine_run(const struct machine *m, const char *user, const char *const *words, int stdin_fd, char *out, size_t size)
{
    const char *const to[] = {"-m", m->name, "-u", user};
    AUTO_FREE struct client_words *w = calloc(1, sizeof *w);
    if (!w)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(to); i++)
        client_word(w, to[i]);
    for (size_t i = 0; words[i]; i++)
        client_word(w, words[i]);
    return client_feed(&m->client, w, stdin_fd, out, size);
}

/* What the machine calls itself, where it is a word that `orb create` could take. */
static void ask_system(struct machine *m)
{
    static const char *const words[] = {"sh", "-c", ". /etc/os-release && echo \"$ID:$VERSION_CODENAME\"", NULL};
    char answer[1024];
    m->system[0] = 0;
    if (machine_run(m, "root", words, -1, answer, sizeof answer) != 0)
        return;
    const char *line = client_first_line(answer);
    if (line[strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789.:-")] == 0)
        client_text(m->system, sizeof m->system, "", line);
}

int machine_open(struct machine *m, const char *name)
{
    static const char *const words[] = {"true", NULL};
    char answer[1024];
    *m = (struct machine){0};
    client_open(&m->client, "orb");
    client_text(m->name, sizeof m->name, "", name);
    int rc = machine_run(m, "root", words, -1, answer, sizeof answer);
    if (rc == 127)
        return say_fault(m->fault, sizeof m->fault, ENOENT,
                         "the program 'orb' was not found: orb: is for OrbStack on a Mac");
    if (rc != 0)
        return say_fault(m->fault, sizeof m->fault, EAGAIN,
                         "the machine '%s' does not answer (%.200s): start it with `orb start %s`", m->name,
                     client_first_line(answer), m->name);
    ask_system(m);
    return 0;
}

int machine_copy_in(const struct machine *m, int program)
{
    /* a directory that was there before is somebody's: it is made anew, by root, in one step */
    static const char *const words[] = {"sh", "-c",
                                        "rm -rf /tmp/.sallyport-probe && mkdir -m 0755 /tmp/.sallyport-probe && cat > " MACHINE_PROGRAM
                                        " && chmod 0755 " MACHINE_PROGRAM, NULL};
    char answer[1024];
    int rc = machine_run(m, "root", words, program, answer, sizeof answer);
    if (rc > 0)
        errno = EIO;
    return rc == 0 ? 0 : -1;
}

void machine_copy_out(const struct machine *m)
{
    static const char *const words[] = {"rm", "-rf", "/tmp/.sallyport-probe", NULL};
    char answer[256];
    (void)machine_run(m, "root", words, -1, answer, sizeof answer);
}

static int run_nft(struct machine *m, const char *text, const char *what)
{
    const char *const words[] = {"nft", text, NULL};
    char answer[2048];
    int rc = machine_run(m, "root", words, -1, answer, sizeof answer);
    if (rc == 0)
        return 0;
    return say_fault(m->fault, sizeof m->fault, ENOTSUP,
                     "%s in the machine '%s': %.200s; nftables is needed there (install the package nftables)", what, m->name,
                 rc < 0 ? strerror(errno) : client_first_line(answer));
}

int machine_cut(struct machine *m)
{
    return run_nft(m, rules, "the firewall table could not be put in place");
}

int machine_restore(struct machine *m)
{
    return run_nft(m, "add table inet sallyport_cut; delete table inet sallyport_cut", "the firewall table could not be removed");
}

int machine_is_cut(const struct machine *m)
{
    static const char *const words[] = {"nft", "list table inet sallyport_cut", NULL};
    char answer[4096];
    int rc = machine_run(m, "root", words, -1, answer, sizeof answer);
    return rc == 0 ? strstr(answer, "hook output") != NULL && strstr(answer, "policy drop") != NULL
           : rc > 0 && strstr(answer, "No such file") ? 0
                                                      : -1;
}
