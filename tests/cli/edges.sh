#!/bin/sh
# SPDX-License-Identifier: ISC
# What is seldom typed and must still be true: streams that are closed, times that are none, directories that are in the
# way, documents of every command, a run that had published when something else failed.
. "$(dirname "$0")/common.sh"
small_contract
mkdir -p s/data
echo hello > s/a.txt
echo '{"b": 1}' > s/data/b.json
{ cat c.yaml; printf '  - {path: nowhere.txt, types: [text]}\n'; } > refused.yaml
(umask 077 && "${SSH_KEYGEN:?}" -q -t ed25519 -N '' -C k -f key)

# a closed standard stream is not the next file that is opened: nothing of ours is written into a socket or a bag
for closed in '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
    id=$(printf %s "$closed" | cksum | cut -d' ' -f1)
    sh -c "exec \"\$0\" promote c.yaml --from s --to d --id $id --format json $closed" "$sallyport" > out 2> err
    got=$?
    checks=$((checks + 1))
    case $closed in
    *'>&-'*[!2]*'>&-'* | '>&-' | '<&- >&-'*) [ $got -eq 3 ] || fail "status $got with $closed" ;;
    *) [ $got -eq 0 ] || fail "status $got with $closed" ;;
    esac
    expect 0 "$sallyport" verify "d/small-$id"
done
expect 0 "$sallyport" verify d
sh -c 'exec "$0" promote c.yaml --from s --to d --id said >&-' "$sallyport" 2> err
has err "standard output could not be written: Bad file descriptor"
has err "the bag d/small-said is published and whole"
# the same where a report cannot be written, or there is no space for it: 3 and not 75, which says that nothing is there
expect 3 "$sallyport" promote c.yaml --from s --to d --id report --report json=no/such/r.json
has err "the bag d/small-report is published and whole"
if [ -c /dev/full ]; then
    "$sallyport" promote c.yaml --from s --to d --id full --format json > /dev/full 2> err
    same $? 3 "no space for the document"
    has err "the bag d/small-full is published and whole"
fi

# SOURCE_DATE_EPOCH: a time that a bag can hold, or a usage error
for wrong in abc -5 1.5 '1 ' 253402300800 9999999999999999 99999999999999999999; do
    expect 2 env SOURCE_DATE_EPOCH="$wrong" "$sallyport" promote c.yaml --from s --to epochs --id e
    has err "SOURCE_DATE_EPOCH"
done
absent epochs
for right in 0 253402300799 ''; do
    expect 0 env SOURCE_DATE_EPOCH="$right" "$sallyport" promote c.yaml --from s --to epochs --id "e$right"
    expect 0 "$sallyport" verify "epochs/small-e$right"
done
same "$(stat -c %Y epochs/small-e/data/a.txt)" "$(stat -c %Y s/a.txt)" "an empty one counts as none"

# repeated with a key: success means that it is signed
expect 0 "$sallyport" promote c.yaml --from s --to d --id again
head=$(sed -n 's/.*ledger head: //p' out)
expect 0 "$sallyport" promote c.yaml --from s --to d --id again --sign key
has out "already promoted"
same "$(sed -n 's/.*ledger head: //p' out)" "$head" "the head is printed"
printf 'me %s\n' "$(cut -d' ' -f1,2 key.pub)" > allowed
expect 0 "$sallyport" verify d/small-again --allowed-signers allowed --identity me
# ... and a bag whose record tells something else is not signed unseen
mkdir other && cp -a d/small-again other/ && rm -rf other/small-again/signatures
cp d/ledger.jsonl other/
echo more > s/stray.txt
expect 3 "$sallyport" promote c.yaml --from s --to other --id again --sign key
has err "sallyport sign"
absent other/small-again/signatures
rm s/stray.txt

