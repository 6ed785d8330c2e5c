/* SPDX-License-Identifier: ISC
 * The filter as a function: an evaluator of the few instructions it uses, against every number of both tables. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>

#include "box/box_seccomp.h"

static const struct {
    const char *name;
    int number[2];
} calls[] = {
#define CALL(name, x86_64, arm64) {#name, {x86_64, arm64}},
#include "box/box_syscalls.def"
#undef CALL
};

enum { CALLS = sizeof calls / sizeof calls[0] };
static const uint32_t audit_arch[2] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64};

static uint32_t run(const struct sock_filter *code, size_t n, const struct seccomp_data *data)
{
    uint32_t a = 0;
    for (size_t pc = 0; pc < n; pc++) {
        const struct sock_filter *f = &code[pc];
        bool taken = false;
        switch (f->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            cr_assert(f->k + 4 <= sizeof *data);
            memcpy(&a, (const char *)data + f->k, 4);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= f->k;
            continue;
        case BPF_RET | BPF_K:
            return f->k;
        case BPF_JMP | BPF_JEQ | BPF_K:
            taken = a == f->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            taken = a >= f->k;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            taken = a > f->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            taken = (a & f->k) != 0;
            break;
        default:
            cr_assert_fail("an instruction that the evaluator does not know: %x", f->code);
        }
        pc += taken ? f->jt : f->jf;
    }
    cr_assert_fail("the program runs off its end");
    return 0;
}

static uint32_t ask4(unsigned arch, uint32_t audit, int nr, uint64_t arg0, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
    struct bpf_program p;
    struct seccomp_data d = {.nr = nr, .arch = audit, .args = {arg0, arg1, arg2, arg3}};
    box_seccomp_program(arch == 0 ? BPF_ARCH_X86_64 : BPF_ARCH_ARM64, &p);
    cr_assert(!p.failed && p.n > 100);
    return run(p.insn, p.n, &d);
}

static uint32_t ask3(unsigned arch, uint32_t audit, int nr, uint64_t arg0, uint64_t arg1, uint64_t arg2)
{
    return ask4(arch, audit, nr, arg0, arg1, arg2, 0);
}

static uint32_t ask(unsigned arch, uint32_t audit, int nr, uint64_t arg0, uint64_t arg1)
{
    return ask3(arch, audit, nr, arg0, arg1, 0);
}

static bool listed(unsigned arch, int nr)
{
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].number[arch] == nr)
            return true;
    return false;
}

Test(box_seccomp, every_number_is_answered_as_the_table_says)
{
    static const int special[2][5] = {{56, 435, 41, 16, 135}, {220, 435, 198, 29, 92}};
    for (unsigned arch = 0; arch < 2; arch++)
        for (int nr = 0; nr < 600; nr++) {
            bool judged = false;
            for (size_t k = 0; k < 5; k++)
                judged = judged || special[arch][k] == nr;
            uint32_t got = ask(arch, audit_arch[arch], nr, 0, 0);
            if (judged)
                continue;
            uint32_t want = listed(arch, nr) ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (nr > 462 ? ENOSYS : EPERM);
            cr_assert_eq(got, want, "arch %u, call %d: %x, not %x", arch, nr, got, want);
        }
}

Test(box_seccomp, another_architecture_and_x32_kill)
{
    cr_assert_eq(ask(0, AUDIT_ARCH_I386, 1, 0, 0), SECCOMP_RET_KILL_PROCESS);
    cr_assert_eq(ask(0, AUDIT_ARCH_AARCH64, 1, 0, 0), SECCOMP_RET_KILL_PROCESS);
    cr_assert_eq(ask(0, AUDIT_ARCH_X86_64, 0x40000001, 0, 0), SECCOMP_RET_KILL_PROCESS);
    cr_assert_eq(ask(1, AUDIT_ARCH_ARM, 1, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

Test(box_seccomp, arguments_are_judged)
{
    const uint32_t deny = SECCOMP_RET_ERRNO | EPERM, a = AUDIT_ARCH_X86_64;
    cr_assert_eq(ask(0, a, 56, 0x01200011, 0), SECCOMP_RET_ALLOW); /* fork as the C library does it */
    for (unsigned bit = 0; bit < 32; bit++)
        if ((0x7e020080u >> bit) & 1u)
            cr_assert_eq(ask(0, a, 56, 17u | (1u << bit), 0), deny, "clone flag bit %u", bit);
    cr_assert_eq(ask(0, a, 435, 0, 0), SECCOMP_RET_ERRNO | ENOSYS);
    for (uint64_t family = 0; family < 48; family++) {
        bool ok = family == 1 || family == 2 || family == 10 || family == 16;
        cr_assert_eq(ask(0, a, 41, family, 0), ok ? SECCOMP_RET_ALLOW : deny, "family %d", (int)family);
    }
    for (uint64_t protocol = 1; protocol < 24; protocol++) {
        cr_assert_eq(ask3(0, a, 41, 16, 3, protocol), deny, "netlink %d", (int)protocol);
        cr_assert_eq(ask3(1, AUDIT_ARCH_AARCH64, 198, 16, 3, protocol), deny, "netlink %d", (int)protocol);
        bool ok = protocol == 1 || protocol == 6 || protocol == 17;
        cr_assert_eq(ask3(0, a, 41, 2, 1, protocol), ok ? SECCOMP_RET_ALLOW : deny, "protocol %d", (int)protocol);
        cr_assert_eq(ask3(1, AUDIT_ARCH_AARCH64, 198, 10, 1, protocol), ok ? SECCOMP_RET_ALLOW : deny);
        cr_assert_eq(ask3(0, a, 41, 1, 1, protocol), SECCOMP_RET_ALLOW);
    }
    cr_assert_eq(ask3(0, a, 41, 10, 3, 58), SECCOMP_RET_ALLOW);
    cr_assert_eq(ask3(0, a, 41, 2, 1, 132), deny); /* sctp */
    cr_assert_eq(ask3(0, a, 41, 2, 1, 262), deny); /* mptcp */
    for (unsigned arch = 0; arch < 2; arch++) {    /* huge pages, of the three calls that can ask for them */
        uint32_t audit = audit_arch[arch];
        cr_assert_eq(ask4(arch, audit, arch ? 222 : 9, 0, 0, 3, 0x40022), deny);
        cr_assert_eq(ask4(arch, audit, arch ? 222 : 9, 0, 0, 3, 0x22), SECCOMP_RET_ALLOW);
        cr_assert_eq(ask(arch, audit, arch ? 279 : 319, 0, 5), deny);
        cr_assert_eq(ask(arch, audit, arch ? 279 : 319, 0, 3), SECCOMP_RET_ALLOW);
        cr_assert_eq(ask3(arch, audit, arch ? 194 : 29, 0, 4096, 04600), deny);
        cr_assert_eq(ask3(arch, audit, arch ? 194 : 29, 0, 4096, 0600), SECCOMP_RET_ALLOW);
    }
    cr_assert_eq(ask(0, a, 16, 0, 0x5412), deny);
    cr_assert_eq(ask(0, a, 16, 0, 0x541c), deny);
    cr_assert_eq(ask(0, a, 16, 0, 0x5413), SECCOMP_RET_ALLOW);
    cr_assert_eq(ask(0, a, 135, 0xffffffff, 0), SECCOMP_RET_ALLOW);
    cr_assert_eq(ask(0, a, 135, 0x0040000, 0), deny);
}

