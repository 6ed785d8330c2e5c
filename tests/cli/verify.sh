#!/bin/sh
# SPDX-License-Identifier: ISC
# The tamper table: each row changes a good bag in one way, and verify must say which.
. "$(dirname "$0")/common.sh"
small_contract
mkdir -p s/data
echo hello > s/a.txt
echo '{"b": 1}' > s/data/b.json
echo '{"b": 1}' > s/data/c.json
expect 0 "$sallyport" promote c.yaml --from s --to d --id one
good=d/small-one
expect 0 "$sallyport" verify $good
has out "verified"
expect 0 "$sallyport" verify $good --format json
"$jq" -e '.verified and (.differences | length == 0)' out > /dev/null || fail "verify json"

rehash() { # after an edit of a tag file: its line in the tag manifest again
    chmod u+w bag/tagmanifest-sha256.txt
    (cd bag && sha256sum $(cut -d' ' -f3 tagmanifest-sha256.txt) > ../tags && cat ../tags > tagmanifest-sha256.txt)
    chmod 444 bag/tagmanifest-sha256.txt
}
row() { # row CODE COMMAND: verify must fail with that code
    code=$1
    shift
    rm -rf bag && cp -a $good bag && (cd bag && eval "$*") || { fail "could not tamper: $*"; return; }
    case $* in *REHASH*) rehash ;; esac
    checks=$((checks + 1))
    timeout 10 "$sallyport" verify bag --format json > out 2> err
    got=$?
    if [ $got -ne 5 ]; then fail "status $got, want 5, after: $*"; cat out err; fi
    "$jq" -e --arg c "$code" '[.differences[] | select(.level == "fail") | .code] | index($c)' out > /dev/null 2>&1 ||
        { fail "no '$code' after: $*"; cat out; }
}
w() { chmod u+w "$@"; }

row changed 'chmod u+w data/a.txt; printf "hellO\n" > data/a.txt; chmod 444 data/a.txt'
row missing 'rm -f data/a.txt'
row missing 'rm -f data/data/c.json'
row added 'echo x > data/new.txt'
row added ': > data/empty.txt'
row added 'mkdir data/emptydir'
row missing 'mv data/a.txt data/z.txt'
row added 'mv data/a.txt data/z.txt'
row mode 'chmod 4444 data/a.txt'
row mode 'chmod 0777 data/data'
row mode 'chmod 0555 data/a.txt'
row mode 'chmod 0664 data/a.txt'
row type 'cp data/a.txt ../a.copy; rm -f data/a.txt; ln -s ../../a.copy data/a.txt'
row type 'rm -f data/data/c.json; ln -s b.json data/data/c.json'
row added 'ln -s data data/link'
row links 'ln data/a.txt ../a.hard'
row links 'rm -f data/data/c.json; ln data/data/b.json data/data/c.json'
row type 'rm -f data/a.txt; mkfifo data/a.txt'
row added 'mkfifo data/fifo'
row record 'chmod u+w manifest-sha256.txt; sed -i 1d manifest-sha256.txt; : REHASH'
row changed 'chmod u+w manifest-sha256.txt; sed -i 1d manifest-sha256.txt'
row record 'chmod u+w data/a.txt manifest-sha256.txt; echo other > data/a.txt; chmod 444 data/a.txt; sha256sum data/a.txt data/data/b.json data/data/c.json > m; cat m > manifest-sha256.txt; rm m; : REHASH'
row changed 'chmod u+w sallyport/record.json; sed -i s/promote/refused/ sallyport/record.json'
row record 'chmod u+w sallyport/record.json; sed -i s/tests@example/other@example/ sallyport/record.json; : REHASH'
row record 'chmod u+w sallyport/record.json; sed -i "s/\"promoted\":3/\"promoted\":4/" sallyport/record.json; : REHASH'
row record 'chmod u+w sallyport/contract.yaml; echo "# edited" >> sallyport/contract.yaml; : REHASH'
row record 'chmod u+w sallyport/record.json; sed -i "s/^{/{\"schema\":\"x\",/" sallyport/record.json; : REHASH'
row added 'mkdir -p signatures; echo x > signatures/aa.sig'
row added 'mkdir -p signatures; echo x > "signatures/x y.dsse.json"'
row missing 'rm -f tagmanifest-sha256.txt'
row added 'echo x > note.txt'
row added 'echo x > sallyport/note.txt'
row added 'mkdir extra; echo x > extra/a'
row list 'chmod u+w manifest-sha256.txt; sed -i "1s/.*/&\n&/" manifest-sha256.txt'
row list 'chmod u+w manifest-sha256.txt; sed -i "s#data/a.txt#../../a.txt#" manifest-sha256.txt'
row list 'chmod u+w bag-info.txt; sed -i "s/^Payload-Oxum: .*/Payload-Oxum: 1.1/" bag-info.txt; : REHASH'
row list 'chmod u+w sallyport/manifest-xxh128.txt; sed -i 1d sallyport/manifest-xxh128.txt; : REHASH'
if [ "$(id -u)" = 0 ]; then
    row capability "${SETCAP:-setcap} cap_net_raw+ep data/a.txt"
