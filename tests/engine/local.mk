# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_engine_machine
check_PROGRAMS += tests/bin/test_engine_machine
tests_bin_test_engine_machine_SOURCES = %D%/test_engine_machine.c
tests_bin_test_engine_machine_LDADD = libengine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
if LINUX
TESTS += tests/bin/test_engine_plan tests/bin/test_engine_tar tests/bin/test_far_session
check_PROGRAMS += tests/bin/test_engine_plan tests/bin/test_engine_tar tests/bin/test_far_session
tests_bin_test_engine_tar_SOURCES = %D%/test_engine_tar.c
tests_bin_test_engine_tar_LDADD = libengine.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_far_session_SOURCES = %D%/test_far_session.c
tests_bin_test_far_session_LDADD = libengine.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_engine_plan_SOURCES = %D%/test_engine_plan.c
tests_bin_test_engine_plan_LDADD = libengine.a libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
endif
