# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libpublish.a
libpublish_a_SOURCES = \
    %D%/destination.c %D%/publish.c %D%/publish.h %D%/publish_commit.c %D%/publish_private.h %D%/publish_sys.h \
    %D%/publish_tree.c %D%/staging.c %D%/staging.h %D%/write_out.c %D%/write_out.h
if LINUX
libpublish_a_SOURCES += %D%/publish_linux.c
else
libpublish_a_SOURCES += %D%/publish_other.c
endif
