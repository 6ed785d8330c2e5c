#!/bin/sh
# SPDX-License-Identifier: ISC
# What packages hold by nature passes inside them; what an attacker would make of the same leave does not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mkdir s
"${PYTHON3:-python3}" "$here/package_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 30 ] || fail "only $(wc -l < list) samples"
samples_judged packages
# an archive that is known and not listed is no lie about what it is
same "$("$jq" -r '[.content.entries[] | select(.path == "a.rpm") | .findings[].code] | sort | join(" ")' out)" \
    "archive/unsupported type/not-listed" "an rpm that no output names"
finish
