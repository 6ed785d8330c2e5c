#!/bin/sh
# SPDX-License-Identifier: ISC
# The ledger: ids that never repeat, the chain verified, rollback, the one crash window, custody events.
. "$(dirname "$0")/common.sh"
keygen=${SSH_KEYGEN:?}
small_contract
mkdir -p s/data
echo hello > s/a.txt
promote() { "$sallyport" promote c.yaml --from s --to d -q "$@"; }
head_of() { tail -n 1 d/ledger.jsonl | sha256sum | cut -d' ' -f1; }

expect 0 promote --id one
expect 0 promote --id two
first_head=$(head -n 1 d/ledger.jsonl | sha256sum | cut -d' ' -f1)
same "$(sed -n 2p d/ledger.jsonl | "$jq" -r .previous)" "$first_head" "the chain is plain SHA-256 of the line"
expect 0 "$sallyport" verify d
has out "2 bags, 2 ledger lines"
expect 0 "$sallyport" verify d --format json
"$jq" -e '.verified and .bags == 2 and .sequence == 2' out > /dev/null || fail "verify d json"

# an id is for one promotion, also where its bag has left
mv d/small-one gone
expect 3 promote --id one
has err "was used in this destination before"
absent d/small-one
expect 5 "$sallyport" verify d
has out "small-one"
mv gone d/small-one
expect 0 promote --id one # the same promotion again
cp s/a.txt keep && printf '%s%s\n' 'AKIA' 'QYLPMN5HHHFPZAM2' > s/a.txt
expect 1 promote --id again
cp keep s/a.txt
expect 0 promote --id again # a refused id may be used again
same "$("$jq" -r .decision d/ledger.jsonl | tr '\n' ' ')" "promote promote refuse promote " "decisions"

# rollback: an older bag in the place of a newer one
expect 0 "$sallyport" verify d/small-two --at-least 2 --head "$(head_of)"
expect 5 "$sallyport" verify d/small-one --at-least 2
has out "rollback"
expect 5 "$sallyport" verify d/small-two --head "$(printf 0 | sha256sum | cut -d' ' -f1)"
has out "rollback"
now=$(head_of)
cp d/ledger.jsonl full
head -n 2 full > d/ledger.jsonl
expect 5 "$sallyport" verify d --head "$now"
has out "rollback"
expect 5 "$sallyport" verify d --at-least 4
has out "fewer lines"
mv full d/ledger.jsonl

# every edit of the chain
row() { # row TEXT SED-SCRIPT
    cp d/ledger.jsonl full
    sed "$2" full > d/ledger.jsonl
    expect 5 "$sallyport" verify d
    has out "$1"
    mv full d/ledger.jsonl
}
row "edited" '1s/"time":/"time":1/'
row "does not count on" 2d
row "does not count on" '1{h;d};2{G}'
row "no line of a ledger" '3s/^{/{"id":"x",/'
row "no line of a ledger" '3s/.*/nothing/'
cp d/ledger.jsonl full
printf '{"torn' >> d/ledger.jsonl # no beginning of any line of ours
expect 5 "$sallyport" verify d
has out "torn"
expect 3 promote --id torn
has err "damaged"
mv full d/ledger.jsonl
expect 0 "$sallyport" verify d

# killed between the rename and the line: the next run writes the line
rm -rf d/small-torn && expect 0 promote --id crash
cp d/ledger.jsonl full && sed '$d' full > d/ledger.jsonl && ln -s small-crash d/.sallyport-pending
expect 0 "$sallyport" verify d
has out "the next promotion adds it"
expect 0 promote --id after
same "$(head -n 5 d/ledger.jsonl | tail -n 1)" "$(tail -n 1 full)" "the line is the one that was lost"
same "$(ls -A d | grep -c sallyport-pending)" 0 "pending"
expect 0 "$sallyport" verify d
ln -s small-never d/.sallyport-pending # killed before the rename
expect 0 promote --id later
expect 0 "$sallyport" verify d