# a refused id again: what the first refusal left stays, the second one stands beside it
expect 1 "$sallyport" promote refused.yaml --from s --to d --id no --record rec --hold held
expect 1 "$sallyport" promote refused.yaml --from s --to d --id no --record rec --hold held
has err "rec/small-no.2"
has err "held:held/no.2"
expect 0 "$sallyport" verify rec/small-no.2
expect 0 "$sallyport" promote c.yaml --from held:held/no.2 --to d --id no
# no record of a refusal in the destination, where no ledger line would know it, nor in the source
expect 2 "$sallyport" promote refused.yaml --from s --to d --id rd --record d
expect 2 "$sallyport" promote refused.yaml --from s --to d --id rd --record ./d/../d
expect 2 "$sallyport" promote refused.yaml --from s --to d --id rs --record s/rec
absent s/rec
expect 0 "$sallyport" verify d
# a record that is not wanted leaves no directory, and a usage error none of those it made on the way
expect 0 "$sallyport" promote c.yaml --from s --to d --id unused --record x/y/rec
absent x
expect 2 "$sallyport" promote c.yaml --from s --to x/y/z --hold s/h
absent x
expect 0 "$sallyport" promote c.yaml --from s --to x/y/z/ --id slash
same "$(stat -c %a x/y/z)" 755 "mode of a destination with a slash"

# a destination that we cannot write to is not told as one that others can
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid 65534 --regid 65534 --clear-groups"
else
    as=
fi
chmod 755 .
# shellcheck disable=SC2086
if [ -z "$as" ] || { $as test -x "$sallyport" && $as test -r "$work/c.yaml"; } 2> /dev/null; then
    mkdir closed && { [ -z "$as" ] || chown 65534 closed; } && chmod 555 closed
    # shellcheck disable=SC2086
    $as "$sallyport" promote c.yaml --from s --to closed > out 2> err
    same $? 3 "a destination without write permission"
    has err "Permission denied"
    hasnt err "--shared-dest"
fi

# the ledger can be read as the bags can, whatever the umask
(umask 777 && "$sallyport" promote c.yaml --from s --to masked --id one > /dev/null) || fail "umask 777"
same "$(stat -c %a masked/ledger.jsonl)" 644 "mode of the ledger"

# an option with an empty value is a script's variable that was never set
for option in to from id hold record tree floor sign; do
    expect 2 "$sallyport" promote c.yaml --from s --to never "--$option="
    has err "--$option has an empty value"
done
absent never
expect 2 "$sallyport" verify d --at-least ' -1'
expect 2 "$sallyport" explain --color plain
expect 2 "$sallyport" promote c.yaml --from s --to never --progress always
# -- ends the options where no command of a source follows
expect 0 "$sallyport" verify -- d
expect 2 "$sallyport" run c.yaml --to never -- ls
absent never

# --format: one document, or a usage error; never silently another form
for command in 'check c.yaml' 'check c.yaml --from s' 'verify d' 'verify d/small-again' 'explain file/missing' explain \
    'rules list' 'rules show github-token' 'diff d/small-again d/small-report' 'stats d' doctor 'sign d/small-report --key key' \
    'note d/small-report --event held --key key' 'export d/small-report --tar r.tar' '--version'; do
    # shellcheck disable=SC2086
    expect 0 "$sallyport" $command --format json
    "$jq" -es 'length == 1' out > /dev/null || fail "$command --format json: $(cat out)"
done
for command in 'check c.yaml' 'verify d' explain init 'rules list' 'rules test' 'diff d/small-again d/small-report' 'stats d' \
    doctor 'sign d/small-report --key key' 'export d/small-report --tar s.tar' 'cut orb:m'; do
    # shellcheck disable=SC2086
    expect 2 "$sallyport" $command --format sarif
    has err "--format"
done
for command in init 'rules test'; do
    # shellcheck disable=SC2086
    expect 2 "$sallyport" $command --format json
done
absent s.tar
"$sallyport" explain archive/path secret/github-token --format json |
    "$jq" -e '[.codes[] | .code, .level, .acceptable] == ["archive/path", "refuse", true, "secret/github-token", "refuse", true]' \
        > out || fail "explain json"

"$sallyport" explain | cut -d' ' -f1 > codes
[ "$(wc -l < codes)" -gt 70 ] || fail "explain lists $(wc -l < codes) codes"
while read -r code; do
    expect 0 "$sallyport" explain "$code"
done < codes

# --root: as people write it, or a usage error
mkdir -p t/out && cp s/a.txt t/out/
tar -cf t.tar -C t out
for root in out out/ ./out; do
    "$sallyport" check c.yaml --from - --root $root < t.tar > out 2> err || fail "--root $root"
done
for root in . .. / /out a//b out/..; do
    "$sallyport" check c.yaml --from - --root $root < t.tar > out 2> err
    same $? 2 "--root $root"
done

