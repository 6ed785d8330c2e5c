# SPDX-License-Identifier: ISC
# The secret inspector alone: `make bench-secret BENCH_TEXT='FILES' BENCH_BINARY='FILES'`.
EXTRA_PROGRAMS = tests/bin/bench_secret
tests_bin_bench_secret_SOURCES = %D%/bench_secret.c
tests_bin_bench_secret_LDADD = $(SECRET_TEST_LIBS)
bench-secret: tests/bin/bench_secret$(EXEEXT)
	tests/bin/bench_secret$(EXEEXT)
	test -z '$(BENCH_TEXT)$(BENCH_BINARY)' || tests/bin/bench_secret$(EXEEXT) $(BENCH_TEXT) -- $(BENCH_BINARY)
# Beside yara with the same rules: BENCH_LIST is a file of file names, one a line.
.PHONY: bench-yara
bench-yara: tests/bin/bench_secret$(EXEEXT)
	python3 $(srcdir)/%D%/secret_yara.py tests/bin/bench_secret$(EXEEXT) $(srcdir)/rules/secrets.yaml '$(BENCH_LIST)'
EXTRA_DIST += %D%/bench.sh %D%/bench_box.sh %D%/secret_yara.py
.PHONY: bench
.PHONY: bench-box
bench-box: tests/bin/box_try$(EXEEXT)
	@builddir='$(abs_builddir)' bash $(srcdir)/%D%/bench_box.sh
bench: all bench-box bench-active bench-magic
	@SALLYPORT='$(abs_builddir)/sallyport' bash $(srcdir)/%D%/bench.sh
# The type and active inspectors: `make bench-active`, MB/s of processor time over texts made here and milliseconds of texts
# made to be slow; with BENCH_DIR=DIRECTORY also each scanner alone over that directory's files, by extension.
EXTRA_PROGRAMS += tests/bin/bench_active tests/bin/bench_magic
tests_bin_bench_active_SOURCES = %D%/bench_active.c
tests_bin_bench_active_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_bench_magic_SOURCES = %D%/bench_magic.c
tests_bin_bench_magic_LDADD = libsecond.a libworker.a libbase.a $(SECOND_EXTERNAL)
.PHONY: bench-active bench-magic
bench-active: tests/bin/active_say$(EXEEXT) tests/bin/bench_active$(EXEEXT)
	@tests/bin/bench_active$(EXEEXT)
	@test -z '$(BENCH_DIR)' || for s in html svg xml css csv markdown pdf text json-form xml-form; do \
	    case $$s in text) e='*.txt';; markdown) e='*.md';; *-form) e="*.$${s%-form}";; *) e="*.$$s";; esac; \
	    find '$(BENCH_DIR)' -type f -name "$$e" -print0 | xargs -0 -r -n 100000 -s 2000000 \
	        tests/bin/active_say$(EXEEXT) -t $$s $$(test $$s = html && echo html-static || echo text) html-any; \
	done
# Inputs made against libmagic, through the second reader.
bench-magic: tests/bin/bench_magic$(EXEEXT)
	@tests/bin/bench_magic$(EXEEXT)
