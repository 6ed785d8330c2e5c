#!/bin/sh
# SPDX-License-Identifier: ISC
# A benign file of every type that a short script can write passes under its own type, through every claim and every
# inspector; and under another type it does not.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mkdir s
"${PYTHON3:-python3}" "$here/type_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 50 ] || fail "only $(wc -l < list) samples"
{
    printf 'sallyport: 1\nname: types\noutputs:\n'
    while read -r file type; do
        printf '  - {path: %s, types: [%s]%s}\n' "$file" "$type" "$([ "$type" = any-binary ] && echo ', reason: a test')"
    done < list
} > c.yaml
expect 0 "$sallyport" check c.yaml --from s --format json
while read -r file type; do
    same "$("$jq" -r --arg p "$file" '.content.entries[] | select(.path == $p) |
        .verdict + (.findings | map(select(.level != "note") | " " + .code) | join(""))' out)" promote "$file as $type"
done < list

# The same files, each as a video: none may pass.
sed 's/types: \[[^]]*\]/types: [webm]/' c.yaml > other.yaml
expect 1 "$sallyport" check other.yaml --from s --format json
same "$("$jq" -r '[.content.entries[] | select(.verdict == "promote") | .path] | join(" ")' out)" "" "nothing passes as a video"
finish
