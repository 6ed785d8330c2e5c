# SPDX-License-Identifier: ISC
# The agent runs inside containers: static, without any library, never sanitized.
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES = %D%/engine.h %D%/engine_client.c %D%/engine_client.h %D%/engine_machine.c %D%/engine_machine.h
if LINUX
pkglibexec_PROGRAMS += sallyport-hold
sallyport_hold_SOURCES = %D%/far_wire.c %D%/far_wire.h %D%/hold.h %D%/hold_dress.c %D%/hold_dress.h %D%/hold_far.c %D%/hold_list.c \
    %D%/hold_main.c %D%/hold_measure.c broker/base/fd.c broker/base/fd_root_linux.c broker/box/box_exec.c broker/box/box_landlock.c broker/box/box_lower.c \
    broker/box/box_seccomp.c broker/confine/confine_bpf.c broker/confine/confine_landlock.c
sallyport_hold_CFLAGS = $(filter-out -fsanitize% -fno-sanitize% -fPIE,$(SP_CFLAGS)) -fno-pie
sallyport_hold_LDFLAGS = -static
libengine_a_SOURCES += %D%/far_session.c %D%/far_session.h %D%/far_wire.c %D%/far_wire.h %D%/hold_dress.c %D%/hold_dress.h \
    %D%/engine_dress.c %D%/engine_dress.h %D%/engine_end.c %D%/engine_far.c %D%/engine_far_limits.c %D%/engine_job.h %D%/engine_load.c %D%/engine_load.h %D%/engine_oracle.c \
    %D%/engine_tar.c %D%/engine_tar.h %D%/engine_limits.c \
    %D%/engine_plan.c %D%/engine_run.c %D%/engine_stage.c %D%/engine_watch.c
else
libengine_a_SOURCES += %D%/engine_elsewhere.c
endif
