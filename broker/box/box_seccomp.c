/* SPDX-License-Identifier: ISC
 * An allow-list in classic BPF, built from box_syscalls.def. Another architecture's calls (i386, x32) kill; a known call
 * that is not listed fails with EPERM, one newer than the table with ENOSYS, so that libraries fall back. The kernel
 * keeps a bitmap of what is allowed whatever the arguments, so the length of the program costs nothing per call. */
#include "box/box_seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "box/box_inside.h"

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

static const int32_t table[][2] = {
#define CALL(name, x86_64, arm64) {x86_64, arm64},
#include "box/box_syscalls.def"
#undef CALL
};

enum {
    X32_BIT = 0x40000000,
    CLONE_NEW_ANY = 0x7e020080, /* every CLONE_NEW* of the low word, CLONE_NEWTIME with them */
    TIOCSTI_ = 0x5412,          /* types into the terminal of whoever reads it */
    TIOCLINUX_ = 0x541c,
    MAP_HUGETLB_ = 0x40000, MFD_HUGETLB_ = 4, SHM_HUGETLB_ = 04000, /* the same on both architectures */
    PERSONALITY_ASK = -1
};

/* Calls judged by one argument, and their numbers. */
enum special { S_CLONE, S_CLONE3, S_SOCKET, S_IOCTL, S_PERSONALITY, S_MMAP, S_MEMFD, S_SHMGET, S_COUNT };
static const uint32_t specials[S_COUNT][2] = {
    [S_CLONE] = {56, 220}, [S_CLONE3] = {435, 435}, [S_SOCKET] = {41, 198}, [S_IOCTL] = {16, 29},
    [S_PERSONALITY] = {135, 92}, [S_MMAP] = {9, 222}, [S_MEMFD] = {319, 279}, [S_SHMGET] = {29, 194}};

struct program {
    struct sock_filter *out;
    size_t n, max;
};

static void put(struct program *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
    if (p->n < p->max)
        p->out[p->n] = (struct sock_filter){.code = code, .k = k, .jt = jt, .jf = jf};
    p->n++;
}

static void load(struct program *p, size_t offset)
{
    put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct program *p, uint32_t action)
{
    put(p, BPF_RET | BPF_K, action, 0, 0);
}

static void jump(struct program *p, uint16_t op, uint32_t k, uint8_t jt, uint8_t jf)
{
    put(p, (uint16_t)(BPF_JMP | op | BPF_K), k, jt, jf);
}

