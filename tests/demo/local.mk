# SPDX-License-Identifier: ISC
EXTRA_DIST += %D%/demo.sh %D%/contract.yaml %D%/src/build.sh %D%/src/wordfreq.c %D%/src/NOTES.txt
.PHONY: demo
demo: all
	@SALLYPORT='$(abs_builddir)/sallyport' $(SHELL) $(srcdir)/%D%/demo.sh
