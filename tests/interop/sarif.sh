#!/bin/sh
# SPDX-License-Identifier: ISC
# SARIF against the multitool's rules (also GitHub's) and the schema it ships. The tool exits 0 on errors: its own report is
# read. Run by `make check-interop`.
. "$(dirname "$0")/../cli/common.sh"
command -v npm > /dev/null 2>&1 || { echo "npm is missing: install npm"; exit 1; }
cat > c.yaml <<'C'
sallyport: 1
name: small
outputs:
  - glob: "**"
    types: [text, html-static]
C
mkdir -p "s/with space"
echo '<!DOCTYPE html><script>x</script>' > "s/with space/page%.html"
echo '<!DOCTYPE html><script>x</script>' > s/a.html
echo 'AKIA''QYLPMN5HHHFPZAM2' > s/secret.txt
expect 1 "$sallyport" check c.yaml --from s --report sarif=out.sarif
mkdir many && (cd many && seq 26000 | xargs touch) && echo '<!DOCTYPE html><script>x</script>' > many/a.html
printf 'sallyport: 1\nname: many\noutputs: [{path: a.html, types: [html-static]}]\nlimits: {visited: 200000}\n' > many.yaml
expect 1 "$sallyport" check many.yaml --from many --report sarif=cut.sarif -q
grep -q sallyport/cut cut.sarif || fail "nothing was cut"
npm init -y > /dev/null 2>&1
npm install --no-audit --no-fund --silent @microsoft/sarif-multitool-linux > npm.log 2>&1 || { cat npm.log; fail "npm install"; finish; }
tool=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
chmod +x $tool
DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 $tool validate out.sarif --rule-kind 'Sarif;Ghas' --output result.sarif --log ForceOverwrite > tool.log 2>&1
[ -s result.sarif ] || { cat tool.log; fail "the multitool wrote nothing"; finish; }
checks=$((checks + 1))
jq -e '[.runs[].results[]? | select(.level == "error")] | length == 0' result.sarif > out ||
    { fail "the multitool has errors"; jq -c '[.runs[].results[] | select(.level == "error") | {ruleId, m: .message.arguments}]' result.sarif; }
schema=$(find node_modules -name 'sarif-2.1.0.json' | head -n 1)
[ -n "$schema" ] || { fail "the package ships no schema"; finish; }
validate() {
    "${PYTHON3:-python3}" -c 'import json, sys, jsonschema
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' "$schema" "$1"
}
expect 0 validate out.sarif
expect 0 validate cut.sarif

# both must refuse what GitHub would: a result without a place, and a level that there is not
multitool() { # errors that the tool reports for FILE
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 $tool validate "$1" --rule-kind 'Sarif;Ghas' --output result.sarif --log ForceOverwrite > tool.log 2>&1
    jq '[.runs[].results[]? | select(.level == "error")] | length' result.sarif
}
same "$(multitool cut.sarif)" 0 "errors of a document that was cut"
jq 'del(.runs[0].results[0].locations)' out.sarif > bad.sarif
[ "$(multitool bad.sarif)" -gt 0 ] || fail "the multitool accepts a result without a place"
jq '.runs[0].results[0].level = "grave"' out.sarif > bad.sarif
expect 1 validate bad.sarif
finish
