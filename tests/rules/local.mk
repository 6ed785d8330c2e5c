# SPDX-License-Identifier: ISC
# tests/rules: a .hit and a .miss for every rule, checked by the build itself (rules/compile_rules), and what measures
# recall and false alarms.
EXTRA_DIST += %D%/recall.py
check_PROGRAMS += tests/bin/secret_probe
SECRET_TEST_LIBS = libfirst.a libsecret.a libworker.a libbase.a $(FIRST_EXTERNAL)
tests_bin_secret_probe_SOURCES = %D%/secret_probe.c
tests_bin_secret_probe_LDADD = $(SECRET_TEST_LIBS)
SECRET_CLI = tests/cli/rules.sh tests/cli/secret_recall.sh tests/cli/secret_silence.sh
TESTS += $(SECRET_CLI)
EXTRA_DIST += $(SECRET_CLI)

# Recall, false alarms and every view and container, over the samples or over RECALL_CASES=FILE.jsonl.
.PHONY: check-recall
check-recall: all tests/bin/secret_probe$(EXEEXT)
	$(PYTHON3) $(srcdir)/%D%/recall.py tests/bin/secret_probe$(EXEEXT) '$(or $(RECALL_CASES),$(srcdir)/tests/rules)' \
	    --transform --containers $(abs_builddir)/sallyport --list

# Not as a directory in EXTRA_DIST: that would ship the objects of a build beside the sources.
dist-hook: dist-rule-samples
.PHONY: dist-rule-samples
dist-rule-samples:
	$(MKDIR_P) $(distdir)/%D%
	cp $(srcdir)/%D%/*.hit $(srcdir)/%D%/*.miss $(distdir)/%D%
