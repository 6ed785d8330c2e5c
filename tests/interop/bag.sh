#!/bin/sh
# SPDX-License-Identifier: ISC
# Stock tools on a bag: they accept ours and refuse a tampered one. Run by `make check-interop`; a tool that is missing is a
# failure that names its package.
. "$(dirname "$0")/../cli/common.sh"
need() { # need TOOL PACKAGE
    command -v "$1" > /dev/null 2>&1 || { echo "$1 is missing: install $2"; exit 1; }
}
need sha256sum coreutils
need xxhsum xxhash
need ssh-keygen openssh-client
need openssl openssl
need jq jq
need skopeo skopeo
need xmllint libxml2-utils
need python3 python3
python3 -c 'import jsonschema' 2> /dev/null || { echo "jsonschema is missing: install python3-jsonschema"; exit 1; }
small_contract
mkdir -p s/data
echo hello > s/a.txt
echo '{"b": 1}' > s/data/b.json
(umask 077 && openssl genpkey -algorithm ed25519 -out key 2> err && ssh-keygen -q -t ed25519 -N '' -C one -f one)
openssl pkey -in key -pubout -out key.pem
printf 'one@example.org namespaces="sallyport" %s\n' "$(cut -d' ' -f1,2 one.pub)" > allowed
expect 0 "$sallyport" promote c.yaml --from s --to d --id one --sign key --sign one
bag=d/small-one

lists() { (cd "$1" && sha256sum --strict --quiet -c tagmanifest-sha256.txt && sha256sum --strict --quiet -c manifest-sha256.txt); }
expect 0 lists $bag
expect 0 sh -c "cd $bag && xxhsum --strict --quiet -c sallyport/manifest-xxh128.txt"
for sig in "$bag"/signatures/*.sig; do
    ssh-keygen -Y verify -f allowed -I one@example.org -n sallyport -s "$sig" < $bag/tagmanifest-sha256.txt > out 2>&1 && accepted=$sig
done
checks=$((checks + 1))
[ -n "${accepted:-}" ] || fail "ssh-keygen accepts no signature"

cp -R $bag bad && chmod -R u+w bad && echo x >> bad/data/a.txt
expect 1 lists bad
expect 1 sh -c "cd bad && xxhsum --strict --quiet -c sallyport/manifest-xxh128.txt"
echo x >> bad/tagmanifest-sha256.txt
expect 255 ssh-keygen -Y verify -f allowed -I one@example.org -n sallyport -s "$accepted" < bad/tagmanifest-sha256.txt

# the envelope, rebuilt by hand
for f in "$bag"/signatures/*.dsse.json; do
    type=$(jq -r .payloadType "$f")
    jq -j .payload "$f" | openssl base64 -d -A > payload
    { printf 'DSSEv1 %d %s %d ' ${#type} "$type" "$(wc -c < payload)"; cat payload; } > pae
    jq -j '.signatures[0].sig' "$f" | openssl base64 -d -A > raw
    openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in pae -sigfile raw > out 2>&1 && envelope=$f
done
checks=$((checks + 1))
[ -n "${envelope:-}" ] || fail "openssl accepts no envelope"
echo x >> pae
expect 1 openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in pae -sigfile raw
cp "$envelope" envelope.json && cp key.pem public.pem
expect 0 "$sallyport" export $bag --sigstore bundles
cp "bundles/$(basename "$envelope" .dsse.json).sigstore.json" bundle.json || fail "no bundle of that signer"

# the OCI layout
expect 0 "$sallyport" export $bag --oci layout
expect 0 skopeo inspect --raw oci:layout
expect 0 skopeo copy -q oci:layout oci:copied
expect 0 skopeo copy -q oci:layout dir:plain
layer=$(skopeo inspect --raw oci:layout | jq -r '.layers[0].digest' | cut -d: -f2)
expect 0 "$sallyport" verify "layout/blobs/sha256/$layer"
expect 0 "$sallyport" verify "copied/blobs/sha256/$layer"
chmod u+w "layout/blobs/sha256/$layer" && printf x | dd of="layout/blobs/sha256/$layer" bs=1 seek=600 conv=notrunc 2> /dev/null
expect 1 skopeo copy -q oci:layout dir:changed
expect 5 "$sallyport" verify "layout/blobs/sha256/$layer"

# the reports
echo '<script>x</script>' > s/page.html
printf '  - path: page.html\n    types: [html-static]\n' >> c.yaml
expect 1 "$sallyport" check c.yaml --from s --report junit=junit.xml --report json=record.json --report sarif=out.sarif
expect 0 xmllint --noout junit.xml
sed 's/message="/message="\&#27;/' junit.xml > bad.xml
expect 1 xmllint --noout bad.xml
validate() {
    python3 -c 'import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))' "${srcdir:?}/broker/record/record.schema.json" "$1"
}
expect 0 validate record.json
expect 0 validate $bag/sallyport/record.json
jq '.content.entries[0].verdict = "perhaps"' record.json > bad.json
expect 1 validate bad.json
jq '.run.extra = 1' record.json > bad.json
expect 1 validate bad.json

# the ecosystem's own code, from npm: where there is no npm this part says so and fails
need npm npm
need node nodejs
npm init -y > /dev/null 2>&1
npm install --no-audit --no-fund --silent ajv@8 @sigstore/verify@4 @sigstore/bundle@5 > npm.log 2>&1 || { cat npm.log; fail "npm install"; finish; }
cat > check.mjs <<'J'
import fs from "node:fs";
import { createPublicKey } from "node:crypto";
import { bundleFromJSON } from "@sigstore/bundle";
import { Verifier, toTrustMaterial, toSignedEntity } from "@sigstore/verify";
import Ajv from "ajv/dist/2020.js";
const ours = JSON.parse(fs.readFileSync("bundle.json"));
const key = createPublicKey(fs.readFileSync("public.pem"));
const other = createPublicKey(fs.readFileSync("other.pem"));
function accepts(json, trusted) {
    const bundle = bundleFromJSON(json);
    const trust = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [],
        publicKey: () => ({ publicKey: trusted, validFor: () => true }) };
    try {
        new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, tsaThreshold: 0 }).verify(toSignedEntity(bundle));
        return true;
    } catch (e) { return false; }
}
const payload = Buffer.from(ours.dsseEnvelope.payload, "base64").toString();
const changed = structuredClone(ours);
changed.dsseEnvelope.payload = Buffer.from(payload.replace("data/a.txt", "data/b.txt")).toString("base64");
const ajv = new Ajv({ strict: false });
const valid = ajv.compile(JSON.parse(fs.readFileSync(process.argv[2])));
const record = JSON.parse(fs.readFileSync("record.json"));
const results = { sigstore: accepts(ours, key), tampered: accepts(changed, key), foreign: accepts(ours, other), ajv: valid(record) };
results.subject = JSON.parse(payload).subject.some((s) => s.name === "tagmanifest-sha256.txt");
record.content.decision = "maybe";
results.wrong = valid(record);
console.log(JSON.stringify(results));
process.exit(results.sigstore && !results.tampered && !results.foreign && results.subject && results.ajv && !results.wrong ? 0 : 1);
J
openssl genpkey -algorithm ed25519 2> err | openssl pkey -pubout -out other.pem
expect 0 node check.mjs "$srcdir/broker/record/record.schema.json"
finish
