#!/bin/sh
# SPDX-License-Identifier: ISC
# One promotion by several workers: each takes its share of the paths, and one bag joins theirs. The result is that of a
# single run; a part that was tampered with joins nothing.
. "$(dirname "$0")/common.sh"
cat > c.yaml <<'C'
sallyport: 1
name: joined
outputs:
  - path: top.txt
    types: [text]
  - glob: "d/**/*.txt"
    types: [text]
    count: 40..60
C
mkdir -p s/d/e
echo top > s/top.txt
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
    echo "$i" > "s/d/$i.txt"
    echo "e $i" > "s/d/e/$i.txt"
done
expect 0 "$sallyport" promote c.yaml --from s --to single --id one -q
k=1
while [ $k -le 4 ]; do
    expect 0 "$sallyport" promote c.yaml --from s --to parts --id "w$k" --shard "$k/4" -q
    "$jq" -e --argjson k $k '.content.source.shard == {"index": $k, "of": 4} and .content.totals.promoted > 0' \
        "parts/joined-w$k/sallyport/record.json" > out || fail "shard $k"
    k=$((k + 1))
done
same "$(cat parts/*/manifest-sha256.txt | wc -l | tr -d ' ')" 51 "every path has one share"
expect 0 "$sallyport" promote c.yaml --from bag:parts/joined-w1 --from bag:parts/joined-w2 --from bag:parts/joined-w3 \
    --from bag:parts/joined-w4 --to joined --id one -q
cmp -s single/joined-one/manifest-sha256.txt joined/joined-one/manifest-sha256.txt || fail "the joined bag differs from a single run"
expect 0 "$sallyport" verify joined/joined-one
record=joined/joined-one/sallyport/record.json
same "$("$jq" -r '[.content.source.parts[].tagmanifest_sha256] | join(" ")' $record)" \
    "$(for k in 1 2 3 4; do sha256sum < parts/joined-w$k/tagmanifest-sha256.txt | cut -d' ' -f1; done | tr '\n' ' ' | sed 's/ $//')" "parts"
expect 0 "${PYTHON3:-python3}" -c 'import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' \
    "${srcdir:?}/broker/record/record.schema.json" $record
# one bag as a source
expect 0 "$sallyport" promote c.yaml --from bag:single/joined-one --to again --id one -q
# a part is missing: the count of the glob and the exact path say so
expect 1 "$sallyport" check c.yaml --from bag:parts/joined-w1 --from bag:parts/joined-w2
has out file/missing
# the same path in two parts
expect 1 "$sallyport" check c.yaml --from bag:single/joined-one --from bag:parts/joined-w1
has out name/collision
# tampered, not there, no bag
cp -R parts/joined-w1 bad && chmod -R u+w bad && echo x >> "bad/$(sed 's/^.*  //;q' bad/manifest-sha256.txt)"
expect 5 "$sallyport" promote c.yaml --from bag:bad --to no
absent no
expect 2 "$sallyport" promote c.yaml --from bag:nowhere --to no
expect 2 "$sallyport" promote c.yaml --from s --from bag:single/joined-one --to no
for wrong in 0/4 5/4 1 1/ /4 a/b 1/70000 -1/4; do
    expect 2 "$sallyport" promote c.yaml --from s --to no "--shard=$wrong"
done
absent no

# diff: two bags that verify
mkdir x y && echo a > x/a.txt && echo b > x/b.txt && echo B > y/b.txt && echo c > y/c.txt
printf 'sallyport: 1\nname: pair\noutputs: [{glob: "*.txt", types: [text]}]\n' > pair.yaml
for k in x1 x2 y1; do expect 0 "$sallyport" promote pair.yaml --from ${k%?} --to pairs --id $k -q; done
expect 0 "$sallyport" diff pairs/pair-x1 pairs/pair-x2
has out "0 differ, 2 are the same"
expect 1 "$sallyport" diff pairs/pair-x1 pairs/pair-y1
has out "removed  data/a.txt"
has out "changed  data/b.txt"
has out "added    data/c.txt"
expect 1 "$sallyport" diff pairs/pair-x1 pairs/pair-y1 --format json
"$jq" -e '.contract_same and .same == 0 and ([.differences[].what] == ["removed", "changed", "added"])' out > /dev/null || fail "diff json"
sed 's/name: pair/name: pair\npurpose: other/' pair.yaml > other.yaml
expect 0 "$sallyport" promote other.yaml --from x --to pairs --id x3 -q
expect 1 "$sallyport" diff pairs/pair-x1 pairs/pair-x3
has out "the contracts differ"
expect 2 "$sallyport" diff pairs/pair-x1
expect 2 "$sallyport" diff pairs/pair-x1 nowhere
chmod u+w pairs/pair-y1/data/c.txt && echo x >> pairs/pair-y1/data/c.txt
expect 5 "$sallyport" diff pairs/pair-x1 pairs/pair-y1
finish
