# SPDX-License-Identifier: ISC
if LINUX
TESTS += tests/bin/test_box_gate_request tests/bin/test_box_cgroup_sites tests/bin/test_box_seccomp %D%/test_box.sh %D%/test_box_jobs.sh
check_PROGRAMS += tests/bin/test_box_gate_request tests/bin/box_try tests/bin/no_userns tests/bin/test_box_cgroup_sites tests/bin/test_box_seccomp
tests_bin_box_try_SOURCES = %D%/box_try.c
tests_bin_box_try_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL)
tests_bin_test_box_cgroup_sites_SOURCES = %D%/test_box_cgroup_sites.c
tests_bin_test_box_cgroup_sites_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_no_userns_SOURCES = %D%/no_userns.c
tests_bin_test_box_gate_request_SOURCES = %D%/test_box_gate_request.c
tests_bin_test_box_gate_request_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_box_seccomp_SOURCES = %D%/test_box_seccomp.c
tests_bin_test_box_seccomp_LDADD = libbox.a libconfine.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
endif
EXTRA_DIST += %D%/test_box.sh %D%/test_box_jobs.sh
