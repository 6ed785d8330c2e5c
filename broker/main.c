/* SPDX-License-Identifier: ISC
 * sallyport: the one door out of a sandbox. */
#include "cmd/cmd.h"

int main(int argc, char **argv)
{
    return cmd_main(argc, argv);
}