# torn while it was written, anywhere in the line: set aside, said so, and the bag gets its line again
lines() { wc -l < d/ledger.jsonl | tr -d ' '; }
cp -a d whole
for keep in 1 2 40 90 130 170 200 260 300; do
    rm -rf d && cp -a whole d
    expect 0 promote --id "torn$keep"
    was=$(lines)
    size=$(($(wc -c < d/ledger.jsonl) - $(tail -n 1 d/ledger.jsonl | wc -c)))
    truncate -s $((size + keep)) d/ledger.jsonl
    ln -s "small-torn$keep" d/.sallyport-pending
    expect 5 "$sallyport" verify d
    expect 0 promote --id "after$keep"
    has err "torn by a run that died"
    same "$(sed -n "${was}p" d/ledger.jsonl | "$jq" -r '.event, .torn_bytes' | tr '\n' ' ')" "mended $keep " "the line in its place"
    same "$(sed -n "$((was + 1))p" d/ledger.jsonl | "$jq" -r .id)" "torn$keep" "the bag has its line"
    expect 0 "$sallyport" verify d
    has out "note   mended ledger.jsonl:$was"
done
# no note of the pending bag, as where the filesystem has no links: the torn line itself tells
rm -rf d && cp -a whole d && expect 0 promote --id alone
truncate -s -50 d/ledger.jsonl
expect 0 promote --id after
expect 0 "$sallyport" verify d
# a refusal that was torn has no bag: its beginning stays in the line
rm -rf d && cp -a whole d && cp s/a.txt keep && printf '%s%s\n' 'AKIA' 'QYLPMN5HHHFPZAM2' > s/a.txt
expect 1 promote --id denied
cp keep s/a.txt
truncate -s -50 d/ledger.jsonl
expect 0 promote --id after
"$jq" -e 'select(.event == "mended") | .text | contains("denied")' d/ledger.jsonl > /dev/null || fail "the torn text is not kept"
expect 0 "$sallyport" verify d
rm -rf d && mv whole d

# custody
(umask 077 && "$keygen" -q -t ed25519 -N '' -C k -f key && "$keygen" -q -t ed25519 -N '' -C k -f foreign)
printf 'me@example.org %s\n' "$(cut -d' ' -f1,2 key.pub)" > allowed
expect 0 "$sallyport" note d/small-one --event released --reason "to the court" --key key
has out "ledger line 8"
expect 0 "$sallyport" verify d
expect 0 "$sallyport" note d/small-two --event held --key foreign
expect 0 "$sallyport" verify d
mv d/small-one gone
expect 0 "$sallyport" verify d
mv gone d/small-one
cp d/ledger.jsonl full
sed '$s/held/retired/' full > d/ledger.jsonl
expect 5 "$sallyport" verify d
has out "not signed by the key"
mv full d/ledger.jsonl
expect 2 "$sallyport" note d/small-one --event eaten --key key
expect 2 "$sallyport" note d/small-one --event held
cp d/ledger.jsonl full && truncate -s -9 d/ledger.jsonl
expect 0 "$sallyport" note d/small-one --event received --key key
same "$("$jq" -r 'select(.event == "mended") | .event' d/ledger.jsonl)" mended "a note mends, too"
expect 0 "$sallyport" verify d
mv full d/ledger.jsonl
# in numbers
expect 0 "$sallyport" stats d
has out "custody events"
has out "head: $(head_of)"
expect 0 "$sallyport" stats d --format json
"$jq" -e --argjson n "$(wc -l < d/ledger.jsonl)" '.lines == $n and (.all.promote + .all.partial + .all.refuse + .events + .mended == $n)
    and .contracts[0].name == "small" and .all.refuse == 1 and .events == 2' out > /dev/null || { fail "stats"; cat out; }
expect 2 "$sallyport" stats nowhere
expect 2 "$sallyport" stats s
expect 2 "$sallyport" stats d --format sarif
cp d/ledger.jsonl full && sed -i 2d d/ledger.jsonl
expect 5 "$sallyport" stats d
mv full d/ledger.jsonl
cp -a d/small-one alone
expect 5 "$sallyport" note alone --event held --key key
expect 5 "$sallyport" verify d --allowed-signers allowed --identity me@example.org
has out "do not name the key of this custody event"
finish
