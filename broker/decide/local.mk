# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libdecide.a
libdecide_a_SOURCES = %D%/decide.c %D%/decide.h
