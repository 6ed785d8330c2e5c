#!/bin/sh
# SPDX-License-Identifier: ISC
# Every source file says its licence, and no file names a machine path or a registry host.
. "$(dirname "$0")/common.sh"
files=$(find broker tests fuzz rules -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.mk' -o -name '*.py' -o -name '*.def' \) | sort)
must_exist "$files" "no source file"
for f in $files; do
    head -n 3 "$f" | grep -q 'SPDX-License-Identifier: ISC' || complain "$f has no SPDX line"
done
hits=$(grep -rnE '(^|[^A-Za-z0-9_.])/(root|home|Users|work)/[a-z]|https?://[a-z.-]*(registry|mirror)[a-z.-]*/' broker fuzz rules man README bootstrap .ci 2>/dev/null | grep -v 'example\.org' | head -n 10 || true)
[ -z "$hits" ] || complain "$hits"
verdict
