#!/bin/sh
# SPDX-License-Identifier: ISC
# Signatures: made from every kind of key, accepted by stock tools, verified against allowed signers, and the ways to
# tamper with them, each of which must be named.
. "$(dirname "$0")/common.sh"
keygen=${SSH_KEYGEN:?}
openssl=${OPENSSL:?}
small_contract
mkdir -p s/data
echo hello > s/a.txt
echo '{"b": 1}' > s/data/b.json
umask 077
"$keygen" -q -t ed25519 -N '' -C one -f one
"$keygen" -q -t ed25519 -N '' -C two -f two
"$keygen" -q -t ed25519 -N 'locked' -C locked -f locked
"$keygen" -q -t rsa -b 2048 -N '' -f other
"$openssl" genpkey -algorithm ed25519 -out pem.key 2> err || fail "genpkey"
"$openssl" genpkey -algorithm ed25519 -aes256 -pass pass:locked -out pem.locked 2> err || fail "genpkey"
umask 022
signer() { printf '%s %s\n' "$1" "$(cut -d' ' -f1,2 "$2")"; }
{ signer one@example.org one.pub; signer two@example.org two.pub; } > allowed
signer one@example.org one.pub > only-one
promote() { "$sallyport" promote c.yaml --from s --to d -q "$@"; }

# a key that is not there is known before anything is done
expect 2 promote --id no --sign nowhere
absent d
# keys that cannot sign are named before anything is done, also by sign and note, and none is present in a process that
# inspects: the child that looks at it has ended by then
for key in locked pem.locked other other.pub; do
    SSH_AUTH_SOCK='' expect 2 promote --id no-$key --sign $key
    absent d
done
has err "ssh-keygen -t ed25519"
SSH_AUTH_SOCK='' expect 2 promote --id no --sign locked
has err "encrypted"
SSH_AUTH_SOCK='' expect 2 promote --id no --sign one.pub
has err "no ssh-agent answers"
cp one open-key && chmod 644 open-key
expect 2 promote --id no --sign open-key
has err "chmod 600"
mkfifo pipe && expect 2 promote --id no --sign pipe
expect 2 promote --id no --sign one --sign one
has err "given twice"
absent d

