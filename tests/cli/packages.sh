#!/bin/sh
# SPDX-License-Identifier: ISC
# What packages hold by nature passes inside them; what an attacker would make of the same leave does not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mkdir s
"${PYTHON3:-python3}" "$here/package_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 30 ] || fail "only $(wc -l < list) samples"
{
    printf 'sallyport: 1\nname: packages\npartial: true\noutputs:\n'
    while read -r file type _; do
        printf '  - {path: %s, types: [%s]}\n' "$file" "$type"
    done < list
} > c.yaml
expect 7 "$sallyport" check c.yaml --from s --format json
while read -r file type want; do
    same "$("$jq" -r --arg p "$file" --arg w "$want" '.content.entries[] | select(.path == $p) |
        [.findings[] | select(.level == "refuse") | .code] as $codes |
        if .verdict == "promote" then "pass" elif $codes | index($w) then $w else $codes | join(" ") end' out)" \
        "$want" "$file ($type)"
done < list
# an archive that is known and not listed is no lie about what it is
same "$("$jq" -r '[.content.entries[] | select(.path == "a.rpm") | .findings[].code] | sort | join(" ")' out)" \
    "archive/unsupported type/not-listed" "an rpm that no output names"
finish
