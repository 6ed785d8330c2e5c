# SPDX-License-Identifier: ISC
if LINUX
TESTS += %D%/test_box.sh
check_PROGRAMS += tests/bin/box_try
tests_bin_box_try_SOURCES = %D%/box_try.c
tests_bin_box_try_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL)
endif
EXTRA_DIST += %D%/test_box.sh
