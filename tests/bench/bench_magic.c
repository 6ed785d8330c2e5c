/* SPDX-License-Identifier: ISC
 * Inputs made against libmagic through the second reader: milliseconds of processor time for each, 8 KiB of it and all that is ever
 * handed over. Fails where one of 8 KiB takes 50 ms. The first ones were found by trying every entry of the database at
 * the start of six kinds of filling; a class in many lines is the best known one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inspect/sink.h"
#include "inspect/type_second.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_second_inspect, type_second_setup},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

enum { SMALL = 8 * 1024, LARGE = 256 * 1024, SMALL_MS = 50 };

static const struct {
    const char *name, *start;
    char fill;
} inputs[] = {{"MANIFEST and spaces", "MANIFEST", ' '},
              {"MANIFEST and lines", "MANIFEST", '\n'},
              {"DIST and spaces", "DIST ", ' '},
              {"DIST and lines", "DIST", '\n'},
              {"DATA and spaces", "DATA", ' '},
              {"AUX and lines", "AUX", '\n'},
              {"EBUILD and lines", "EBUILD", '\n'},
              {"HCA and digits", "HCA", '0'},
              {"CTF and digits", "/* CTF ", '0'},
              {"GSF and digits", "00000000GSF-v", '0'},
              {"ANSIBLE_VAULT and digits", "$ANSIBLE_VAULT;", '0'},
              {"class in many lines", "class Foo\n{\n", '\n'},
              {"binary, class in many lines", "\1class Foo\n{\n", '\n'},
              {"lines alone", "", '\n'},
              {"spaces alone", "", ' '},
              {"zeros alone", "", '\0'},
              {"a program and zeros", "MZ", '\0'},
              {"ELF and ones", "\177ELF\2\1\1", '\1'},
              {"compound file and ones", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", '\1'}};

static double look(const uint8_t *data, size_t len)
{
    static const char *const types[] = {"any-binary", NULL};
    struct timespec from, to;
    struct sink_list list;
    struct task task;
    sink_list_init(&list);
    sink_task(&task, "x.bin", types);
    task.ask = ASK_TYPE;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    sink_run(&list, inspectors, &task, data, len);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    sink_list_free(&list);
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

int main(void)
{
    int slow = 0;
    uint8_t *data = malloc(LARGE);
    if (!data || type_second_setup(-1) != 0)
        return 70;
    look((const uint8_t *)"\1", 1); /* the first look reads the database in */
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        memset(data, inputs[i].fill, LARGE);
        memcpy(data, inputs[i].start, strlen(inputs[i].start));
        double small = look(data, SMALL), large = look(data, LARGE);
        printf("%-28s 8 KiB %7.2f ms   256 KiB %7.2f ms%s\n", inputs[i].name, small, large, small > SMALL_MS ? "  TOO SLOW" : "");
        slow += small > SMALL_MS;
    }
    free(data);
    return slow > 0;
}
