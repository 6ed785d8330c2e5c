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
finish
