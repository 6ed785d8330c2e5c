# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libbox.a
libbox_a_SOURCES = %D%/box.h
