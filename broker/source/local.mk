# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libsource.a
libsource_a_SOURCES = %D%/source_container.c %D%/source_machine.c %D%/source_container.h
