/* SPDX-License-Identifier: ISC */
#include "confine/confine_bpf.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32_NUMBERS 0x40000000u /* the same architecture value as x86-64, other argument layouts */

static const uint32_t audit_arch[] = {[BPF_ARCH_X86_64] = AUDIT_ARCH_X86_64, [BPF_ARCH_ARM64] = AUDIT_ARCH_AARCH64};

enum bpf_arch bpf_own_arch(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    return BPF_ARCH_X86_64;
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
    return BPF_ARCH_ARM64;
#else
    return BPF_ARCH_NONE;
#endif
}

/* Both architectures are little-endian: the low half of an argument comes first. */
static uint32_t arg_low(unsigned arg)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * arg);
}

static void emit(struct bpf_program *p, unsigned code, unsigned jt, unsigned jf, uint32_t k)
{
    if (p->n == BPF_INSNS) {
        p->failed = true;
        return;
    }
    p->insn[p->n++] = (struct sock_filter){(uint16_t)code, (uint8_t)jt, (uint8_t)jf, k};
}

static void load(struct bpf_program *p, uint32_t offset)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void answer(struct bpf_program *p, uint32_t action)
{
    emit(p, BPF_RET | BPF_K, 0, 0, action);
}

void bpf_begin(struct bpf_program *p, enum bpf_arch arch)
{
    p->n = 0;
    p->failed = arch == BPF_ARCH_NONE;
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, audit_arch[arch]);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    if (arch != BPF_ARCH_X86_64)
        return;
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_NUMBERS);
    answer(p, SECCOMP_RET_KILL_PROCESS);
}

/* Instructions of one half of a check: load, mask, compare; 0 where the mask leaves nothing. */
static unsigned half_length(uint32_t mask)
{
    return mask ? 3 : 0;
}

static unsigned check_length(const struct bpf_check *c)
{
    return half_length((uint32_t)c->mask) + half_length((uint32_t)(c->mask >> 32));
}

/* left: instructions of this rule behind the comparison, so that a miss lands on its end. */
static void half(struct bpf_program *p, uint32_t offset, uint32_t mask, uint32_t value, unsigned left)
{
    if (!mask)
        return;
    load(p, offset);
    emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, left, value);
}

static void rule_emit(struct bpf_program *p, const struct bpf_rule *r)
{
    unsigned left = 1; /* the RET */
    for (size_t i = 0; i < BPF_CHECKS; i++)
        left += check_length(&r->checks[i]);
    bool checked = left > 1;
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, left + checked, (uint32_t)r->number);
    for (size_t i = 0; i < BPF_CHECKS; i++) {
        const struct bpf_check *c = &r->checks[i];
        uint32_t low = (uint32_t)c->mask, high = (uint32_t)(c->mask >> 32);
        left -= half_length(low);
        half(p, arg_low(c->arg), low, (uint32_t)c->value, left);
        left -= half_length(high);
        half(p, arg_low(c->arg) + 4, high, (uint32_t)(c->value >> 32), left);
    }
    answer(p, r->action);
    if (checked)
        load(p, offsetof(struct seccomp_data, nr));
}

void bpf_rules(struct bpf_program *p, const struct bpf_rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rules[i].number >= 0)
            rule_emit(p, &rules[i]);
}

/* By runs: above this one, go on; inside, allow; below, the number lies in the gap before it. */
void bpf_numbers(struct bpf_program *p, const int32_t *numbers, size_t n, uint32_t gap, uint32_t above)
{
    for (size_t first = 0, last; first < n; first = last + 1) {
        for (last = first; last + 1 < n && numbers[last + 1] == numbers[last] + 1;)
            last++;
        emit(p, BPF_JMP | BPF_JGT | BPF_K, 3, 0, (uint32_t)numbers[last]);
        emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)numbers[first]);
        answer(p, SECCOMP_RET_ALLOW);
        answer(p, gap);
    }
    answer(p, above);
}

void bpf_end(struct bpf_program *p, uint32_t otherwise)
{
    answer(p, otherwise);
}

int bpf_install(struct bpf_program *p)
{
    if (p->failed) {
        errno = ENOTSUP;
        return -1;
    }
    struct sock_fprog prog = {.len = (unsigned short)p->n, .filter = p->insn};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : -1;
}