fi
if "${SETFACL:-setfacl}" -m u:65534:r $good/data/a.txt 2>/dev/null; then
    "${SETFACL:-setfacl}" -b $good/data/a.txt && chmod 444 $good/data/a.txt
    row acl "${SETFACL:-setfacl} -m u:65534:r data/a.txt"
else
    echo "note: this filesystem has no ACLs: that row was not run"
fi
# notes do not fail: an owner-write bit, another time
rm -rf bag && cp -a $good bag && chmod 644 bag/data/a.txt && touch -d 2001-01-01 bag/data/a.txt
expect 0 "$sallyport" verify bag
expect 2 "$sallyport" verify nowhere

# more of the table: what a hostile hand does to lists, names and signatures
row changed 'w manifest-sha256.txt; sed -i "s/$/\r/" manifest-sha256.txt'
row list 'w manifest-sha256.txt; sed -i "s/$/\r/" manifest-sha256.txt; : REHASH'
row list 'w tagmanifest-sha256.txt; sed -i "s/$/\r/" tagmanifest-sha256.txt'
row list 'w manifest-sha256.txt; printf "\000\n" >> manifest-sha256.txt; : REHASH'
row list 'w bagit.txt; printf "x\000y\n" >> bagit.txt; : REHASH'
row list 'w bag-info.txt; sed -i s/tests@example/other@example/ bag-info.txt; : REHASH'
row list 'w bag-info.txt; printf "Note: a\000b\n" >> bag-info.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s/.*/&\n&/" manifest-sha256.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s#data/#/etc/#" manifest-sha256.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s#data/#data/../data/#" manifest-sha256.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s#data/#data//#" manifest-sha256.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s#  #  ./#" manifest-sha256.txt; : REHASH'
row list 'w manifest-sha256.txt; sed -i "1s/^../zz/" manifest-sha256.txt; : REHASH'
row list 'w tagmanifest-sha256.txt; echo "$(printf "%064d" 0)  data/a.txt" >> tagmanifest-sha256.txt'
row added 'echo "http://a.example/x 4 data/x.txt" > fetch.txt'
row added 'echo "$(printf "%032d" 0)  data/a.txt" > manifest-md5.txt'
row missing 'rm -f bagit.txt'
row missing 'rm -f manifest-sha256.txt'
row missing 'rm -f sallyport/record.json'
row record 'w sallyport/record.json; head -c 3000000 /dev/zero | tr "\0" "[" > sallyport/record.json; : REHASH'
row record 'w sallyport/record.json; : > sallyport/record.json; : REHASH'
row record 'w sallyport/record.json; printf "\000" >> sallyport/record.json; : REHASH'
row record 'w sallyport/record.json; sed -i "s/\"size\":6/\"size\":6.0/" sallyport/record.json; : REHASH'
row record 'w sallyport/record.json; sed -i "s/\"size\":6/\"size\":99999999999999999999/" sallyport/record.json; : REHASH'
row list 'w sallyport/record.json; truncate -s 300M sallyport/record.json'
row list 'w manifest-sha256.txt; truncate -s 300M manifest-sha256.txt'
row type 'rm -rf sallyport; ln -s ../d/small-one/sallyport sallyport'
row type 'rm -f tagmanifest-sha256.txt; mkfifo tagmanifest-sha256.txt'
row type 'rm -f sallyport/record.json; mkfifo sallyport/record.json'
row type 'rm -f bagit.txt; mkdir bagit.txt'
row links 'ln tagmanifest-sha256.txt ../tag.hard'
row links 'ln sallyport/record.json ../record.hard'
row mode 'chmod 1755 data'
row mode 'chmod 4444 sallyport/record.json'

