# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libconfine.a
libconfine_a_SOURCES = %D%/confine.c %D%/confine.h %D%/confine_system.h
CONFINE_LINUX = %D%/confine_bpf.c %D%/confine_bpf.h %D%/confine_landlock.c %D%/confine_landlock.h %D%/confine_linux.c \
    %D%/confine_seccomp.c %D%/confine_seccomp.h %D%/confine_seccomp_relay.c
CONFINE_DARWIN = %D%/confine_darwin.c
CONFINE_BSD = %D%/confine_bsd.c
if LINUX
libconfine_a_SOURCES += $(CONFINE_LINUX)
endif
if DARWIN
libconfine_a_SOURCES += $(CONFINE_DARWIN)
endif
if BSD
libconfine_a_SOURCES += $(CONFINE_BSD)
endif
