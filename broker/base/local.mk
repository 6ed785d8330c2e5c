# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libbase.a
libbase_a_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS) $(XXHASH_CFLAGS) $(UTF8PROC_CFLAGS)
libbase_a_SOURCES = \
    %D%/buf.c %D%/buf.h %D%/clearance.h %D%/compiler.h %D%/contract.c %D%/contract.h %D%/digest.c %D%/digest.h %D%/digest_libraries.c \
    %D%/fd.c %D%/fd.h %D%/finding.c %D%/finding.h %D%/findings.def %D%/item.c %D%/item.h %D%/jsonw.c %D%/jsonw.h \
    %D%/limits.h %D%/say.c %D%/say.h %D%/thread.c %D%/thread.h %D%/task.c %D%/task.h %D%/type.c %D%/type.h %D%/type_judge.c \
    %D%/types.def %D%/utf8.c %D%/utf8.h %D%/verdict.c %D%/verdict.h %D%/wire.h %D%/wire.c
libbase_a_SOURCES += %D%/glob.c %D%/glob.h %D%/path.c %D%/path.h %D%/path_auto_run.c %D%/path_set.c
# Opening beneath a root; what differs between systems stands in one file per system.
libbase_a_SOURCES += %D%/fd_root.c
if LINUX
libbase_a_SOURCES += %D%/fd_root_linux.c
else
libbase_a_SOURCES += %D%/fd_root_other.c
endif
libbase_a_SOURCES += %D%/checks.def %D%/ruletable.c %D%/ruletable.h