# signatures by name: only KEYID.sig and KEYID.dsse.json in lower case, both or none
(umask 077 && "${SSH_KEYGEN:?}" -q -t ed25519 -N '' -C k -f key)
expect 0 "$sallyport" promote c.yaml --from s --to d --id two --sign key -q
good=d/small-two
row added 'f=$(ls signatures/*.sig); mv "$f" "signatures/$(basename "$f" .sig | tr a-f A-F).sig"'
row added 'f=$(ls signatures/*.sig); cp "$f" "$f.bak"'
row added 'f=$(ls signatures/*.sig); cp "$f" "${f%.sig}.SIG"'
row added 'mkdir signatures/x'
row signature 'rm -f signatures/*.sig'
row signature 'rm -f signatures/*.dsse.json'
row signature 'w signatures/*.sig; : > "$(ls signatures/*.sig)"'
row signature 'w signatures/*.sig; truncate -s 200M "$(ls signatures/*.sig)"'
row signature 'f=$(ls signatures/*.dsse.json); w "$f"; head -c 100000 /dev/zero | tr "\0" "[" > "$f"'
row type 'f=$(ls signatures/*.sig); rm -f "$f"; mkfifo "$f"'
row links 'ln "$(ls signatures/*.sig)" ../sig.hard'

# packed bags: not a byte more, less or other than export writes
expect 0 "$sallyport" export $good --tar good.tar
expect 0 "$sallyport" export $good --zip good.zip
packed() { # packed FILE COMMAND
    cp good.$1 p.$1 && (eval "$2") || fail "could not tamper: $2"
    checks=$((checks + 1))
    timeout 20 "$sallyport" verify p.$1 --format json > out 2> err
    got=$?
    [ $got -eq 5 ] || { fail "status $got, want 5, after: $2"; head -c 400 out err; }
}
for form in tar zip; do
    packed $form "echo x >> p.$form"
    packed $form "truncate -s +512 p.$form"
    packed $form "truncate -s -1 p.$form"
    packed $form "truncate -s 1000 p.$form"
    packed $form "printf PK > p.$form"
    packed $form ": > p.$form"
    packed $form "cat good.$form >> p.$form"
    packed $form "(printf x; cat good.$form) > p.$form"
done
packed tar 'truncate -s 20000 p.tar && printf "\200\177\377\377\377\377\377\377\377\377\377\377" | dd of=p.tar bs=1 seek=124 conv=notrunc 2> /dev/null'
packed zip 'printf "\377\377\377\377" | dd of=p.zip bs=1 seek=$(($(wc -c < p.zip) - 10)) conv=notrunc 2> /dev/null'

# --fast: the payload by XXH3-128 alone, the tag files as ever; it says what that is worth, and takes no trust
good=d/small-one
expect 0 "$sallyport" verify $good --fast
has out "proves nothing against people"
expect 0 "$sallyport" verify $good --fast --format json
"$jq" -e '.fast and .verified and .files == 3' out > /dev/null || fail "fast json"
fast() { # fast CODE COMMAND
    rm -rf bag && cp -a $good bag && (cd bag && eval "$2")
    expect 5 "$sallyport" verify bag --fast --format json
    "$jq" -e --arg c "$1" '[.differences[] | select(.level == "fail") | .code] | index($c)' out > /dev/null || fail "no '$1' after: $2"
}
fast changed 'w data/a.txt; printf "hellO\n" > data/a.txt; chmod 444 data/a.txt'
fast changed 'w sallyport/report.html; echo >> sallyport/report.html'
fast changed 'w sallyport/manifest-xxh128.txt; sed -i "s/= ../= 00/" sallyport/manifest-xxh128.txt'
fast missing 'rm -f data/a.txt'
fast mode 'chmod 4444 data/a.txt'
expect 2 "$sallyport" verify good.tar --fast
printf 'me %s\n' "$(cut -d' ' -f1,2 key.pub)" > allowed
expect 2 "$sallyport" verify $good --fast --allowed-signers allowed --identity me

# a refusal is no promotion, and verify says so
printf "%s%s\n" AKIA QYLPMN5HHHFPZAM2 > s/a.txt
expect 1 "$sallyport" promote c.yaml --from s --to d --id no --record r -q
expect 0 "$sallyport" verify r/small-no
has out "record of a REFUSAL"
expect 0 "$sallyport" verify r/small-no --format json
"$jq" -e '.decision == "refuse"' out > /dev/null || fail "decision"
finish
