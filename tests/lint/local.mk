# SPDX-License-Identifier: ISC
lints = %D%/corpora.sh %D%/executable.sh %D%/findings.sh %D%/headers.sh %D%/layers.sh %D%/lengths.sh %D%/links.sh %D%/man.sh \
    %D%/owners.sh %D%/pure.sh %D%/selftest.sh %D%/spdx.sh %D%/tables.sh
TESTS += $(lints)
EXTRA_DIST += $(lints) %D%/common.sh
