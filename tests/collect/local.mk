# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_collect_walk tests/bin/test_collect_copy
check_PROGRAMS += tests/bin/test_collect_walk tests/bin/test_collect_copy
tests_bin_test_collect_walk_SOURCES = %D%/test_collect_walk.c %D%/scratch.h
tests_bin_test_collect_walk_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_collect_walk_LDADD = libcollect.a libcontract.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_collect_copy_SOURCES = %D%/test_collect_copy.c %D%/scratch.h
tests_bin_test_collect_copy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_collect_copy_LDADD = libcollect.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_collect_ahead
check_PROGRAMS += tests/bin/test_collect_ahead
tests_bin_test_collect_ahead_SOURCES = %D%/test_collect_ahead.c %D%/scratch.h
tests_bin_test_collect_ahead_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_collect_ahead_LDADD = libcollect.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
if LINUX
check_PROGRAMS += tests/bin/race_open tests/bin/fake_enosys tests/bin/collect_show
TESTS += %D%/race.sh %D%/tiers.sh %D%/mounts.sh
tests_bin_race_open_SOURCES = %D%/race_open.c
tests_bin_race_open_LDADD = libcollect.a libbase.a $(BROKER_EXTERNAL)
tests_bin_fake_enosys_SOURCES = %D%/fake_enosys.c
tests_bin_collect_show_SOURCES = %D%/collect_show.c
tests_bin_collect_show_LDADD = libpublish.a libcollect.a libbase.a $(BROKER_EXTERNAL)
endif
dist_check_SCRIPTS += %D%/race.sh %D%/tiers.sh %D%/mounts.sh
