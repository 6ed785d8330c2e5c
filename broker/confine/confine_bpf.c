/* SPDX-License-Identifier: ISC */
#include "confine/confine_bpf.h"

#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_NUMBERS 0x40000000u /* x32: the same architecture value, other argument layouts */
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

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

void bpf_begin(struct bpf_program *p)
{
    p->n = 0;
#ifdef OUR_ARCH
    p->failed = false;
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, OUR_ARCH);
    emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
#ifdef FOREIGN_NUMBERS
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, FOREIGN_NUMBERS);
    emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
#endif
#else
    p->failed = true;
#endif
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
    emit(p, BPF_RET | BPF_K, 0, 0, r->action);
    if (checked)
        load(p, offsetof(struct seccomp_data, nr));
}

void bpf_rules(struct bpf_program *p, const struct bpf_rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rules[i].number >= 0)
            rule_emit(p, &rules[i]);
}

void bpf_end(struct bpf_program *p, uint32_t otherwise)
{
    emit(p, BPF_RET | BPF_K, 0, 0, otherwise);
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
