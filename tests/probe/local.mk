# SPDX-License-Identifier: ISC
if LINUX
TESTS += tests/bin/test_probe_dns tests/bin/test_probe_snapshot %D%/test_probe.sh
check_PROGRAMS += tests/bin/test_probe_dns tests/bin/box_probe tests/bin/test_probe_snapshot
tests_bin_box_probe_SOURCES = %D%/box_probe.c
tests_bin_box_probe_LDADD = libprobe.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL)
tests_bin_test_probe_dns_SOURCES = %D%/test_probe_dns.c
tests_bin_test_probe_dns_LDADD = libprobe.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_probe_snapshot_SOURCES = %D%/test_probe_snapshot.c
tests_bin_test_probe_snapshot_LDADD = libprobe.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
endif
EXTRA_DIST += %D%/test_probe.sh
