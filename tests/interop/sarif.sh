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
[ -n "$schema" ] && expect 0 "${PYTHON3:-python3}" -c 'import json, sys, jsonschema
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open("out.sarif")))' "$schema"
finish
