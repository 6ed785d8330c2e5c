#!/bin/sh
# SPDX-License-Identifier: ISC
# What lies in the fields of an archive that few readers show, and what only all members together amount to.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mkdir s
"${PYTHON3:-python3}" "$here/field_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 20 ] || fail "only $(wc -l < list) samples"
{
    printf 'sallyport: 1\nname: fields\npartial: true\noutputs:\n'
    while read -r file type _; do
        printf '  - {path: %s, types: [%s], inside: {types: [text, zip]}}\n' "$file" "$type"
    done < list
} > c.yaml
expect 7 "$sallyport" check c.yaml --from s --format json
while read -r file type want; do
    same "$("$jq" -r --arg p "$file" --arg w "$want" '.content.entries[] | select(.path == $p) |
        [.findings[] | select(.level == "refuse") | .code] as $codes |
        if .verdict == "promote" then "pass" elif $codes | index($w) then $w else $codes | join(" ") end' out)" \
        "$want" "$file ($type)"
done < list
finish
