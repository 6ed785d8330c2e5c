/* SPDX-License-Identifier: ISC
 * Names of machines go to a program as one word: what could be an option or a path is none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/engine_machine.h"

Test(engine_machine, names)
{
    static const char *const good[] = {"lab", "a", "Lab-2.test_x", "0"};
    static const char *const bad[] = {"", "-u", ".lab", "_x", "a b", "a/b", "a:b", "a;b", "a\nb", "\xc3\xa4"};
    char longest[200];
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        cr_assert(machine_name_valid(good[i], strlen(good[i])), "%s", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_assert_not(machine_name_valid(bad[i], strlen(bad[i])), "%s", bad[i]);
    memset(longest, 'a', sizeof longest);
    cr_assert(machine_name_valid(longest, 127));
    cr_assert_not(machine_name_valid(longest, 128));
}

Test(engine_machine, words_are_bounded)
{
    struct client_words w = {0};
    for (int i = 0; i < CLIENT_WORDS; i++)
        client_word(&w, "x");
    cr_assert_not(w.full);
    client_word(&w, "y");
    cr_assert(w.full);
    cr_assert_null(w.v[CLIENT_WORDS]);
}

Test(engine_machine, a_client_that_is_not_there)
{
    struct engine_client c = {.name = "sallyport-no-such-client", .search = "PATH=/nonexistent"};
    struct client_words w = {0};
    char out[64];
    client_word(&w, "version");
    cr_assert_eq(client_ask(&c, &w, out, sizeof out), 127);
}

Test(engine_machine, answers_are_cut_and_environment_is_ours)
{
    struct engine_client c = {.name = "sh", .search = "PATH=/usr/bin:/bin"};
    struct client_words w = {0};
    char out[32];
    client_word(&w, "-c");
    client_word(&w, "echo \"$HOME|$DOCKER_CONFIG\"; yes | head -c 100000; exit 3");
    cr_assert_eq(client_ask(&c, &w, out, sizeof out), 3);
    cr_assert_eq(strncmp(out, "|/nonexistent\n", 14), 0, "%s", out);
    cr_assert_eq(strlen(out), sizeof out - 1);
}

static const char *in_environment(const struct engine_client *c, const char *name)
{
    char *env[CLIENT_ENV + 1];
    size_t n = strlen(name);
    client_environment(c, env);
    for (char **e = env; *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return *e + n + 1;
    return "";
}

/* Whoever demands that the daemon proves who it is must not be spoken to in the clear. */
Test(engine_machine, a_daemon_that_must_prove_who_it_is)
{
    struct engine_client c;
    setenv("HOME", "/home/x", 1);
    unsetenv("DOCKER_CERT_PATH");
    unsetenv("DOCKER_CONFIG");
    setenv("DOCKER_HOST", "tcp://192.0.2.1:2376", 1);
    setenv("DOCKER_TLS_VERIFY", "1", 1);
    setenv("SSH_AUTH_SOCK", "/run/keys", 1);
    client_open(&c, "docker");
    cr_assert_str_eq(in_environment(&c, "DOCKER_TLS_VERIFY"), "1");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CERT_PATH"), "/home/x/.docker");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CONFIG"), "/nonexistent");
    cr_assert_str_eq(in_environment(&c, "SSH_AUTH_SOCK"), "", "nobody asked for ssh");
    setenv("DOCKER_CONFIG", "/conf", 1);
    client_open(&c, "docker");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CERT_PATH"), "/conf");
    setenv("DOCKER_CERT_PATH", "/certs", 1);
    client_open(&c, "docker");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CERT_PATH"), "/certs");
    setenv("DOCKER_HOST", "ssh://build@192.0.2.1", 1);
    client_open(&c, "docker");
    cr_assert_str_eq(in_environment(&c, "SSH_AUTH_SOCK"), "/run/keys");
}

/* A client that prints what an inspected context would be, and the variables that choose it. */
Test(engine_machine, the_chosen_context_and_its_files)
{
    struct engine_client c;
    char dir[] = "/tmp/sallyport-test-XXXXXX", path[64], words[256];
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/docker", dir);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs("#!/bin/sh\necho \"tcp://$DOCKER_CONTEXT:2376|false|1|$DOCKER_CONFIG/tls\"\n", f);
    fclose(f);
    cr_assert_eq(chmod(path, 0755), 0);
    snprintf(words, sizeof words, "%s:/usr/bin:/bin", dir);
    setenv("PATH", words, 1);
    unsetenv("DOCKER_HOST");
    unsetenv("DOCKER_TLS_VERIFY");
    setenv("DOCKER_CONTEXT", "far", 1);
    setenv("DOCKER_CONFIG", "/conf", 1);
    client_open(&c, "docker");
    unlink(path);
    rmdir(dir);
    cr_assert_str_eq(in_environment(&c, "DOCKER_HOST"), "tcp://far:2376");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CERT_PATH"), "/conf/tls/docker");
    cr_assert_str_eq(in_environment(&c, "DOCKER_TLS_VERIFY"), "1");
    cr_assert_str_eq(in_environment(&c, "DOCKER_CONTEXT"), "");
}
