#!/bin/sh
# SPDX-License-Identifier: ISC
# promote and check from end to end: what is published, what is refused, and every promise about the bag.
. "$(dirname "$0")/common.sh"
small_contract
mkdir -p s/data
echo hello > s/a.txt
echo '{"b": 1}' > s/data/b.json
echo stray > s/stray.txt

# a promotion
expect 0 "$sallyport" promote c.yaml --from s --to d --id one
has out "promoted"
has out "ledger head:"
bag=d/small-one
same "$(cat $bag/data/a.txt)" hello "payload"
same "$(stat -c %a $bag/data/a.txt)" 444 "mode of a file"
same "$(stat -c %a $bag/data)" 755 "mode of a directory"
absent $bag/data/stray.txt
(cd $bag && sha256sum --strict --quiet -c manifest-sha256.txt tagmanifest-sha256.txt) || fail "sha256sum -c"
(cd $bag && "${XXHSUM:-xxhsum}" --quiet -c sallyport/manifest-xxh128.txt) > /dev/null 2>&1 || fail "xxhsum -c"
"$jq" -cS . $bag/sallyport/record.json | cmp -s - $bag/sallyport/record.json || fail "the record is not jq -cS of itself"
same "$("$jq" -cS .content $bag/sallyport/record.json | tr -d '\n' | sha256sum | cut -d' ' -f1)" \
    "$("$jq" -r .content_sha256 $bag/sallyport/record.json)" "content_sha256"
same "$("$jq" -r '.content.entries[] | select(.path == "stray.txt") | .verdict' $bag/sallyport/record.json)" unlisted "unlisted"
same "$(sed -n 's/^Payload-Oxum: //p' $bag/bag-info.txt)" "15.2" "Payload-Oxum"
cmp -s c.yaml $bag/sallyport/contract.yaml || fail "the contract in the bag is another"
same "$(wc -l < d/ledger.jsonl)" 1 "ledger lines"

# repeating the id is success and changes nothing
before=$(stat -c '%i %Y' $bag)
expect 0 "$sallyport" promote c.yaml --from s --to d --id one --format json
same "$("$jq" -r .run.already out)" true "already"
same "$(stat -c '%i %Y' $bag)" "$before" "the bag was touched"
same "$(wc -l < d/ledger.jsonl)" 1 "ledger lines after a repeat"
# but not with other bytes
echo other > s/a.txt
expect 3 "$sallyport" promote c.yaml --from s --to d --id one
has err "choose another --id"
has out "NOT PUBLISHED"
expect 3 "$sallyport" promote c.yaml --from s --to d --id one --report env=failed.env
has failed.env "DECISION=failed"
same "$(cat $bag/data/a.txt)" hello "payload after the clash"

# content is the same for the same input, the whole bag with a fixed epoch and id
echo hello > s/a.txt
expect 0 "$sallyport" promote c.yaml --from s --to d --id two
same "$("$jq" -r .content_sha256 d/small-two/sallyport/record.json)" \
    "$("$jq" -r .content_sha256 $bag/sallyport/record.json)" "content of two runs"
for n in 1 2; do
    SOURCE_DATE_EPOCH=1700000000 "$sallyport" promote c.yaml --from s --to r$n --id same --reproducible > /dev/null 2>&1 || fail "reproducible $n"
done
diff -r r1/small-same r2/small-same || fail "two reproducible bags differ"
same "$(stat -c %Y r1/small-same/data/a.txt)" 1700000000 "SOURCE_DATE_EPOCH"

# a refusal publishes nothing, and is one ledger line
ln -s /etc/passwd s/data/x.json
lines=$(wc -l < d/ledger.jsonl)
expect 1 "$sallyport" promote c.yaml --from s --to d --id bad --record rec --hold held
absent d/small-bad
has out file/symlink
has out "fix:"
same "$(wc -l < d/ledger.jsonl)" $((lines + 1)) "ledger line of a refusal"
same "$(sha256sum < rec/small-bad/manifest-sha256.txt | cut -c1-8)" e3b0c442 "the refusal's manifest is empty"
(cd rec/small-bad && sha256sum --strict --quiet -c tagmanifest-sha256.txt) || fail "sha256sum -c of the refusal"
same "$(stat -c %a held/bad)" 700 "mode of held files"
same "$(cat held/bad/files/a.txt)" hello "a held file"
# a refused id may be used again, from the held files
expect 0 "$sallyport" promote c.yaml --from held:held/bad --to d --id bad
rm s/data/x.json

