/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>

#include "box/box_cgroup.h"

static const char v2_mounts[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                "31 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char v1_mounts[] = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
                                "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n"
                                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

Test(box_cgroup_sites, one_unified_hierarchy)
{
    struct cgroup_site s[4];
    size_t n = cgroup_sites(v2_mounts, "0::/user.slice/session-1.scope\n", s, 4);
    cr_assert_eq(n, 1u);
    cr_assert(s[0].v2);
    cr_assert_str_eq(s[0].mount, "/sys/fs/cgroup");
    cr_assert_str_eq(s[0].path, "/sys/fs/cgroup/user.slice/session-1.scope");
}

Test(box_cgroup_sites, the_root_group_is_the_mount_point)
{
    struct cgroup_site s[4];
    cr_assert_eq(cgroup_sites(v2_mounts, "0::/\n", s, 4), 1u);
    cr_assert_str_eq(s[0].path, "/sys/fs/cgroup");
}

Test(box_cgroup_sites, version_one_beside_version_two)
{
    struct cgroup_site s[8];
    size_t n = cgroup_sites(v1_mounts, "5:devices:/x\n4:memory:/job/7\n2:cpu,cpuacct:/\n0::/\n", s, 8);
    cr_assert_eq(n, 3u);
    cr_assert_eq(s[0].controllers, (unsigned)CG_CPU);
    cr_assert_str_eq(s[0].path, "/sys/fs/cgroup/cpu,cpuacct");
    cr_assert_eq(s[1].controllers, (unsigned)CG_MEMORY);
    cr_assert_str_eq(s[1].path, "/sys/fs/cgroup/memory/job/7");
    cr_assert(s[2].v2);
}

Test(box_cgroup_sites, a_container_sees_a_part_of_the_tree)
{
    struct cgroup_site s[4];
    const char *mounts = "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    cr_assert_eq(cgroup_sites(mounts, "4:memory:/docker/abc/in\n", s, 4), 1u);
    cr_assert_str_eq(s[0].path, "/sys/fs/cgroup/memory/in");
    cr_assert_eq(cgroup_sites(mounts, "4:memory:/docker/other\n", s, 4), 0u, "outside of what is mounted");
    cr_assert_eq(cgroup_sites(v2_mounts, "0::/../elsewhere\n", s, 4), 0u, "outside of our namespace");
}

Test(box_cgroup_sites, broken_text_gives_nothing)
{
    struct cgroup_site s[4];
    cr_assert_eq(cgroup_sites("", "", s, 4), 0u);
    cr_assert_eq(cgroup_sites("35 31 0:32 / /m rw - cgroup\n", "4:memory:/\n", s, 4), 0u);
    cr_assert_eq(cgroup_sites("35 31 0:32 / /with\\040blank rw - cgroup cgroup rw,memory\n", "4:memory:/\n", s, 4), 0u);
    cr_assert_eq(cgroup_sites(v2_mounts, "0:/no-second-colon\n", s, 4), 0u);
    cr_assert_eq(cgroup_sites(v1_mounts, "0::/\n", s, 1), 1u, "no more than there is room for");
}
