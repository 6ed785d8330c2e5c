/* SPDX-License-Identifier: ISC */
#include "cmd/cmd.h"

#include <string.h>

#include "base/say.h"

int exit_worst(int a, int b)
{
    static const int order[] = {EXIT_INTERNAL, EXIT_INT, EXIT_TERM, EXIT_NOT_NOW, EXIT_BROKER, EXIT_CONTROL,
                                EXIT_VERIFY, EXIT_JOB, EXIT_REFUSED, EXIT_PARTIAL};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_OK;
}

int cmd_main(int argc, char **argv)
{
    if (argc < 2) {
        say("no command given; see sallyport --help");
        return EXIT_USAGE;
    }
    say("unknown command '%s'", argv[1]);
    return EXIT_USAGE;
}