# the tree, alone and beside a bag
expect 0 "$sallyport" promote c.yaml --from s --tree out.d
same "$(cat out.d/a.txt out.d/data/b.json)" "hello
{\"b\": 1}" "tree"
expect 3 "$sallyport" promote c.yaml --from s --tree out.d
has err "stands a file of this promotion already"
expect 0 "$sallyport" promote c.yaml --from s --to d --tree both.d --id three
same "$(cat both.d/a.txt)" hello "tree beside a bag"
[ -d d/small-three ] || fail "no bag beside the tree"

# check publishes nothing
expect 0 "$sallyport" check c.yaml --from s --format json
same "$("$jq" -r .content.decision out)" promote "decision of a check"
expect 0 "$sallyport" check c.yaml
has err "valid contract"
expect 0 "$sallyport" promote c.yaml --from s --to none --dry-run
absent none

# partial
ln -s nowhere s/data/y.json
sed 's/^outputs:/partial: true\noutputs:/' c.yaml > p.yaml
expect 7 "$sallyport" promote p.yaml --from s --to d --id part
[ -f d/small-part/data/a.txt ] || fail "partial promoted nothing"
same "$("$jq" -r .content.decision d/small-part/sallyport/record.json)" partial "decision"
expect 0 "$sallyport" promote p.yaml --from s --to d --id part2 --exit-zero
rm s/data/y.json

# a missing output
rm s/a.txt
expect 1 "$sallyport" check c.yaml --from s --format json
same "$("$jq" -r '.content.entries[] | select(.verdict == "missing") | .path' out)" a.txt "missing"
echo hello > s/a.txt

# without a contract file
expect 0 "$sallyport" promote --take 'a.txt=text,1K' --take 'data/*.json=json' --from s --to d --id take
# labels and reports
expect 0 "$sallyport" promote c.yaml --from s --to d --id rep --label commit=0f1e --report json=r.json --report env=r.env \
    --report sarif=r.sarif --report junit=r.xml --report html=r.html
has r.env "DECISION=promote"
has r.env "BAG=d/small-rep"
cmp -s r.json d/small-rep/sallyport/record.json || fail "--report json is not the record"
"$jq" -e '.version == "2.1.0"' r.sarif > /dev/null || fail "sarif"
has d/small-rep/bag-info.txt "commit=0f1e"

# a report never replaces what is no regular file
mkfifo fifo
ln -s r.json link
for target in fifo link; do
    expect 3 "$sallyport" check c.yaml --from s --report json=$target
done
[ -p fifo ] && [ -L link ] || fail "a report replaced a FIFO or a link"

# a label stays on its line
expect 2 "$sallyport" promote c.yaml --from s --to d --id lines --label "a=x
Payload-Oxum: 9.9"
absent d/small-lines

# nothing is added to a bag, and no second destination lies in the source
expect 2 "$sallyport" promote c.yaml --from s --to $bag --id inner
expect 0 "$sallyport" verify $bag
mkdir s/inside
expect 2 "$sallyport" promote c.yaml --from s --to d --id hold-inside --hold s/inside
expect 2 "$sallyport" promote c.yaml --from s --to d --id tree-inside --tree s/inside
# a destination in the source is left out of the walk, so it holds what sallyport put there and nothing else
expect 0 "$sallyport" promote c.yaml --from s --to s/dest --id in-one -q
expect 0 "$sallyport" promote c.yaml --from s --to s/dest --id in-two -q
"$jq" -e '.run.actions[] | select(.step == "walk") | .detail | contains("the destination in the source left out")' \
    s/dest/small-in-two/sallyport/record.json > /dev/null || fail "what was left out is not said"
echo smuggled > s/dest/note.txt
expect 2 "$sallyport" promote c.yaml --from s --to s/dest --id in-three -q
has err "note.txt"
rm s/dest/note.txt && mkdir s/dest/small-never
expect 2 "$sallyport" promote c.yaml --from s --to s/dest --id in-three -q
rmdir s/dest/small-never
mkdir s/forged && echo smuggled > s/forged/a.txt && cp s/dest/ledger.jsonl s/forged/
expect 2 "$sallyport" promote c.yaml --from s --to s/forged --id in-three -q
: > s/forged/ledger.jsonl
expect 2 "$sallyport" promote c.yaml --from s --to s/forged --id in-three -q
echo '{}' > s/forged/ledger.jsonl && rm s/forged/a.txt
expect 2 "$sallyport" promote c.yaml --from s --to s/forged --id in-three -q
has err "ledger.jsonl"
chmod -R u+w s/dest && rm -rf s/dest s/forged
rmdir s/inside

# many at once to one destination
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$sallyport" promote c.yaml --from s --to many --id p$n -q > many.$n 2>&1 &
done
wait
same "$(find many -maxdepth 1 -name 'small-p*' | wc -l)" 12 "bags of parallel promotions"
same "$(wc -l < many/ledger.jsonl)" 12 "ledger lines of parallel promotions"
expect 0 "$sallyport" verify many

# no leftovers in the destination
same "$(find d -maxdepth 1 -name '.*' ! -name . ! -name '.sallyport*lock*' | wc -l)" 0 "leftovers"
finish
