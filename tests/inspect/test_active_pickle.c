/* SPDX-License-Identifier: ISC */
#include "binary_cases.h"

#include "base/limits.h"
#include "inspect/pickle.h"

#define ROW(name, types, text, want) {name, types, text, sizeof(text) - 1, want}

static const struct {
    const char *name, *types, *data;
    size_t len;
    const char *want;
} rows[] = {
    /* calls, protocol by protocol */
    ROW("protocol 0", "any-binary", "cos\nsystem\n(S'id'\ntR.", "pickle refuse"),
    ROW("protocol 0 without its end", "any-binary", "cos\nsystem\n(S'id'\ntRxx", "pickle refuse"),
    ROW("instance", "any-binary", "(S'id'\nios\nsystem\n.", "pickle refuse"),
    ROW("object", "any-binary", "(cos\nsystem\nS'id'\no.", "pickle refuse"),
    ROW("protocol 2", "any-binary", "\x80\2cposix\nsystem\nq\0X\2\0\0\0idq\1\x85q\2Rq\3.", "pickle refuse"),
    ROW("protocol 4", "any-binary",
        "\x80\4\x95\x1d\0\0\0\0\0\0\0\x8c\5posix\x94\x8c\6system\x94\x93\x94\x8c\2id\x94\x85\x94R\x94.", "pickle refuse"),
    ROW("new object", "any-binary", "\x80\2ca\nB\n)\x81.", "pickle refuse"),
    ROW("new object with keywords", "any-binary", "\x80\4\x8c\1a\x8c\1B\x93)}\x92.", "pickle refuse"),
    ROW("extension code", "any-binary", "\x80\2\x82\1.", "pickle refuse"),
    ROW("a name alone", "any-binary", "\x80\2cos\nsystem\n.", "pickle refuse"),
    ROW("a name alone as text", "any-binary", "cos\nsystem\n.", "pickle refuse"),
    ROW("a call that the reader reaches before a fault", "any-binary", "\x80\2cos\nsystem\n)R\xff\xff", "pickle refuse"),
    ROW("the second pickle of a file", "any-binary", "\x80\2N.\x80\2cos\nsystem\n)R.", "pickle refuse"),
    ROW("a name built of the memo", "any-binary", "\x80\4\x8c\2os\x94\x8c\6system\x94h\0h\1\x93)R.", "pickle refuse"),
    /* frames */
    ROW("a frame that ends inside a string", "pickle", "\x80\4\x95\3\0\0\0\0\0\0\0\x8c\4abcd.", "pickle refuse"),
    ROW("a frame inside a frame", "pickle", "\x80\4\x95\x0b\0\0\0\0\0\0\0\x95\1\0\0\0\0\0\0\0N.", "pickle refuse"),
    ROW("a frame as it should be", "pickle", "\x80\4\x95\2\0\0\0\0\0\0\0N.", ""),
    /* data */
    ROW("data", "pickle", "\x80\2}q\0(X\1\0\0\0aq\1]q\2(K\1K\2K\3eu.", ""),
    ROW("data in protocol 0", "pickle", "(dp0\nVa\np1\n(lp2\nI1\naI2\nas.", ""),
    ROW("a set", "pickle", "\x80\4\x8f\x94(K\1K\2\x90.", ""),
    /* what only looks like it */
    ROW("prose", "text", "class Foo\nimport os\n(a list)\nt.\n", ""),
    ROW("a list of words", "text", "cab\ncabal\ncabin\ncable\n", ""),
    ROW("words that are opcodes", "text", "config\nname\nRest of it\n", ""),
    ROW("a call without its argument", "text", "cos\nsystem\nR.", ""),
    ROW("an instance without its mark", "text", "ios\nsystem\n.", ""),
    ROW("names that are none", "text", "c1os\nsystem\n)R.", ""),
    ROW("a string without quotes", "text", "cos\nsystem\n(Sid\ntR.", ""),
    ROW("text in another encoding", "any-binary", "\x82 \xe3\xe8\xec\n", ""),
    ROW("an archive", "zip", "PK\3\4\x14\0\n\x8c\1a\x8c\1b\x93", ""),
    ROW("an argument that the file cuts", "any-binary", "\x80\2X\xff\0\0\0abc", ""),
    ROW("a length past the end of numbers", "any-binary", "\x80\4\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", ""),
};

Test(active_pickle, every_row)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        binary_check(rows[i].name, "x.bin", rows[i].types, rows[i].data, rows[i].len, rows[i].want);
}

Test(active_pickle, data_only_is_a_type_of_its_own)
{
    struct sink_list list;
    binary_run(&list, "x.dat", "any-binary", "\x80\2N.", 4);
    cr_assert(claims_has(&list.claims, TYPE_PICKLE));
    sink_list_free(&list);
    binary_run(&list, "x.pkl", "pickle", "\x80\2N.trailing", 12);
    cr_assert_not(claims_by_content(&list.claims, TYPE_PICKLE));
    sink_list_free(&list);
    binary_run(&list, "x.txt", "text", "I1\n.", 4);
    cr_assert_not(claims_has(&list.claims, TYPE_PICKLE));
    sink_list_free(&list);
}

Test(active_pickle, every_prefix_of_a_call_keeps_its_finding_from_the_call_on)
{
    static const char call[] = "\x80\2cposix\nsystem\nX\2\0\0\0id\x85R.";
    size_t len = sizeof(call) - 1, reached = 0;
    for (size_t n = 1; n <= len; n++) {
        struct bytes b;
        bytes_init_memory(&b, call, n);
        struct pickle_walk walk = pickle_walk(&b, 0);
        cr_assert(reached == 0 || walk.call, "%zu", n);
        reached = walk.call ? n : reached;
        cr_assert_leq(walk.end, n);
    }
    cr_assert_eq(reached, len);
}

Test(active_pickle, marks_are_bounded)
{
    static char marks[PICKLE_MARKS + 16] = "\x80\2";
    struct bytes b;
    memset(marks + 2, '(', sizeof(marks) - 2);
    bytes_init_memory(&b, marks, sizeof(marks));
    cr_assert(pickle_walk(&b, 0).limit);
    bytes_init_memory(&b, marks, PICKLE_MARKS + 2);
    cr_assert_not(pickle_walk(&b, 0).limit);
}