Test(box_seccomp, numbers_of_this_system_are_the_tables)
{
    static const struct {
        const char *name;
        int number;
    } own[] = {{"read", SYS_read},     {"openat", SYS_openat},         {"mmap", SYS_mmap},     {"execve", SYS_execve},
               {"futex", SYS_futex},   {"newfstatat", SYS_newfstatat}, {"lseek", SYS_lseek},   {"fcntl", SYS_fcntl},
               {"statx", SYS_statx},   {"renameat2", SYS_renameat2},   {"ppoll", SYS_ppoll},   {"rseq", SYS_rseq},
               {"wait4", SYS_wait4},   {"getrandom", SYS_getrandom},   {"connect", SYS_connect}};
    unsigned arch = bpf_own_arch() == BPF_ARCH_ARM64 ? 1 : 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        bool found = false;
        for (size_t k = 0; k < CALLS; k++)
            found = found || (strcmp(calls[k].name, own[i].name) == 0 && calls[k].number[arch] == own[i].number);
        cr_assert(found, "%s", own[i].name);
    }
}

Test(box_seccomp, without_a_table_or_room_it_is_no_program)
{
    struct bpf_program p;
    int32_t apart[BPF_INSNS / 4];
    box_seccomp_program(BPF_ARCH_NONE, &p);
    cr_assert(p.failed);
    for (size_t i = 0; i < BPF_INSNS / 4; i++)
        apart[i] = 2 * (int32_t)i;
    bpf_begin(&p, BPF_ARCH_ARM64);
    bpf_numbers(&p, apart, BPF_INSNS / 4 - 2, SECCOMP_RET_ERRNO, SECCOMP_RET_ERRNO);
    cr_assert(!p.failed && p.n <= BPF_INSNS);
    bpf_begin(&p, BPF_ARCH_ARM64);
    bpf_numbers(&p, apart, BPF_INSNS / 4, SECCOMP_RET_ERRNO, SECCOMP_RET_ERRNO);
    cr_assert(p.failed);
}
