# SPDX-License-Identifier: ISC
# The agent runs inside containers: static, without any library, never sanitized.
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES = %D%/engine.h %D%/engine_client.c %D%/engine_client.h %D%/engine_machine.c %D%/engine_machine.h
if LINUX
pkglibexec_PROGRAMS += sallyport-hold
sallyport_hold_SOURCES = %D%/hold_main.c broker/base/fd.c broker/box/box_landlock.c broker/box/box_seccomp.c
sallyport_hold_CFLAGS = $(filter-out -fsanitize% -fno-sanitize% -fPIE,$(SP_CFLAGS)) -fno-pie
sallyport_hold_LDFLAGS = -static
libengine_a_SOURCES += %D%/engine_dress.c %D%/engine_dress.h %D%/engine_end.c %D%/engine_job.h %D%/engine_limits.c \
    %D%/engine_plan.c %D%/engine_run.c %D%/engine_stage.c %D%/engine_watch.c
else
libengine_a_SOURCES += %D%/engine_elsewhere.c
endif
