# SPDX-License-Identifier: ISC
cli_tests = %D%/archives.sh %D%/floor.sh %D%/kill.sh %D%/policies.sh %D%/probe.sh %D%/promote.sh %D%/rules_own.sh %D%/run.sh %D%/stream.sh %D%/usage.sh %D%/verify.sh
cli_tests += %D%/edges.sh %D%/types.sh %D%/worker.sh
cli_tests += %D%/fetch.sh %D%/packages.sh %D%/nested.sh
TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests) %D%/common.sh %D%/quine.py %D%/type_samples.py %D%/package_samples.py

evidence_tests = %D%/doctor.sh %D%/export.sh %D%/ledger.sh %D%/record.sh %D%/parts.sh %D%/reports.sh %D%/sign.sh
TESTS += $(evidence_tests)
EXTRA_DIST += $(evidence_tests)

if LINUX
TESTS += %D%/elsewhere.sh
endif
EXTRA_DIST += %D%/elsewhere.sh

TESTS += %D%/columns.sh
EXTRA_DIST += %D%/columns.sh %D%/column_samples.py

TESTS += %D%/fields.sh
EXTRA_DIST += %D%/fields.sh %D%/field_samples.py
