/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/utf8.h"

#define P(text) text, sizeof(text) - 1

static const struct {
    const char *path;
    size_t len;
    enum path_fault portable, posix;
} names[] = {
    {P("a.txt"), PATH_OK, PATH_OK},
    {P("my report.txt"), PATH_OK, PATH_OK},
    {P("r\xC3\xA9sum\xC3\xA9.txt"), PATH_OK, PATH_OK},
    {P("\xE5\xA0\xB1\xE5\x91\x8A.txt"), PATH_OK, PATH_OK},
    {P(".coverage.txt"), PATH_OK, PATH_OK},
    {P("r[1].txt"), PATH_OK, PATH_OK},
    {P("a/-rf"), PATH_OK, PATH_OK},
    {P("...x"), PATH_OK, PATH_OK},
    {P("{a,b}=~$&'();!#@+"), PATH_OK, PATH_OK},
    {P("\xF0\x9F\x98\x80"), PATH_OK, PATH_OK},
    {P("console.txt"), PATH_OK, PATH_OK},
    {P("com10"), PATH_OK, PATH_OK},
    {P("nul-terminated.c"), PATH_OK, PATH_OK},
    {P("main.c~"), PATH_OK, PATH_OK},
    {P("a.txt.~1~"), PATH_OK, PATH_OK},
    {P("version~1.2.3"), PATH_OK, PATH_OK},
    {P(""), PATH_EMPTY, PATH_EMPTY},
    {P("/etc/passwd"), PATH_ABSOLUTE, PATH_ABSOLUTE},
    {P("."), PATH_DOT, PATH_DOT},
    {P("./a"), PATH_DOT, PATH_DOT},
    {P(".."), PATH_DOTDOT, PATH_DOTDOT},
    {P("a/../b"), PATH_DOTDOT, PATH_DOTDOT},
    {P("a//b"), PATH_EMPTY_COMPONENT, PATH_EMPTY_COMPONENT},
    {P("a/"), PATH_TRAILING_SLASH, PATH_TRAILING_SLASH},
    {P("a\0b"), PATH_NUL, PATH_NUL},
    {P("a\nb"), PATH_CONTROL, PATH_CONTROL},
    {P("a\rb"), PATH_CONTROL, PATH_CONTROL},
    {P("a\x1B[31mb"), PATH_CONTROL, PATH_CONTROL},
    {P("a\x7F"), PATH_CONTROL, PATH_CONTROL},
    {P("a\xC2\x9B"), PATH_CONTROL, PATH_CONTROL},
    {P("a\xE2\x80\xA8"), PATH_CONTROL, PATH_CONTROL},
    {P("a\xE2\x80\xAEtxt.exe"), PATH_FORMAT, PATH_FORMAT},
    {P("a\xE2\x80\x8B"), PATH_FORMAT, PATH_FORMAT},
    {P("\xEF\xBB\xBF"), PATH_FORMAT, PATH_FORMAT},
    {P("caf\xE9.txt"), PATH_UTF8, PATH_UTF8},
    {P("\xED\xA0\x80"), PATH_UTF8, PATH_UTF8},
    {P("\xC0\xAE\xC0\xAE"), PATH_UTF8, PATH_UTF8},
    {P("-rf.txt"), PATH_LEADING_DASH, PATH_LEADING_DASH},
    {P("a\\b.txt"), PATH_PORTABLE, PATH_OK},
    {P("a%41.txt"), PATH_PORTABLE, PATH_OK},
    {P("a:b.txt"), PATH_PORTABLE, PATH_OK},
    {P("a\""), PATH_PORTABLE, PATH_OK},
    {P("a<"), PATH_PORTABLE, PATH_OK},
    {P("a>"), PATH_PORTABLE, PATH_OK},
    {P("a|"), PATH_PORTABLE, PATH_OK},
    {P("a?"), PATH_PORTABLE, PATH_OK},
    {P("a*"), PATH_PORTABLE, PATH_OK},
    {P("a."), PATH_PORTABLE, PATH_OK},
    {P("a."
       "/b"),
     PATH_PORTABLE, PATH_OK},
    {P("a.txt "), PATH_PORTABLE, PATH_OK},
    {P("CON"), PATH_DEVICE, PATH_OK},
    {P("d/nul.txt"), PATH_DEVICE, PATH_OK},
    {P("aux .c"), PATH_DEVICE, PATH_OK},
    {P("Com1.tar.gz"), PATH_DEVICE, PATH_OK},
    {P("LPT\xC2\xB3"), PATH_DEVICE, PATH_OK},
    {P("CONIN$"), PATH_DEVICE, PATH_OK},
    {P("PROGRA~1"), PATH_DEVICE, PATH_OK},
    {P("readme~2.txt"), PATH_DEVICE, PATH_OK},
    {P("git~1/config"), PATH_DEVICE, PATH_OK},
};

