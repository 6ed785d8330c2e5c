#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of columns, in every way of packing and of writing texts: a benign one passes without a word, one with a credential
# in it is refused for that and for nothing else, and a fault of each kind by its code.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
"${PYTHON3:-python3}" "$here/column_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 100 ] || fail "only $(wc -l < list) samples"
{
    printf 'sallyport: 1\nname: columns\noutputs:\n'
    while read -r file type _; do
        printf '  - {path: %s, types: [%s]}\n' "$file" "$type"
    done < list
} > c.yaml
expect 1 "$sallyport" check c.yaml --from s --format json
"$jq" -r '.content.entries[] | [.path, if .verdict == "promote" and .findings == [] then "pass" else
    (.findings | map(.code) | unique | join(",")) end] | @tsv' out | sort > got
while read -r file _ want; do
    printf '%s\t%s\n' "$file" "$want"
done < list | sort > want
diff want got > differences || { cat differences; fail "verdicts differ"; }

# Where it was found is said, and nothing of it.
same "$("$jq" -r '.content.entries[] | select(.path == "token-zstd-1.parquet") | .findings[0].member' out)" \
    "!row group 0, column 0, page 0" "the page is named"
same "$("$jq" -r '.content.entries[] | select(.path == "token-utf8-zstd.arrow") | .findings[0].member' out)" \
    "!message 1, column 0" "the column is named"
finish
