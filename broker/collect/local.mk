# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libcollect.a
libcollect_a_SOURCES = \
    %D%/collect_ahead.c %D%/collect_ahead.h %D%/collect_copy.c %D%/collect_copy.h %D%/collect_fault.c %D%/collect_fault.h %D%/collect_list.c %D%/collect_list.h %D%/collect_walk.c %D%/collect_walk.h \
    %D%/collect_walk_judge.c %D%/collect_walk_judge.h
