# SPDX-License-Identifier: ISC
# The program runs inside other people's sandboxes: static, without any library, never sanitized.
noinst_LIBRARIES += libprobe.a
libprobe_a_SOURCES = %D%/probe.h %D%/probe_listener.c %D%/probe_listener.h %D%/probe_plan.c %D%/probe_verdict.c
if LINUX
pkglibexec_PROGRAMS += sallyport-probe
sallyport_probe_SOURCES = %D%/probe_main.c %D%/probe_inside.h %D%/probe_net.c %D%/probe_files.c %D%/probe_privilege.c \
    %D%/probe_limits.c %D%/probe_names.c %D%/probe_kernel.c %D%/probe_dns.c %D%/probe_dns.h \
    %D%/probe_canary_dns.c %D%/probe_canary_net.c %D%/probe_oracle.c broker/base/fd.c
sallyport_probe_CFLAGS = $(filter-out -fsanitize% -fno-sanitize% -fPIE,$(SP_CFLAGS)) -fno-pie
sallyport_probe_LDFLAGS = -static
libprobe_a_SOURCES += %D%/probe.c %D%/probe_canary.c %D%/probe_canary.h %D%/probe_canary_dns.c %D%/probe_canary_dns.h %D%/probe_canary_net.c %D%/probe_far.c \
    %D%/probe_dns.c %D%/probe_dns.h %D%/probe_rows.c %D%/probe_rows.h \
    %D%/probe_snapshot.c %D%/probe_snapshot.h
else
libprobe_a_SOURCES += %D%/probe_elsewhere.c
endif
