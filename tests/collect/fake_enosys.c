/* SPDX-License-Identifier: ISC
 * Runs a program in which one system call fails: fake_enosys CALL ERRNO PROGRAM [ARGUMENT...]. What old
 * kernels (ENOSYS), other people's filters (EPERM) and poorer filesystems (EINVAL) do, on any kernel. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"

static const struct {
    const char *name;
    unsigned value;
} errors[] = {{"ENOSYS", ENOSYS}, {"EPERM", EPERM}, {"EINVAL", EINVAL}, {"EIO", EIO}},
  calls[] = {
      {"openat2", SYS_openat2}, {"renameat2", SYS_renameat2}, {"syncfs", SYS_syncfs}, {"fsync", SYS_fsync}};

int main(int argc, char **argv)
{
    unsigned error = 0, call = 0;
    for (size_t i = 0; argc > 3 && i < ARRAY_LEN(errors); i++)
        if (strcmp(errors[i].name, argv[2]) == 0)
            error = errors[i].value;
    for (size_t i = 0; argc > 3 && i < ARRAY_LEN(calls); i++)
        if (strcmp(calls[i].name, argv[1]) == 0)
            call = calls[i].value;
    if (error == 0 || call == 0) {
        fprintf(stderr, "usage: fake_enosys CALL ERRNO PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_LEN(code), .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("fake_enosys: seccomp");
        return 2;
    }
    execvp(argv[3], argv + 3);
    perror(argv[3]);
    return 2;
}
