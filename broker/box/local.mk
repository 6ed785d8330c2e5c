# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libbox.a
libbox_a_SOURCES = %D%/box.h
if LINUX
libbox_a_SOURCES += %D%/box.c %D%/box_cgroup.c %D%/box_cgroup.h %D%/box_cgroup_end.c %D%/box_cgroup_sites.c \
    %D%/box_copy.c %D%/box_end.c %D%/box_exec.c %D%/box_exec.h %D%/box_gaps.c %D%/box_gate.c %D%/box_gate.h %D%/box_gate_request.c %D%/box_idmap.c %D%/box_inside.c %D%/box_inside.h %D%/box_landlock.c %D%/box_lower.c %D%/box_mounts.c \
    %D%/box_plan.c %D%/box_plan.h %D%/box_seccomp.c %D%/box_seccomp.h \
    %D%/box_sys.h %D%/box_syscalls.def %D%/box_tree.c %D%/box_tree.h %D%/box_watch.c %D%/box_watch.h
else
libbox_a_SOURCES += %D%/box_elsewhere.c
endif