Test(path, judges_names_under_both_policies)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        cr_expect_eq(path_check(names[i].path, names[i].len, NAMES_PORTABLE), names[i].portable, "%zu %s", i,
                     names[i].path);
        cr_expect_eq(path_check(names[i].path, names[i].len, NAMES_POSIX), names[i].posix, "%zu %s", i, names[i].path);
    }
}

Test(path, counts_bytes_and_not_characters)
{
    char path[4200];
    memset(path, 'a', sizeof(path));
    cr_expect_eq(path_check(path, 255, NAMES_PORTABLE), PATH_OK);
    cr_expect_eq(path_check(path, 256, NAMES_PORTABLE), PATH_LONG);
    for (size_t i = 200; i < sizeof(path); i += 200)
        path[i] = '/';
    cr_expect_eq(path_check(path, 4096, NAMES_POSIX), PATH_OK);
    cr_expect_eq(path_check(path, 4097, NAMES_POSIX), PATH_LONG);
}

Test(path, every_fault_has_its_own_words)
{
    for (int i = 0; i < PATH_FAULT_COUNT; i++)
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(path_fault_text((enum path_fault)i), path_fault_text((enum path_fault)k));
    cr_expect_not_null(path_fault_text((enum path_fault)999));
}

static void expect_fold(const char *a, const char *b, bool same)
{
    char *x = path_fold(a, strlen(a)), *y = path_fold(b, strlen(b));
    cr_assert(x && y);
    cr_expect_eq(strcmp(x, y) == 0, same, "%s and %s: %s, %s", a, b, x, y);
    free(x);
    free(y);
}

Test(path, folds_case_and_form)
{
    expect_fold("README.txt", "readme.TXT", true);
    expect_fold("caf\xC3\xA9", "cafe\xCC\x81", true);
    expect_fold("CAF\xC3\x89", "cafe\xCC\x81", true);
    expect_fold("stra\xC3\x9F" "e", "STRASSE", true);
    expect_fold("\xE2\x84\xAA", "k", true);              /* Kelvin sign */
    expect_fold("\xCE\xA3", "\xCF\x82", true);           /* sigma, final sigma */
    expect_fold("\xEF\xAC\x81", "fi", true);             /* ligature */
    expect_fold("\xE1\xBE\xB3", "\xCE\x91\xCD\x85", true); /* alpha with iota below */
    expect_fold("a", "b", false);
    expect_fold("e", "\xC3\xA9", false);
    expect_fold("\xC4\xB1", "i", false);                 /* dotless i */
    cr_expect_null(path_fold("\xFF", 1));
    cr_expect_eq(errno, EILSEQ);
    cr_expect_null(path_fold("a\0b", 3));
}

/* Whatever is folded once must not change again, and slashes stay where they are: the collision set relies on both. */
Test(path, folding_is_stable_for_every_character)
{
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        char text[8];
        int n = c < 0x80      ? snprintf(text, sizeof(text), "%c", (int)c)
                : c < 0x800   ? snprintf(text, sizeof(text), "%c%c", (int)(0xC0 | c >> 6), (int)(0x80 | (c & 0x3F)))
                : c < 0x10000 ? snprintf(text, sizeof(text), "%c%c%c", (int)(0xE0 | c >> 12),
                                         (int)(0x80 | (c >> 6 & 0x3F)), (int)(0x80 | (c & 0x3F)))
                              : snprintf(text, sizeof(text), "%c%c%c%c", (int)(0xF0 | c >> 18),
                                         (int)(0x80 | (c >> 12 & 0x3F)), (int)(0x80 | (c >> 6 & 0x3F)),
                                         (int)(0x80 | (c & 0x3F)));
        if (!utf8_valid((const uint8_t *)text, (size_t)n))
            continue;
        char *once = path_fold(text, (size_t)n);
        cr_assert_not_null(once, "U+%04X", c);
        char *twice = path_fold(once, strlen(once));
        cr_assert_not_null(twice);
        if (strcmp(once, twice) != 0 || (c != '/' && strchr(once, '/')))
            cr_expect(false, "U+%04X folds to %s, then %s", c, once, twice);
        free(once);
        free(twice);
    }
}

