# SPDX-License-Identifier: ISC
# Not part of check: it needs an emulator and other kernels.
EXTRA_DIST += %D%/check-vm-arm64.sh %D%/check-vm.sh %D%/common.sh %D%/init.sh %D%/systemd.part.sh
check-vm: all tests/bin/box_try$(EXEEXT) tests/bin/box_probe$(EXEEXT)
	builddir='$(abs_builddir)' sh $(srcdir)/%D%/check-vm.sh
	builddir='$(abs_builddir)' sh $(srcdir)/%D%/check-vm-arm64.sh
check-vm-arm64:
	builddir='$(abs_builddir)' sh $(srcdir)/%D%/check-vm-arm64.sh
.PHONY: check-vm check-vm-arm64
