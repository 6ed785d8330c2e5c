/* SPDX-License-Identifier: ISC
 * The numbers of each ABI are written out, so that a program built with old headers still asks a new kernel for all it
 * can deny. */
#include "confine/confine_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { GET_VERSION = 1, RULE_BENEATH = 1 };

struct ruleset {
    uint64_t fs, net, scoped;
};
struct beneath {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

/* From which ABI on each right is known, and how many rights then. */
struct abi_row {
    int abi;
    unsigned fs_bits, net_bits, scoped_bits;
    size_t size; /* of the attribute structure */
};

static const struct abi_row abis[] = {
    {6, 16, 2, 2, 24}, /* 5 added ioctl on devices, 6 scopes of signals and abstract sockets */
    {5, 16, 2, 0, 16},
    {4, 15, 2, 0, 16}, /* TCP bind and connect */
    {3, 15, 0, 0, 8},  /* truncate */
    {2, 14, 0, 0, 8},  /* refer */
    {1, 13, 0, 0, 8},
};

static uint64_t low_bits(unsigned n)
{
    return ((uint64_t)1 << n) - 1;
}

static const struct abi_row *own_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, GET_VERSION);
    if (abi < 1)
        return NULL;
    const struct abi_row *row = abis;
    while (row->abi > abi)
        row++;
    return row;
}

int landlock_new(struct landlock *out, bool network)
{
    const struct abi_row *row = own_abi();
    *out = (struct landlock){.fd = -1};
    if (!row)
        return 0;
    out->abi = row->abi;
    out->all = low_bits(row->fs_bits);
    struct ruleset deny = {out->all, network ? low_bits(row->net_bits) : 0, low_bits(row->scoped_bits)};
    out->fd = (int)syscall(SYS_landlock_create_ruleset, &deny, row->size, 0);
    return out->fd < 0 ? -1 : 0;
}

int landlock_allow(const struct landlock *rules, int fd, uint64_t rights)
{
    struct beneath rule = {.allowed = rights & rules->all, .fd = fd};
    return (int)syscall(SYS_landlock_add_rule, rules->fd, RULE_BENEATH, &rule, 0);
}

int landlock_enforce(struct landlock *rules)
{
    int rc = (int)syscall(SYS_landlock_restrict_self, rules->fd, 0);
    fd_close(&rules->fd);
    return rc;
}

int landlock_deny_all(void)
{
    struct landlock rules;
    if (landlock_new(&rules, true) != 0 || (rules.abi > 0 && landlock_enforce(&rules) != 0))
        return -1;
    return rules.abi;
}

int landlock_resolver(void)
{
    static const char *const readable[] = {"/etc", "/usr", "/lib", "/lib64", "/run", "/var/lib/sss"};
    struct landlock rules;
    if (landlock_new(&rules, false) != 0)
        return -1;
    for (size_t i = 0; rules.abi > 0 && i < ARRAY_LEN(readable); i++) {
        AUTO_FD dir = open(readable[i], O_PATH | O_CLOEXEC);
        if (dir >= 0 && landlock_allow(&rules, dir, LL_EXECUTE | LL_READ) != 0) {
            fd_close(&rules.fd);
            return -1;
        }
    }
    return rules.abi > 0 && landlock_enforce(&rules) != 0 ? -1 : rules.abi;
}
