# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libpublish.a
libpublish_a_SOURCES = %D%/publish.h
