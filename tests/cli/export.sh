#!/bin/sh
# SPDX-License-Identifier: ISC
# Export: each form comes out complete and verifies; stock tools unpack it into a bag that verifies; the same bag gives the
# same bytes; a packed bag that was changed in any way does not verify.
. "$(dirname "$0")/common.sh"
keygen=${SSH_KEYGEN:?}
cat > c.yaml <<'C'
sallyport: 1
name: small
outputs:
  - glob: "**/*.txt"
    types: [text]
  - glob: "**/*.json"
    types: [json]
    count: 0..9
C
long=$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0)
mkdir -p "s/data/$long$long/$long$long/$long"
echo hello > s/a.txt
: > s/data/empty.txt
echo '{"b": 1}' > s/data/b.json
echo far > "s/data/$long$long/$long$long/$long/far.txt"
(umask 077 && "$keygen" -q -t ed25519 -N '' -C one -f key)
printf 'one@example.org %s\n' "$(cut -d' ' -f1,2 key.pub)" > allowed
expect 0 "$sallyport" promote c.yaml --from s --to d --id one --sign key
bag=d/small-one
check() { expect "$1" "$sallyport" verify "$2" --allowed-signers allowed --identity one@example.org; }

for form in dir tar zip oci; do
    expect 0 "$sallyport" export $bag --$form "out.$form"
    expect 3 "$sallyport" export $bag --$form "out.$form"
    has err "nothing is replaced"
done
cp -R $bag moved # other times, other inodes: the same bytes all the same
chmod -R u+w moved/data && chmod 444 $(find moved -type f) && find moved -type d -exec chmod 755 {} +
for form in tar zip; do
    expect 0 "$sallyport" export moved --$form "again.$form"
    cmp -s "out.$form" "again.$form" || fail "$form is not the same for the same bag"
    check 0 "out.$form"
    has out "signed by one@example.org"
    has out "4 files"
done
check 0 out.dir
expect 0 "$sallyport" verify out.tar --format json
"$jq" -e '.verified and .files == 4 and .signature == "untrusted"' out > /dev/null || fail "verify tar json"

# signatures as bundles: one for each signer, and nothing of an unsigned bag
(umask 077 && "$keygen" -q -t ed25519 -N '' -C two -f two)
expect 0 "$sallyport" export $bag --sigstore bundles
same "$(ls bundles | wc -l | tr -d ' ')" 1 "bundles"
"$jq" -e '.mediaType == "application/vnd.dev.sigstore.bundle.v0.3+json" and .verificationMaterial.tlogEntries == []
    and (.verificationMaterial | has("certificate") | not) and (.dsseEnvelope.signatures | length) == 1
    and .verificationMaterial.publicKey.hint == .dsseEnvelope.signatures[0].keyid' bundles/*.sigstore.json > /dev/null || fail "bundle"
same "$("$jq" -cS .dsseEnvelope bundles/*)" "$(cat $bag/signatures/*.dsse.json)" "the envelope is the bag's"
expect 3 "$sallyport" export $bag --sigstore bundles
cp -a $bag twice && expect 0 "$sallyport" sign twice --key two
expect 0 "$sallyport" export twice --sigstore both
same "$(ls both | wc -l | tr -d ' ')" 2 "two signers, two bundles"
expect 0 "$sallyport" promote c.yaml --from s --to d --id unsigned -q
expect 2 "$sallyport" export d/small-unsigned --sigstore none
has err "nobody signed the bag"
absent none
absent .none.unfinished
cp -a $bag bent && chmod u+w bent/signatures/*.json && sed -i 's/"payload":"ey/"payload":"eY/' bent/signatures/*.json
expect 5 "$sallyport" export bent --sigstore none
absent none

# stock tools
mkdir t z
expect 0 tar -C t -xpf out.tar
check 0 t/small-one
if command -v unzip > /dev/null; then
    expect 0 unzip -q -d z out.zip
    check 0 z/small-one
    expect 0 unzip -tq out.zip
fi
expect 0 "${PYTHON3:-python3}" -c 'import sys, tarfile, zipfile
t = tarfile.open("out.tar"); z = zipfile.ZipFile("out.zip")
assert z.testzip() is None
files = sorted(m.name for m in t if m.isfile())
assert files == sorted(n for n in z.namelist() if not n.endswith("/")), files
assert all(t.extractfile(n).read() == z.read(n) for n in files)
assert all(m.uid == 0 and m.gid == 0 and m.mode in (0o444, 0o755) for m in t)'
(cd t/small-one && sha256sum --strict --quiet -c tagmanifest-sha256.txt && sha256sum --strict --quiet -c manifest-sha256.txt) ||
    fail "sha256sum does not accept what tar unpacked"

# an OCI layout: every digest holds, the layer is the same tar
same "$("$jq" -r .imageLayoutVersion out.oci/oci-layout)" 1.0.0 "layout"
for blob in out.oci/blobs/sha256/*; do
    same "$(sha256sum < "$blob" | cut -d' ' -f1)" "$(basename "$blob")" "blob"
done
manifest=out.oci/blobs/sha256/$("$jq" -r '.manifests[0].digest' out.oci/index.json | cut -d: -f2)
same "$("$jq" -r .artifactType "$manifest")" application/vnd.sallyport.bag.v1 "artifact type"
same "$("$jq" -r '.layers[0].digest' "$manifest")" "sha256:$(sha256sum < out.tar | cut -d' ' -f1)" "the layer is the tar"

# what was changed in a packed bag: one byte anywhere, bytes behind it, bytes missing
poke() { # poke FILE OFFSET
    cp "$1" bad && chmod u+w bad
    old=$(od -An -tu1 -j "$2" -N 1 bad | tr -d ' ')
    printf "\\$(printf %o $(((old + 1) % 256)))" | dd of=bad bs=1 seek="$2" conv=notrunc 2> /dev/null
    checks=$((checks + 1))
    "$sallyport" verify bad --allowed-signers allowed --identity one@example.org > out 2>&1
    [ $? -eq 5 ] || fail "$1 with byte $2 changed verifies"
}
for form in tar zip; do
    size=$(wc -c < out.$form | tr -d ' ')
    at=0
    while [ $at -lt "$size" ]; do
        poke out.$form $at
        at=$((at + size / 61 + 1))
    done
    poke out.$form $((size - 1))
    { cat out.$form; echo x; } > bad
    check 5 bad
    has out archive
    head -c $((size - 1)) out.$form > bad
    check 5 bad
done
(cd t && tar -cf ../gnu.tar small-one)
check 5 gnu.tar
has out "as sallyport export writes it"

# a bag that does not verify does not leave; usage
chmod u+w moved/data/a.txt && echo x >> moved/data/a.txt && chmod 444 moved/data/a.txt
expect 5 "$sallyport" export moved --tar no.tar
absent no.tar
expect 2 "$sallyport" export $bag
expect 2 "$sallyport" export $bag --tar a --zip b
expect 2 "$sallyport" export nowhere --tar a

# --transported: what a store without modes does is noted, what it cannot do still fails
cp -R $bag store && chmod -R u+w store && find store -type f -exec chmod 644 {} + && : > store/data/.DS_Store
mkdir store/data/emptydir
expect 5 "$sallyport" verify store
expect 0 "$sallyport" verify store --transported
find store -type f -exec chmod 666 {} +
expect 0 "$sallyport" verify store --transported
chmod 755 store/data/a.txt
expect 5 "$sallyport" verify store --transported
chmod 644 store/data/a.txt && echo x > store/data/other
expect 5 "$sallyport" verify store --transported
finish