# `limits: time` holds while a stream is read, and until the command behind it has ended
sed 's/^outputs:/limits: {time: 1s}\noutputs:/' c.yaml > hurry.yaml
expect 1 timeout 20 "$sallyport" promote hurry.yaml --from - --to d --id late1 -- sleep 60
has out "ran out while the stream was read"
expect 1 timeout 20 "$sallyport" promote hurry.yaml --from - --to d --id late2 -- \
    sh -c 'cat t.tar; exec > /dev/null 2>&1; exec sleep 60'
has out "ran out while the stream was read"
mkfifo idle
sleep 30 > idle &
writer=$!
"$sallyport" promote hurry.yaml --from - --to d --id late3 < idle > out 2> err
same $? 1 "a stream that never comes"
kill $writer
# a time beyond all times is an error, not none
sed 's/^outputs:/limits: {time: 99999999h}\noutputs:/' c.yaml > never.yaml
expect 2 "$sallyport" check never.yaml
has err "too large"
sed 's/^outputs:/limits: {time: 87840h}\noutputs:/' c.yaml > ever.yaml
expect 0 "$sallyport" check ever.yaml --from s
# what is told in lines has no line break in its name
nl=$(printf 'd\nBAG=evil')
for option in to tree hold record; do
    expect 2 "$sallyport" promote c.yaml --from s --to never "--$option=$nl"
done
expect 2 "$sallyport" promote c.yaml --from s --to never --report "env=$nl"
absent never
expect 0 "$sallyport" promote c.yaml --from s --tree "$(printf 'latin\351')"
has out 'files: latin\xE9'
# nothing is added to a bag, however deep in it and by whichever command
bag=d/small-again
mkdir -p d/small-report/data/deep
for where in $bag $bag/data $bag/data/data $bag/new d/small-report/data/deep; do
    expect 2 "$sallyport" promote c.yaml --from s --to $where --id in
    has err "nothing may be added to a bag"
done
rmdir d/small-report/data/deep
expect 2 "$sallyport" promote c.yaml --from s --tree $bag/tree
expect 2 "$sallyport" promote refused.yaml --from s --to e --hold $bag/hold --record $bag/record
expect 2 "$sallyport" export d/small-report --tar $bag/x.tar
expect 2 "$sallyport" export d/small-report --dir $bag/data/x
expect 0 "$sallyport" verify $bag
# what stands under the name of an export is not replaced, whatever it is, and nothing else is left
echo mine > mine.tar && ln -s nowhere link.tar
for name in mine.tar link.tar; do
    expect 3 "$sallyport" export d/small-report --tar $name
done
same "$(cat mine.tar) $(readlink link.tar)" "mine nowhere" "what stood there"
same "$(find . -maxdepth 1 -name '.*unfinished' | wc -l)" 0 "leftovers of an export"
# the commands that publish nothing end when they are told to
mkdir big && head -c 700000000 /dev/zero > big/zero.bin
printf 'sallyport: 1\nname: big\noutputs: [{path: zero.bin, types: [any-binary], reason: zeros, max: 1G}]\n' > big.yaml
expect 0 "$sallyport" promote big.yaml --from big --to d --id big
rm -r big
timeout -s INT 0.1 "$sallyport" verify d/big-big > out 2> err
got=$?
checks=$((checks + 1))
case $got in 124) ;; *) fail "verify was told to end, status $got" ;; esac
"$sallyport" verify d/big-big > out 2> err &
sleep 0.1
kill -TERM $!
wait $!
same $? 143 "verify, told to end"
chmod -R u+w d/big-big && rm -rf d/big-big
# a head that is none is no rollback
expect 2 "$sallyport" verify d --head abc
has err "64 hexadecimal digits"
# run has no --dry-run: it would publish
printf 'sallyport: 1\nname: r\nrun: {command: [true]}\noutputs: [{path: a.txt, types: [text]}]\n' > r.yaml
expect 2 "$sallyport" run r.yaml --to never --dry-run
expect 2 "$sallyport" run r.yaml --to never --proof no-such-file
absent never
# limits that no job could run under, or no kernel takes
for limit in 'memory: 1' 'inodes: 1' 'processes: 99999999999'; do
    sed "s/command: \[true\]/command: [true], limits: {$limit}/" r.yaml > limit.yaml
    expect 2 "$sallyport" check limit.yaml
    has err "is too "
done
# a reason of blanks is none
sed 's/^outputs:/purpose: "  "\noutputs:/' c.yaml > blank.yaml
expect 2 "$sallyport" check blank.yaml
has err "'purpose' is empty"
finish
