/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "contract/contract_parse.h"

#define HEAD "sallyport: 1\nname: t\n"
#define TAIL "outputs: [{path: a, types: [text]}]\n"

static struct contract *parse(const char *text)
{
    struct contract *c;
    struct contract_errors errors;
    int rc = contract_parse("c.yaml", (const uint8_t *)text, strlen(text), &c, &errors);
    cr_assert_eq(rc, 0, "%s", errors.n ? errors.v[0].sentence : "no message");
    cr_assert_eq(errors.n, 0);
    return c;
}

/* The text holds one '^' where the error is expected; it is taken out before the text is read. */
static void expect_error(const char *head, const char *marked, const char *tail, const char *sentence)
{
    char text[4096];
    const char *mark = strchr(marked, '^');
    struct contract *c;
    struct contract_errors errors;
    cr_assert_not_null(mark, "%s", marked);
    int before = snprintf(text, sizeof(text), "%s%.*s", head, (int)(mark - marked), marked);
    unsigned line = 1, column = 1;
    for (int i = 0; i < before; i++) {
        column = text[i] == '\n' ? 1 : column + ((text[i] & 0xC0) != 0x80);
        line += text[i] == '\n';
    }
    snprintf(text + before, sizeof(text) - (size_t)before, "%s%s", mark + 1, tail);
    errno = 0;
    cr_expect_eq(contract_parse("c.yaml", (const uint8_t *)text, strlen(text), &c, &errors), -1, "%s", text);
    cr_expect_eq(errno, EINVAL);
    cr_expect_null(c);
    cr_expect_eq(errors.n, 1, "%zu errors in\n%s%s", errors.n, text, errors.n > 1 ? errors.v[1].sentence : "");
    for (size_t i = 0; i < errors.n && i < 1; i++) {
        cr_expect(errors.v[i].line == line && errors.v[i].column == column, "%u:%u, want %u:%u in\n%s%s",
                  errors.v[i].line, errors.v[i].column, line, column, text, errors.v[i].sentence);
        cr_expect(strstr(errors.v[i].sentence, sentence), "'%s', want '%s'", errors.v[i].sentence, sentence);
    }
    contract_errors_free(&errors);
}

struct row {
    const char *marked, *sentence;
};

