/* SPDX-License-Identifier: ISC
 * An allow-list, built from box_syscalls.def. Another architecture's calls (i386, x32) kill; a known call
 * that is not listed fails with EPERM, one newer than the table with ENOSYS, so that libraries fall back. The kernel
 * keeps a bitmap of what is allowed whatever the arguments, so the length of the program costs nothing per call. */
#include "box/box_seccomp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "box/box_inside.h"

static const int32_t table[][2] = {
#define CALL(name, x86_64, arm64) {x86_64, arm64},
#include "box/box_syscalls.def"
#undef CALL
};

enum {
    CLONE_NEW_ANY = 0x7e020080, /* every CLONE_NEW* of the low word, CLONE_NEWTIME with them */
    TIOCSTI_ = 0x5412,          /* types into the terminal of whoever reads it */
    TIOCLINUX_ = 0x541c,
    MAP_HUGETLB_ = 0x40000, MFD_HUGETLB_ = 4, SHM_HUGETLB_ = 04000 /* the same on both architectures */
};

/* One call judged by its arguments; the numbers are x86-64's and arm64's. */
struct special {
    long number[2];
    uint32_t action;
    struct bpf_check checks[BPF_CHECKS];
};

#define WORD 0xffffffff /* the kernel looks at no more of it */
#define DENY (SECCOMP_RET_ERRNO | EPERM)
#define WITHOUT(arg, flags) {arg, flags, 0}
#define CLONE {56, 220}
#define CLONE3 {435, 435}
#define SOCKET {41, 198}
#define IOCTL {16, 29}
#define PERSONALITY {135, 92}
#define MMAP {9, 222}
#define MEMFD {319, 279}
#define SHMGET {29, 194}
#define PROTOCOL(family, protocol) {SOCKET, SECCOMP_RET_ALLOW, {{0, WORD, family}, {2, WORD, protocol}}}

/* Frequent ones first; the last row of a call takes whatever is left of it. */
static const struct special specials[] = {
    /* the host's pool of huge pages is counted by no memory limit; whoever asks for them can do with others */
    {MMAP, SECCOMP_RET_ALLOW, {WITHOUT(3, MAP_HUGETLB_)}},
    {MMAP, DENY, {{0}}},
    {MEMFD, SECCOMP_RET_ALLOW, {WITHOUT(1, MFD_HUGETLB_)}},
    {MEMFD, DENY, {{0}}},
    {SHMGET, SECCOMP_RET_ALLOW, {WITHOUT(2, SHM_HUGETLB_)}},
    {SHMGET, DENY, {{0}}},
    {IOCTL, DENY, {{1, WORD, TIOCSTI_}}},
    {IOCTL, DENY, {{1, WORD, TIOCLINUX_}}},
    {IOCTL, SECCOMP_RET_ALLOW, {{0}}},
    {CLONE, SECCOMP_RET_ALLOW, {WITHOUT(0, CLONE_NEW_ANY)}},
    {CLONE, DENY, {{0}}},
    /* its flags lie in memory, where a filter cannot look; libraries fall back to clone */
    {CLONE3, SECCOMP_RET_ERRNO | ENOSYS, {{0}}},
    /* local, IPv4, IPv6, and of netlink the one protocol that lists addresses; a network namespace does not confine vsock,
     * packet, alg, the other netlinks and more add surface, and asking for sctp, dccp, mptcp or smc makes the host load
     * the module */
    {SOCKET, SECCOMP_RET_ALLOW, {{0, WORD, AF_UNIX}}},
    PROTOCOL(AF_INET, 0),
    PROTOCOL(AF_INET, IPPROTO_TCP),
    PROTOCOL(AF_INET, IPPROTO_UDP),
    PROTOCOL(AF_INET, IPPROTO_ICMP),
    PROTOCOL(AF_INET, IPPROTO_ICMPV6),
    PROTOCOL(AF_INET6, 0),
    PROTOCOL(AF_INET6, IPPROTO_TCP),
    PROTOCOL(AF_INET6, IPPROTO_UDP),
    PROTOCOL(AF_INET6, IPPROTO_ICMP),
    PROTOCOL(AF_INET6, IPPROTO_ICMPV6),
    PROTOCOL(AF_NETLINK, 0 /* NETLINK_ROUTE */),
    {SOCKET, DENY, {{0}}},
    {PERSONALITY, SECCOMP_RET_ALLOW, {{0, WORD, WORD /* which one it is */}}},
    {PERSONALITY, DENY, {{0}}},
};

static int compare_number(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void box_seccomp_program(enum bpf_arch arch, struct bpf_program *out)
{
    int32_t v[ARRAY_LEN(table)];
    size_t n = 0, column = arch == BPF_ARCH_ARM64 ? 1 : 0;
    bpf_begin(out, arch);
    for (size_t i = 0; i < ARRAY_LEN(specials); i++) {
        struct bpf_rule rule = {.number = specials[i].number[column], .action = specials[i].action};
        for (size_t k = 0; k < BPF_CHECKS; k++)
            rule.checks[k] = specials[i].checks[k];
        bpf_rules(out, &rule, 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i][column] >= 0)
            v[n++] = table[i][column];
    qsort(v, n, sizeof v[0], compare_number);
    bpf_numbers(out, v, n, DENY, SECCOMP_RET_ERRNO | ENOSYS);
}

void inside_seccomp(const struct box_plan *plan)
{
    struct bpf_program program;
    box_seccomp_program(bpf_own_arch(), &program);
    if (program.failed) {
        errno = ENOSYS;
        inside_fail(plan, CONTROL_SECCOMP, "a table of system calls for this architecture");
    }
    if (bpf_install(&program) < 0)
        inside_fail(plan, CONTROL_SECCOMP, "loading the system call filter");
}
