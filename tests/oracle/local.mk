# SPDX-License-Identifier: ISC
# Differential tests against independent programs; `make check-oracles`, not part of `make check`: they take minutes and
# need programs that the build does not. A script fails where its oracle is missing.
oracle_scripts = %D%/pickle_oracle.py %D%/png_oracle.py %D%/json_oracle.py \
    %D%/page_oracle.py %D%/pdf_oracle.py %D%/meta_oracle.py %D%/xml_oracle.py
# archives_manifest.py prints what becomes of a corpus of labelled archives, which is given by its path.
EXTRA_DIST += $(oracle_scripts) %D%/archives_manifest.py %D%/common.py %D%/gumbo_walk.c %D%/false_refusals.py
check-oracles: all tests/bin/type_say
	@status=0; for s in $(oracle_scripts); do \
	    builddir='$(abs_builddir)' PYTHONDONTWRITEBYTECODE=1 $(PYTHON3) $(srcdir)/$$s || status=1; \
	done; exit $$status
# False refusals of benign files below some directories: make check-false-refusals DIRS='DIRECTORY ...' [OPTIONS='--only deb']
check-false-refusals: all
	SALLYPORT='$(abs_builddir)/sallyport' PYTHONDONTWRITEBYTECODE=1 nice $(PYTHON3) $(srcdir)/%D%/false_refusals.py $(OPTIONS) $(DIRS)
.PHONY: check-oracles check-false-refusals