Test(contract_parse, refuses_what_is_no_restricted_yaml)
{
    static const struct row rows[] = {
        {"^", "the file is empty"},
        {"^# only a comment\n", "the file is empty"},
        {"a: b\n^---\nc: d\n", "a second document"},
        {"^%YAML 1.1\n---\n" HEAD TAIL, "directives"},
        {HEAD "owner: ^&x me\n" TAIL, "anchors"},
        {HEAD "owner: ^*x\n" TAIL, "aliases"},
        {HEAD "owner: ^!!str me\n" TAIL, "tags"},
        {HEAD "owner: ^! me\n" TAIL, "tags"},
        {HEAD "^<<: {owner: me}\n" TAIL, "merge keys"},
        {HEAD "owner: me\n^owner: you\n" TAIL, "duplicate key 'owner'; the first is on line 3"},
        {HEAD "labels: {a: b, ^\"a\": c}\n" TAIL, "duplicate key 'a'"},
        {HEAD "? ^[a]\n: b\n" TAIL, "a key must be a plain word"},
        {HEAD TAIL "labels: {a: [[[[[[^[b]]]]]]]}\n", "nested more than 8 levels"},
        {HEAD "owner: [a\noutputs^: b\n", "not valid YAML"},
        {HEAD "^\towner: me\n" TAIL, "not valid YAML"},
        {HEAD "owner: caf^\xE9\n" TAIL, "byte 0xE9 is not UTF-8"},
        {HEAD "owner: \xC3\xA9\xC3\xA9^\x01\n" TAIL, "a control character"},
        {HEAD "owner: a^\rb\n" TAIL, "a carriage return alone"},
        {HEAD "owner: a^\xC2\x85\n" TAIL, "a control character"},
        {HEAD "owner: a^\xE2\x80\xAE\n" TAIL, "invisible or bidirectional"},
        {"^- a\n", "the contract must be a mapping"},
        {"^word\n", "the contract must be a mapping"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        expect_error("", rows[i].marked, "", rows[i].sentence);
}

Test(contract_parse, refuses_wrong_keys_and_values_with_their_place)
{
    static const struct row rows[] = {
        {"^outptus: []\n", "unknown key 'outptus' in the contract; did you mean 'outputs'?"},
        {"^zzz: 1\n", "unknown key 'zzz' in the contract; see sallyport-contract(5)"},
        {"^\"e\\e[1m\": 1\n", "unknown key 'e\\x1B[1m'"},
        {"owner: ^[a]\n", "'owner' must be a single value"},
        {"owner:^ \n", "'owner' has no value"},
        {"owner: ^~\n", "'owner' has no value"},
        {"owner: ^null\n", "'owner' has no value"},
        {"owner: ^''\n", "'owner' is empty"},
        {"owner: ^\"a\\nb\"\n", "'owner' has more than one line"},
        {"purpose: ^\"a\\eb\"\n", "'purpose' holds a control character"},
        {"purpose: ^\"a\\0b\"\n", "'purpose' holds a NUL"},
        {"not-covered: ^core dumps\n", "'not-covered' must be a list"},
        {"review-by: ^2027-02-29\n", "'review-by' is a date"},
        {"review-by: ^tomorrow\n", "'review-by' is a date"},
        {"labels: ^[a]\n", "'labels' must be a mapping"},
        {"labels: {a: ^[b]}\n", "'a' must be a single value"},
        {"threat: {^untrused: x}\n", "did you mean 'untrusted'?"},
        {"limits: {^file: 1}\n", "unknown key 'file' in 'limits'; did you mean 'files'?"},
        {"limits: {files: ^-1}\n", "'files' is a whole number, not '-1'"},
        {"limits: {files: ^0}\n", "'files' is too small"},
        {"limits: {total: ^12Q}\n", "'total' is a size"},
        {"limits: {total: ^99999999999999G}\n", "'total' is a size"},
        {"limits: {depth: ^257}\n", "'depth' is too large"},
        {"limits: {time: ^10}\n", "'time' is a duration"},
        {"limits: {time: ^5m1h}\n", "'time' is a duration"},
        {"names: ^posixx\n", "'names' cannot be 'posixx'; did you mean 'posix'? (it is one of: portable | posix)"},
        {"hard-links: ^allow\n", "(it is one of: refuse | within)"},
        {"symlinks: ^follow\n", "(it is one of: refuse | skip)"},
        {"unlisted: ^no\n", "(it is one of: list | count | ignore | refuse)"},
        {"partial: ^maybe\n", "'partial' is true or false"},
        {"partial: ^yes\n", "'partial' is true or false"},
        {"strict: ^\"true\"\n", "'strict' is true or false"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        expect_error(HEAD TAIL, rows[i].marked, "", rows[i].sentence);
    expect_error("", "sallyport: ^2\nname: t\n", TAIL, "contract version '2' is not known");
    expect_error("sallyport: 1\n", "name: ^Upper\n", TAIL, "'name' is up to 63");
    expect_error("sallyport: 1\n", "name: ^-a\n", TAIL, "'name' is up to 63");
    expect_error("", "^name: t\n", TAIL, "the contract needs the key 'sallyport'");
    expect_error("", "^sallyport: 1\nname: t\n", "", "the contract needs the key 'outputs'");
    expect_error(HEAD, "outputs: ^[]\n", "", "'outputs' is an empty list");
    expect_error(HEAD, "outputs: ^{path: a}\n", "", "'outputs' must be a list");
}

Test(contract_parse, refuses_outputs_that_contradict_themselves)
{
    static const struct row rows[] = {
        {"  - ^a\n", "an output must be a mapping"},
        {"  - ^types: [text]\n", "an output needs the key 'path' or 'glob'"},
        {"  - ^path: a\n", "an output needs the key 'types'"},
        {"  - path: a\n    glob: ^b\n    types: [text]\n", "a path or a glob, not both"},
        {"  - {path: ^../a, types: [text]}\n", "has a '..' component"},
        {"  - {path: ^/etc/passwd, types: [text]}\n", "is absolute"},
        {"  - {path: ^./a, types: [text]}\n", "has a '.' component"},
        {"  - {path: ^a//b, types: [text]}\n", "empty component"},
        {"  - {path: ^\"a\\tb\", types: [text]}\n", "control character"},
        {"  - {path: ^a/, types: [text]}\n", "ends in '/'"},
        {"  - {path: ^\"a\\0b\", types: [text]}\n", "holds a NUL"},
        {"  - {path: ^'', types: [text]}\n", "is empty"},
        {"  - {glob: ^'{a,b}', types: [text]}\n", "'glob' is no glob"},
        {"  - {glob: ^'a**', types: [text]}\n", "'glob' is no glob"},
        {"  - {glob: ^'/tmp/*', types: [text]}\n", "'glob' is no glob"},
        {"  - {glob: ^\"a\\0*\", types: [text]}\n", "'glob' is no glob"},
        {"  - {glob: '*', exclude: [^'[a'], types: [text]}\n", "'exclude' is no glob"},
        {"  - {path: a, ^exclude: ['*'], types: [text]}\n", "'exclude' belongs to a glob"},
        {"  - {path: a, ^count: 1, types: [text]}\n", "'count' belongs to a glob"},
        {"  - {glob: '*', ^optional: true, types: [text]}\n", "'optional' belongs to an exact path"},
        {"  - {glob: '*', count: ^50..0, types: [text]}\n", "'count' is a number or a range"},
        {"  - {glob: '*', count: ^..5, types: [text]}\n", "'count' is a number or a range"},
        {"  - {glob: '*', count: ^0, types: [text]}\n", "'count' admits no file"},
        {"  - {path: a, types: ^[]}\n", "'types' is an empty list"},
        {"  - {path: a, types: ^text}\n", "'types' must be a list"},
        {"  - {path: a, types: [text, ^txet]}\n", "unknown type 'txet'; did you mean 'text'?"},
        {"  - {path: a, types: [^archive]}\n", "did you mean 'archives'?"},
        {"  - {path: a, types: [^'plain text']}\n", "unknown type 'plain text'"},
        {"  - {path: a, types: ^[any-binary]}\n", "'any-binary' needs a 'reason'"},
        {"  - {path: a, types: [text], max: ^0}\n", "'max' is too small"},
        {"  - {path: a, types: [text], ^maxx: 1}\n", "did you mean 'max'?"},
        {"  - {path: a, types: [zip], inside: {types: [^tekst]}}\n", "did you mean 'text'?"},
        {"  - {path: a, types: [zip], inside: {^entrys: 1}}\n", "did you mean 'entries'?"},
        {"  - {path: a, types: [zip], inside: {nesting: ^33}}\n", "'nesting' is too large"},
        {"  - {path: a, types: [zip], inside: {links: ^follow}}\n", "(it is one of: refuse | inside)"},
        {"  - {path: a, types: [text], require-stability: ^lease}\n", "did you mean 'leased'?"},
        {"  - {path: a, types: [text]}\n  - {path: ^a, types: [json]}\n", "the same path twice: 'a' stands on line 4"},
        {"  - {glob: '*', types: [text]}\n  - {glob: ^'*', types: [json]}\n", "the same glob twice"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        expect_error(HEAD "outputs:\n", rows[i].marked, "", rows[i].sentence);
}

Test(contract_parse, refuses_accepts_that_may_not_be)
{
    static const struct row rows[] = {
        {"^code: active/rtf, reason: r, until: 2099-01-01", "an accept needs the key 'approved-by'"},
        {"^code: active/rtf, approved-by: a, until: 2099-01-01", "an accept needs the key 'reason'"},
        {"^code: active/rtf, approved-by: a, reason: r", "an accept needs the key 'until'"},
        {"^reason: r, approved-by: a, until: 2099-01-01", "an accept needs the key 'code'"},
        {"code: ^active/rtff, reason: r, approved-by: a, until: 2099-01-01", "did you mean 'active/rtf'?"},
        {"code: ^type/conflict, reason: r, approved-by: a, until: 2099-01-01", "'type/conflict' cannot be accepted"},
        {"code: ^file/symlink, reason: r, approved-by: a, until: 2099-01-01", "'file/symlink' cannot be accepted"},
        {"code: ^name/unsafe, reason: r, approved-by: a, until: 2099-01-01", "cannot be accepted"},
        {"code: ^inspect/timeout, reason: r, approved-by: a, until: 2099-01-01", "cannot be accepted"},
        {"code: ^contract/review-due, reason: r, approved-by: a, until: 2099-01-01", "cannot be accepted"},
        {"code: ^secret/, reason: r, approved-by: a, until: 2099-01-01", "name one rule"},
        {"code: ^secret/*, reason: r, approved-by: a, until: 2099-01-01", "name one rule"},
        {"code: active/rtf, reason: r, approved-by: a, until: ^2099-13-01", "'until' is a date"},
        {"code: active/rtf, reason: r, approved-by: a, until: 2099-01-01, sha256: ^abc", "64 hexadecimal digits"},
        {"code: active/rtf, reason: r, approved-by: a, until: 2099-01-01, path: ^../a", "has a '..' component"},
        {"code: active/rtf, reason: r, approved-by: a, until: 2099-01-01, ^file: a", "unknown key 'file' in an accept"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char marked[512];
        bool of_map = rows[i].marked[0] == '^'; /* a missing key is told where the mapping begins */
        snprintf(marked, sizeof(marked), "%s{%s}]}]\n", of_map ? "^" : "", rows[i].marked + of_map);
        expect_error(HEAD "outputs: [{path: a, types: [html-static], accept: [", marked, "", rows[i].sentence);
    }
}

Test(contract_parse, refuses_jobs_that_cannot_be)
{
    static const struct row rows[] = {
        {"run: ^{}\n", "'run' needs the key 'command'"},
        {"run: {command: ^[]}\n", "'command' is an empty list"},
        {"run: {command: ^make}\n", "'command' must be a list"},
        {"run: {command: ^['']}\n", "starts with an empty word"},
        {"run: {command: [a, ^\"b\\0\"]}\n", "holds a NUL"},
        {"run: {command: [a], engine: ^dokcer}\n", "did you mean 'docker'?"},
        {"run: {command: [a], ^image: x}\n", "'image' needs 'engine: docker'"},
        {"run: ^{command: [a], engine: docker}\n", "needs 'image: NAME@sha256:...'"},
        {"run: {command: [a], engine: podman, image: ^debian:12}\n", "must be pinned by digest"},
        {"run: {command: [a], inputs: [^{from: x}]}\n", "an input needs the key 'at'"},
        {"run: {command: [a], inputs: [{from: x, at: ^target}]}\n", "an absolute path inside the sandbox"},
        {"run: {command: [a], inputs: [{from: x, at: ^/a/../b}]}\n", "has a '..' component"},
        {"run: {command: [a], inputs: [{from: x, at: ^/}]}\n", "is empty"},
        {"run: {command: [a], inputs: [{from: x, at: ^/proc/1}]}\n", "keeps /proc"},
        {"run: {command: [a], inputs: [{from: x, at: /t}, ^{from: y, at: /t}]}\n", "two inputs at '/t'"},
        {"run: {command: [a], env: {^A-B: c}}\n", "no name of an environment variable"},
        {"run: {command: [a], env: {A: ^[c]}}\n", "'A' must be a single value"},
        {"run: {command: [a], stdout: ^/dev/stdout}\n", "is absolute"},
        {"run: {command: [a], stdout: ^nul.txt}\n", "would be refused as name/unsafe"},
        {"run: {command: [a], stdout: o, stderr: ^o}\n", "need names of their own"},
        {"run: {command: [a], accept-exit: [0, ^256]}\n", "from 0 to 255"},
        {"run: {command: [a], limits: {cpus: ^0}}\n", "'cpus' is a number above 0"},
        {"run: {command: [a], limits: {memory: ^lots}}\n", "'memory' is a size"},
        {"run: {command: [a], limits: {^ram: 2G}}\n", "unknown key 'ram' in 'run: limits'"},
        {"run: {command: [a], ^network: true}\n", "unknown key 'network' in 'run'"},
        {"run: {command: [a], fetch: ^{command: [b], reason: r, approved-by: c}}\n", "needs the key 'until'"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        expect_error(HEAD TAIL, rows[i].marked, "", rows[i].sentence);
}

Test(contract_parse, reads_a_small_contract_with_its_defaults)
{
    struct contract *c = parse(HEAD "outputs:\n  - {path: 'r[1].txt', types: [text]}\n  - {glob: '*.gz', types: [gzip]}\n");
    cr_assert_str_eq(c->name, "t");
    cr_assert_null(c->owner);
    cr_assert_eq(c->outputs_n, 2u);
    cr_assert_str_eq(c->outputs[0].path, "r[1].txt");
    cr_assert_null(c->outputs[0].glob);
    cr_assert_eq(c->outputs[0].line, 4u);
    cr_assert_eq(c->outputs[1].index, 1u);
    cr_assert_eq(c->outputs[1].max, 64 * MIB);
    cr_assert_eq(c->outputs[1].count_min, 1u);
    cr_assert_eq(c->outputs[1].count_max, UINT64_MAX);
    cr_assert(type_set_has(&c->outputs[1].inside.types, TYPE_JSON));
    cr_assert_not(type_set_has(&c->outputs[1].inside.types, TYPE_ELF));
    cr_assert_not(c->outputs[1].inside.given);
    cr_assert_eq(c->outputs[1].inside.entries, 100000u);
    cr_assert_eq(c->outputs[1].inside.member, GIB);
    cr_assert_eq(c->outputs[1].inside.unpacked, 2 * GIB);
    cr_assert_eq(c->outputs[1].inside.ratio, 200u);
    cr_assert_eq(c->outputs[1].inside.nesting, 8u);
    cr_assert_eq(c->limits.files, 10000u);
    cr_assert_eq(c->limits.total, GIB);
    cr_assert_eq(c->limits.depth, 16u);
    cr_assert_eq(c->limits.visited, 100000u);
    cr_assert_eq(c->limits.time_ms, 3600000u);
    cr_assert_eq(c->names, NAMES_PORTABLE);
    cr_assert_eq(c->unlisted, UNLISTED_LIST);
    cr_assert_not(c->run.given);
    contract_free(&c);
    cr_assert_null(c);
    contract_free(&c);
}

static const char whole[] =
    "\xEF\xBB\xBFsallyport: 1\r\nname: fuzz-triage\r\nrevision: \"2026-11-29.1\"\r\nowner: sec@example.org\n"
    "escalate: oncall@example.org\npurpose: |\n  one\n  two\nnot-covered: [source code, core dumps]\n"
    "review-by: 2027-03-31\nlabels: {commit: 0f1e2d3c, case: 2026-117}\n"
    "threat: {untrusted: \"everything\", secrets: none, consequence: forged report}\n"
    "source: {kind: container-scratch, target: x}\n"
    "run:\n  command: [/target/bin/triage, --out, '']\n  engine: builtin\n  base: ./root\n"
    "  inputs: [{from: ./src, at: /target}, {from: b, at: /b, copy: true}]\n  env: {LANG: C.UTF-8, EMPTY: ''}\n"
    "  stdout: log/out.txt\n  stderr: log/err.txt\n  accept-exit: [0, 3, 255]\n"
    "  limits: {wall: 10m, cpus: 1.5, memory: unenforced, processes: 256, scratch: 512M, inodes: 20000, file: 100M, "
    "output: 10Mi}\n"
    "  fetch: {command: [curl], reason: r, approved-by: a, until: 2027-01-31}\n"
    "outputs:\n  - path: report/summary.json\n    types: [json]\n    max: 2M\n    optional: true\n"
    "    require-stability: leased\n"
    "  - glob: crashes/*.txt\n    exclude: [crashes/tmp-*.txt]\n    count: 0..50\n    types: [text, images]\n"
    "  - path: b.tar.gz\n    types: [tar.gz, any-binary]\n    reason: old format\n"
    "    inside: {types: [png], entries: 2000, member: 1K, unpacked: 512M, ratio: 100, nesting: 2, links: inside}\n"
    "    accept:\n      - {code: secret/aws-key, reason: r, approved-by: a, until: 2020-02-29, member: '../x*'}\n"
    "  - path: c.html\n    types: [html-static]\n    accept:\n"
    "      - {code: active/html-script, reason: r, approved-by: a, until: 2099-01-01, path: c.html,\n"
    "         sha256: 00000000000000000000000000000000000000000000000000000000000000fF}\n"
    "limits: {files: 1000, total: 1G, depth: 9, visited: 5000, time: 1h30m5s}\n"
    "names: posix\nhard-links: within\nsymlinks: skip\nunlisted: refuse\npartial: true\nstrict: true\n";

Test(contract_parse, reads_every_key_at_the_top)
{
    struct contract *c = parse(whole);
    uint8_t sha256[SHA256_SIZE];
    sha256_bytes(whole, strlen(whole), sha256);
    cr_assert_str_eq(c->file, "c.yaml");
    cr_assert(c->text_len == strlen(whole) && memcmp(c->text, whole, c->text_len) == 0);
    cr_assert(sha256_equal(c->sha256, sha256));
    cr_assert_str_eq(c->revision, "2026-11-29.1");
    cr_assert_str_eq(c->owner, "sec@example.org");
    cr_assert_str_eq(c->escalate, "oncall@example.org");
    cr_assert_str_eq(c->purpose, "one\ntwo\n");
    cr_assert(c->not_covered.n == 2 && strcmp(c->not_covered.v[1], "core dumps") == 0);
    cr_assert_eq(c->review_by, 1806537599); /* 2027-03-31T23:59:59Z */
    cr_assert(c->labels.n == 2 && strcmp(c->labels.v[1].key, "case") == 0 &&
              strcmp(c->labels.v[1].value, "2026-117") == 0);
    cr_assert(c->threat.n == 3 && strcmp(c->threat.v[2].value, "forged report") == 0);
    cr_assert(c->source.n == 2 && strcmp(c->source.v[0].value, "container-scratch") == 0);
    cr_assert(c->limits.files == 1000 && c->limits.total == GIB && c->limits.depth == 9);
    cr_assert(c->limits.visited == 5000 && c->limits.time_ms == 5405000);
    cr_assert(c->names == NAMES_POSIX && c->hard_links == HARD_LINKS_WITHIN && c->symlinks == SYMLINKS_SKIP);
    cr_assert(c->unlisted == UNLISTED_REFUSE && c->partial && c->strict);
    contract_free(&c);
}

Test(contract_parse, reads_every_key_of_the_job)
{
    struct contract *c = parse(whole);
    const struct run *r = &c->run;
    cr_assert(r->given && r->command.n == 3 && strcmp(r->command.v[1], "--out") == 0 && r->command.v[2][0] == '\0');
    cr_assert(r->engine == ENGINE_BUILTIN && strcmp(r->base, "./root") == 0 && !r->image);
    cr_assert(r->inputs_n == 2 && strcmp(r->inputs[0].from, "./src") == 0 && strcmp(r->inputs[1].at, "/b") == 0);
    cr_assert(!r->inputs[0].copy && r->inputs[1].copy);
    cr_assert(r->env.n == 2 && strcmp(r->env.v[0].value, "C.UTF-8") == 0 && r->env.v[1].value[0] == '\0');
    cr_assert_str_eq(r->stdout_name, "log/out.txt");
    cr_assert_str_eq(r->stderr_name, "log/err.txt");
    cr_assert(accept_exit_has(r, 0) && accept_exit_has(r, 3) && accept_exit_has(r, 255) && !accept_exit_has(r, 1));
    const struct run_limits *l = &r->limits;
    cr_assert(l->has_wall && l->wall_ms == 600000 && l->has_cpus && l->cpus_milli == 1500);
    cr_assert(!l->has_memory && l->memory_unenforced && l->has_processes && l->processes == 256);
    cr_assert(l->has_scratch && l->scratch == 512 * MIB && l->has_inodes && l->inodes == 20000);
    cr_assert(l->has_file && l->file == 100 * MIB && l->has_output && l->output == 10 * MIB);
    cr_assert(r->fetch.given && r->fetch.command.n == 1 && r->fetch.until == 1801439999);
    contract_free(&c);
}

Test(contract_parse, reads_every_key_of_an_output)
{
    struct contract *c = parse(whole);
    cr_assert_eq(c->outputs_n, 4u);
    cr_assert_eq(c->accepts_n, 2u);
    const struct output *o = c->outputs;
    cr_assert(o[0].optional && o[0].max == 2 * MIB && o[0].require_leased && !o[0].require_quiesced);
    cr_assert(o[1].exclude.n == 1 && o[1].has_count && o[1].count_min == 0 && o[1].count_max == 50);
    cr_assert(type_set_has(&o[1].types, TYPE_PNG) && type_set_has(&o[1].types, TYPE_TEXT));
    cr_assert_str_eq(o[2].reason, "old format");
    cr_assert(o[2].inside.given && o[2].inside.types_given && o[2].inside.entries == 2000);
    cr_assert(o[2].inside.member == KIB && o[2].inside.unpacked == 512 * MIB && o[2].inside.ratio == 100);
    cr_assert(o[2].inside.nesting == 2 && o[2].inside.links == LINKS_INSIDE);
    cr_assert_not(type_set_has(&o[2].inside.types, TYPE_TEXT));
    cr_assert(o[2].accept[0].code == FINDING_SECRET && strcmp(o[2].accept[0].rule, "aws-key") == 0);
    cr_assert(o[2].accept[0].until == 1583020799 && strcmp(o[2].accept[0].member, "../x*") == 0);
    cr_assert(o[3].accept[0].code == FINDING_ACTIVE_HTML_SCRIPT && o[3].accept[0].index == 1);
    cr_assert(o[3].accept[0].has_sha256 && o[3].accept[0].sha256[31] == 0xFF && o[3].accept[0].sha256[0] == 0);
    cr_assert_str_eq(o[3].accept[0].path, "c.html");
    contract_free(&c);
}

Test(contract_parse, reads_json)
{
    struct contract *c = parse("{\"sallyport\": 1, \"name\": \"j\",\n \"partial\": true, \"limits\": {\"total\": \"1K\"},\n"
                               " \"outputs\": [{\"path\": \"caf\\u00e9.txt\", \"types\": [\"text\"]}]}");
    cr_assert_str_eq(c->outputs[0].path, "caf\xC3\xA9.txt");
    cr_assert(c->partial && c->limits.total == 1024);
    contract_free(&c);
}

Test(contract_parse, reports_twenty_at_once_in_order)
{
    char text[4096] = HEAD TAIL;
    struct contract *c;
    struct contract_errors errors;
    for (int i = 0; i < 25; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "zz%d: 1\n", i);
    cr_assert_eq(contract_parse("c", (const uint8_t *)text, strlen(text), &c, &errors), -1);
    cr_assert(errors.n == 20 && errors.more);
    for (unsigned i = 0; i < 20; i++)
        cr_assert(errors.v[i].line == 4 + i && errors.v[i].column == 1);
    contract_errors_free(&errors);
}

Test(contract_parse, bounds_what_it_reads)
{
    size_t len = CONTRACT_BYTES + 1;
    char *text = malloc(len + 1);
    struct contract *c;
    struct contract_errors errors;
    memset(text, '#', len);
    cr_assert_eq(contract_parse("c", (uint8_t *)text, len, &c, &errors), -1);
    cr_expect(strstr(errors.v[0].sentence, "more than 256 KiB"));
    contract_errors_free(&errors);
    strcpy(text, "labels: [");
    for (size_t i = 0; i < CONTRACT_NODES; i++)
        strcat(text + 9 + 2 * i, "a,");
    strcat(text, "]");
    cr_assert_eq(contract_parse("c", (uint8_t *)text, strlen(text), &c, &errors), -1);
    cr_expect_eq(errors.n, 1);
    cr_expect(strstr(errors.v[0].sentence, "more than 10000 keys and values"));
    contract_errors_free(&errors);
    free(text);
}