expect 0 promote --id a --sign one --sign pem.key
good=d/small-a
same "$(ls $good/signatures | wc -l | tr -d ' ')" 4 "two signers, two files each"
id=$("$keygen" -lf one.pub | cut -d' ' -f2 | cut -d: -f2)
hex=$(printf '%s=' "$id" | "$openssl" base64 -d -A | od -An -tx1 | tr -d ' \n')
[ -f "$good/signatures/$hex.sig" ] || fail "no signature named for the fingerprint"
# a stock tool accepts it, for this namespace alone
expect 0 "$keygen" -Y verify -f allowed -I one@example.org -n sallyport -s $good/signatures/$hex.sig < $good/tagmanifest-sha256.txt
expect 255 "$keygen" -Y verify -f allowed -I one@example.org -n file -s $good/signatures/$hex.sig < $good/tagmanifest-sha256.txt
# so does openssl with the envelope, rebuilt by hand
dsse() { # dsse ENVELOPE PUBLIC.pem
    type=$("$jq" -r .payloadType "$1")
    "$jq" -j .payload "$1" | "$openssl" base64 -d -A > payload
    { printf 'DSSEv1 %d %s %d ' ${#type} "$type" "$(wc -c < payload | tr -d ' ')"; cat payload; } > pae
    "$jq" -j '.signatures[0].sig' "$1" | "$openssl" base64 -d -A > raw
    "$openssl" pkeyutl -verify -pubin -inkey "$2" -rawin -in pae -sigfile raw
}
"$openssl" pkey -in pem.key -pubout -out pem.pub 2> err
for f in $good/signatures/*.dsse.json; do case $f in *$hex*) ;; *) pem=$f ;; esac; done
expect 0 dsse "$pem" pem.pub
expect 1 dsse "$good/signatures/$hex.dsse.json" pem.pub
"$jq" -e '._type == "https://in-toto.io/Statement/v1" and (.subject | map(.name) | index("data/a.txt"))' payload > out || fail "statement"

# who signed it
pemkey=$("$keygen" -i -m PKCS8 -f pem.pub 2> err || "$openssl" pkey -in pem.key -pubout -outform DER | tail -c 32 |
    { printf '\0\0\0\013ssh-ed25519\0\0\0 '; cat; } | "$openssl" base64 -A | sed 's/^/ssh-ed25519 /')
printf 'pem@example.org %s\n' "$pemkey" >> allowed
printf 'pem@example.org %s\n' "$pemkey" >> only-one
check() { # check STATUS ALLOWED IDENTITY BAG TEXT
    expect "$1" "$sallyport" verify "$4" --allowed-signers "$2" --identity "$3"
    has out "$5"
}
check 0 allowed one@example.org $good "one@example.org"
check 0 allowed pem@example.org $good "signed by"
check 5 allowed two@example.org $good "no signature in the bag is a good one"
check 5 allowed nobody@example.org $good "NOT signed as asked for"
expect 0 "$sallyport" verify $good
has out "nobody who is trusted here"
expect 2 "$sallyport" verify $good --allowed-signers allowed
expect 2 "$sallyport" verify $good --allowed-signers nowhere --identity a
echo 'one@example.org ssh-ed25519' > torn
expect 2 "$sallyport" verify $good --allowed-signers torn --identity a
has err "torn:1"

# one more signer, later; nothing else moves
before=$(find $good -type f ! -path '*/signatures/*' -exec sha256sum {} + | sort | sha256sum)
expect 0 "$sallyport" sign $good --key two
same "$(find $good -type f ! -path '*/signatures/*' -exec sha256sum {} + | sort | sha256sum)" "$before" "sign"
check 0 allowed two@example.org $good "two@example.org"
check 5 only-one one@example.org $good "do not name the key"
expect 0 "$sallyport" sign $good --key two
has out "before"

# the agent
if command -v ssh-agent > /dev/null && command -v ssh-add > /dev/null; then
    eval "$(ssh-agent -s)" > /dev/null
    ssh-add -q two 2> err || fail "ssh-add"
    expect 0 promote --id agent --sign two.pub
    check 0 allowed two@example.org d/small-agent "signed by two@example.org"
    expect 3 promote --id no --sign one.pub
    has err "ssh-agent does not hold"
    kill "$SSH_AGENT_PID"
else
    fail "ssh-agent is missing: install openssh-client"
fi
SSH_AUTH_SOCK='' expect 2 promote --id no --sign two.pub
has err "no ssh-agent answers"

# validity, at the time of the run
SOURCE_DATE_EPOCH=1790000000 expect 0 promote --id dated --sign one # 2026-09-21
key=$(cut -d' ' -f1,2 one.pub)
dated() { printf 'one@example.org %s %s\n' "$2" "$key" > dated-list; check "$1" dated-list one@example.org d/small-dated "$3"; }
dated 0 'valid-after="20260101Z",valid-before="20270101Z"' "signed by one"
dated 5 'valid-before="20260601Z"' "no longer valid"
dated 5 'valid-after="20261001Z"' "not valid yet"
dated 0 'namespaces="git,sallyport"' "signed by one"
dated 5 'namespaces="git"' "namespace"

# the table: one change to a good bag, the code that must come
expect 0 promote --id t --sign one
row() {
    code=$1
    shift
    rm -rf bag && cp -a d/small-t bag && chmod -R u+w bag && (cd bag && eval "$*") || { fail "could not tamper: $*"; return; }
    chmod 444 bag/signatures/* bag/tagmanifest-sha256.txt 2> /dev/null
    checks=$((checks + 1))
    "$sallyport" verify bag --allowed-signers only-one --identity one@example.org --format json > out 2> err
    got=$?
    [ $got -eq 5 ] || fail "status $got, want 5, after: $*"
    "$jq" -e --arg c "$code" '[.differences[] | select(.level == "fail") | .code] | index($c)' out > /dev/null ||
        { fail "no '$code' after: $*"; cat out; }
}
signed() { # a signature of another shape over the same list
    rm -f signatures/*.sig && cp "$1" "signatures/$hex.sig"
}
cp $good/tagmanifest-sha256.txt ns && "$keygen" -q -Y sign -f one -n other ns 2> err
cp d/small-t/tagmanifest-sha256.txt weak && "$keygen" -q -Y sign -O hashalg=sha256 -f one -n sallyport weak 2> err
cp d/small-t/tagmanifest-sha256.txt rsa && "$keygen" -q -Y sign -f other -n sallyport rsa 2> err
row unsigned 'rm -rf signatures'
row unsigned 'rm -f signatures/*'
row signature 'rm -f signatures/*.dsse.json'
row unsigned 'rm -f signatures/*.sig'
row signature "signed ../ns.sig"
row algorithm "signed ../weak.sig"
row algorithm "signed ../rsa.sig"
row signature 'cp ../'$good'/signatures/'$hex'.sig signatures/'
row signature 'cp ../'$good'/signatures/'$hex'.dsse.json signatures/'
row signature 'sed -i 2s/A/B/ signatures/*.sig; sed -i 2s/C/D/ signatures/*.sig; sed -i 3s/a/b/ signatures/*.sig'
row signature 'sed -i s/in-toto+json/in-toto/ signatures/*.dsse.json'
row signature 'sed -i "s/\"keyid\":\"./\"keyid\":\"x/" signatures/*.dsse.json'
row signature 'sed -i "s/^{/{\"payload\":\"\",/" signatures/*.dsse.json'
row signature 'echo nothing > signatures/$(ls signatures | grep sig$)'
row signature 'cp ../d/small-agent/signatures/* signatures/'
row signer 'true; "$sallyport" sign . --key ../two > /dev/null'
row changed 'printf x >> data/a.txt'
row signature 'sed -i s/hello/hello/ bagit.txt; printf "x\n" >> tagmanifest-sha256.txt'
row added 'echo x > signatures/note.txt'
row type 'f=$(ls signatures/*.sig); rm -f $f; ln -s ../bagit.txt $f'
finish
