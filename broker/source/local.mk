# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libsource.a
libsource_a_SOURCES = 
