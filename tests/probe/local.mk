# SPDX-License-Identifier: ISC
if LINUX
TESTS += %D%/test_probe.sh
check_PROGRAMS += tests/bin/box_probe
tests_bin_box_probe_SOURCES = %D%/box_probe.c
tests_bin_box_probe_LDADD = libprobe.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL)
endif
EXTRA_DIST += %D%/test_probe.sh
