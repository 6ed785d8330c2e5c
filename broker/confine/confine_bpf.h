/* SPDX-License-Identifier: ISC
 * A table of system call rules becomes a seccomp program (Linux, classic BPF). The architecture is checked first, the
 * x32 numbers are killed, then the rules are tried in order; what no rule takes gets the default. Put frequent calls
 * first. Pure but for bpf_install(). Source: seccomp(2), kernel Documentation/userspace-api/seccomp_filter.rst. */
#ifndef SALLYPORT_CONFINE_BPF_H
#define SALLYPORT_CONFINE_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { BPF_CHECKS = 3, BPF_INSNS = 1500 };

/* Holds where (argument & mask) == value; mask 0: no check. */
struct bpf_check {
    unsigned arg;
    uint64_t mask, value;
};

/* Taken where the number fits and all checks hold; else the next rule is tried. number < 0: the system has no such
 * call, the rule is left out. action: SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS or SECCOMP_RET_ERRNO | errno. */
struct bpf_rule {
    long number;
    uint32_t action;
    struct bpf_check checks[BPF_CHECKS];
};

enum bpf_arch { BPF_ARCH_NONE = 0, BPF_ARCH_X86_64, BPF_ARCH_ARM64 };

/* The architecture this program was built for; BPF_ARCH_NONE: we know no filter for it. */
enum bpf_arch bpf_own_arch(void);

struct bpf_program {
    struct sock_filter insn[BPF_INSNS];
    size_t n;
    bool failed; /* does not fit, or the architecture is not known */
};

/* Initialises it. */
void bpf_begin(struct bpf_program *p, enum bpf_arch arch);
/* May be called several times: tables can be composed. */
void bpf_rules(struct bpf_program *p, const struct bpf_rule *rules, size_t n);
/* Allows ascending numbers and ends the program: one that lies between them gets `gap`, one above all of them `above`. */
void bpf_numbers(struct bpf_program *p, const int32_t *numbers, size_t n, uint32_t gap, uint32_t above);
void bpf_end(struct bpf_program *p, uint32_t otherwise);
/* Needs no_new_privs (or CAP_SYS_ADMIN). 0 or -1 with errno. */
int bpf_install(struct bpf_program *p) MUST_CHECK;

#endif