Test(path, knows_what_acts_by_itself)
{
    static const char *const acts[] = {".git/config",  "a/.git",        ".GIT/hooks/x",      ".git./config", ".git /config",
                                       ".git::$DATA/x", "git~1/config", ".ssh/authorized_keys", ".envrc",     "d/.envrc", ".direnvrc", "x/.mcp.json", "mise.toml",
                                       ".vscode/tasks.json", ".bashrc", ".npmrc",            "site/evil.pth", "x.PTH",
                                       ".github/workflows/ci.yml", "a/.Config/autostart/x",  "AutoRun.inf",   ".Htaccess",
                                       ".jvmopts",    "d/latexmkrc",   "x/AGENTS.md",        ".travis.yml", ".Gitea/workflows/a.yml"};
    static const char *const calm[] = {"travis.yml", "agents.txt", "latexmkrc.txt", "programs/start", "git/config", ".gitignore", ".github/readme.md", "a.pth/b", ".coverage", "bashrc",
                                       ".envrc/x",   "Makefile",   ".config/x",         "pth",     ".gitx/a",   "x.git/a"};
    for (size_t i = 0; i < ARRAY_LEN(acts); i++)
        cr_expect(path_auto_run(acts[i], strlen(acts[i]), false), "%s", acts[i]);
    for (size_t i = 0; i < ARRAY_LEN(calm); i++)
        cr_expect_not(path_auto_run(calm[i], strlen(calm[i]), false), "%s", calm[i]);
    cr_expect(path_auto_run(P("a/.git/config"), true));
    cr_expect(path_auto_run(P(".ssh/id"), true));
    cr_expect_not(path_auto_run(P(".bashrc"), true));
    cr_expect_not(path_auto_run(P("a/.vscode/x"), true));
    cr_expect(path_auto_run(P("\xFF/.GIT/x"), false), "also beside bytes that are no UTF-8");
}

static int add(struct path_set *set, const char *path, bool directory, size_t index, size_t *other)
{
    *other = 999;
    return path_set_add(set, path, strlen(path), directory, index, other);
}

Test(path, a_set_finds_collisions)
{
    struct path_set *set = path_set_new();
    size_t other;
    cr_assert_not_null(set);
    cr_expect_eq(add(set, "README.txt", false, 1, &other), 0);
    cr_expect_eq(add(set, "readme.txt", false, 2, &other), 1);
    cr_expect_eq(other, 1);
    cr_expect_eq(add(set, "caf\xC3\xA9", false, 3, &other), 0);
    cr_expect_eq(add(set, "cafe\xCC\x81", false, 4, &other), 1);
    cr_expect_eq(other, 3);
    cr_expect_eq(add(set, "L/a.txt", false, 5, &other), 0);
    cr_expect_eq(add(set, "L/b.txt", false, 6, &other), 0);
    cr_expect_eq(add(set, "l/c.txt", false, 7, &other), 1);
    cr_expect_eq(other, 5, "a parent belongs to who brought it");
    cr_expect_eq(add(set, "README.txt/x", false, 8, &other), 1, "a file cannot be a directory too");
    cr_expect_eq(other, 1);
    cr_expect_eq(add(set, "L", false, 9, &other), 1, "nor a directory a file");
    cr_expect_eq(add(set, "L", true, 10, &other), 0);
    cr_expect_eq(add(set, "README.txt", false, 11, &other), 0, "the same bytes are one path");
    cr_expect_eq(add(set, "\xFF", false, 12, &other), -1);
    path_set_free(&set);
    cr_expect_null(set);
    path_set_free(&set);
}

Test(path, a_set_grows)
{
    struct path_set *set = path_set_new();
    size_t other;
    char path[64];
    for (size_t i = 0; i < 20000; i++) {
        snprintf(path, sizeof(path), "dir%zu/sub%zu/file%zu", i % 7, i % 97, i);
        cr_assert_eq(add(set, path, false, i, &other), 0);
    }
    for (size_t i = 0; i < 20000; i += 501) {
        snprintf(path, sizeof(path), "dir%zu/sub%zu/FILE%zu", i % 7, i % 97, i);
        cr_expect_eq(add(set, path, false, i, &other), 1);
        cr_expect_eq(other, i);
    }
    path_set_free(&set);
}
