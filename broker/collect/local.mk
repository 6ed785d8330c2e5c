# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libcollect.a
libcollect_a_SOURCES = %D%/collect_copy.h %D%/collect_walk.h