/* Little-endian both: the low word of an argument comes first. */
static void load_argument(struct program *p, unsigned i)
{
    load(p, offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
}

static void check_arch(struct program *p, enum box_arch arch)
{
    load(p, offsetof(struct seccomp_data, arch));
    jump(p, BPF_JEQ, arch == BOX_ARCH_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64, 1, 0);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    if (arch == BOX_ARCH_X86_64) {
        jump(p, BPF_JGE, X32_BIT, 0, 1);
        answer(p, SECCOMP_RET_KILL_PROCESS);
    }
}

/* The host's pool of huge pages is counted by no memory limit; whoever asks for them can do with others. */
static void refuse_flag(struct program *p, uint32_t call, unsigned argument, uint32_t flag)
{
    jump(p, BPF_JEQ, call, 0, 4);
    load_argument(p, argument);
    jump(p, BPF_JSET, flag, 0, 1);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    answer(p, SECCOMP_RET_ALLOW);
}

/* if (nr == this) judge its argument; every path through a block ends in an answer. */
static void judge_by_argument(struct program *p, size_t arch)
{
    const uint32_t allow = SECCOMP_RET_ALLOW, deny = SECCOMP_RET_ERRNO | EPERM;
    jump(p, BPF_JEQ, specials[S_CLONE][arch], 0, 4);
    load_argument(p, 0);
    jump(p, BPF_JSET, CLONE_NEW_ANY, 0, 1);
    answer(p, deny);
    answer(p, allow);
    /* its flags lie in memory, where a filter cannot look; libraries fall back to clone */
    jump(p, BPF_JEQ, specials[S_CLONE3][arch], 0, 1);
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
    /* local, IPv4, IPv6, and of netlink the one protocol that lists addresses; a network namespace does not confine vsock,
     * packet, alg, the other netlinks and more add surface, and asking for sctp, dccp, mptcp or smc makes the host load
     * the module */
    jump(p, BPF_JEQ, specials[S_SOCKET][arch], 0, 15);
    load_argument(p, 0);
    jump(p, BPF_JEQ, AF_UNIX, 12, 0);
    jump(p, BPF_JEQ, AF_INET, 4, 0);
    jump(p, BPF_JEQ, AF_INET6, 3, 0);
    jump(p, BPF_JEQ, AF_NETLINK, 0, 8);
    load_argument(p, 2);
    jump(p, BPF_JEQ, 0 /* NETLINK_ROUTE */, 7, 6);
    load_argument(p, 2);
    jump(p, BPF_JEQ, 0, 5, 0);
    jump(p, BPF_JEQ, IPPROTO_TCP, 4, 0);
    jump(p, BPF_JEQ, IPPROTO_UDP, 3, 0);
    jump(p, BPF_JEQ, IPPROTO_ICMP, 2, 0);
    jump(p, BPF_JEQ, IPPROTO_ICMPV6, 1, 0);
    answer(p, deny);
    answer(p, allow);
    refuse_flag(p, specials[S_MMAP][arch], 3, MAP_HUGETLB_);
    refuse_flag(p, specials[S_MEMFD][arch], 1, MFD_HUGETLB_);
    refuse_flag(p, specials[S_SHMGET][arch], 2, SHM_HUGETLB_);
    jump(p, BPF_JEQ, specials[S_IOCTL][arch], 0, 5);
    load_argument(p, 1);
    jump(p, BPF_JEQ, TIOCSTI_, 1, 0);
    jump(p, BPF_JEQ, TIOCLINUX_, 0, 1);
    answer(p, deny);
    answer(p, allow);
    jump(p, BPF_JEQ, specials[S_PERSONALITY][arch], 0, 4);
    load_argument(p, 0);
    jump(p, BPF_JEQ, (uint32_t)PERSONALITY_ASK, 0, 1);
    answer(p, allow);
    answer(p, deny);
}

static int compare_number(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Ascending runs of allowed numbers: above the run, go on; inside, allow; below, the number lies in a gap. */
static void list_numbers(struct program *p, size_t arch)
{
    int32_t v[sizeof table / sizeof table[0]];
    size_t n = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i][arch] >= 0)
            v[n++] = table[i][arch];
    qsort(v, n, sizeof v[0], compare_number);
    for (size_t i = 0; i < n;) {
        size_t last = i;
        while (last + 1 < n && v[last + 1] == v[last] + 1)
            last++;
        jump(p, BPF_JGT, (uint32_t)v[last], 3, 0);
        jump(p, BPF_JGE, (uint32_t)v[i], 0, 1);
        answer(p, SECCOMP_RET_ALLOW);
        answer(p, SECCOMP_RET_ERRNO | EPERM);
        i = last + 1;
    }
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

enum box_arch box_seccomp_arch(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    return BOX_ARCH_X86_64;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
    return BOX_ARCH_ARM64;
#else
    return BOX_ARCH_NONE;
#endif
}

size_t box_seccomp_program(enum box_arch arch, struct sock_filter *out, size_t max)
{
    struct program p = {.out = out, .max = max};
    size_t column = arch == BOX_ARCH_ARM64 ? 1 : 0;
    if (arch == BOX_ARCH_NONE)
        return 0;
    check_arch(&p, arch);
    judge_by_argument(&p, column);
    list_numbers(&p, column);
    return p.n <= max ? p.n : 0;
}

void inside_seccomp(const struct box_plan *plan)
{
    struct sock_filter code[BPF_MAXINSNS / 4];
    struct sock_fprog program = {.filter = code};
    size_t n = box_seccomp_program(box_seccomp_arch(), code, sizeof code / sizeof code[0]);
    errno = ENOSYS;
    if (n == 0)
        inside_fail(plan, CONTROL_SECCOMP, "a table of system calls for this architecture");
    program.len = (unsigned short)n;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
        inside_fail(plan, CONTROL_SECCOMP, "loading the system call filter");
}
