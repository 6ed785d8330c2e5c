# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libconfine.a
libconfine_a_SOURCES = 
