#!/bin/sh
# SPDX-License-Identifier: ISC
# Every report of one refused run, with hostile names: each is well-formed for its reader, all show the same findings, and
# none shows a credential.
. "$(dirname "$0")/common.sh"
cat > c.yaml <<'C'
sallyport: 1
name: small
names: posix
outputs:
  - glob: "**/*"
    types: [text, json, html-static]
  - path: gone.txt
    types: [text]
  - path: lifted.html
    types: [html-static]
    accept: [{code: active/html-script, reason: seen, approved-by: a@example.org, until: 2027-01-31}]
C
mkdir -p s/d
token=AKIA
token=${token}QYLPMN5HHHFPZAM2
echo "$token" > s/secret.txt
echo "$token" > "s/$token.txt"
echo '<!DOCTYPE html><script>x</script>' > 's/d/a,b:c%0A<&">.html'
echo '<!DOCTYPE html><script>x</script>' > s/lifted.html
printf x > "s/d/$(printf 'bad\377\033[31m')"
printf x > "s/d/$(printf 'line\nbreak.txt')"
echo ok > s/ok.txt
for f in json jsonl sarif junit github gitlab html env; do set -- "$@" --report $f=r.$f; done
expect 1 "$sallyport" check c.yaml --from s "$@" --format human
cp out r.human
for f in human json jsonl sarif junit github gitlab html env; do
    [ -s r.$f ] || fail "no $f"
    hasnt r.$f "$token"
    LC_ALL=C grep -q "$(printf '\033')\|$(printf '\377')" r.$f && fail "$f holds raw bytes of a name"
    checks=$((checks + 1))
done
findings=$("$jq" '[.content.entries[].findings[], .content.findings[] | select(.accepted | not)] | length' r.json)
[ "$findings" -ge 6 ] || fail "only $findings findings"

q() { # q FILE FILTER WHAT
    checks=$((checks + 1))
    "$jq" -e --argjson n "$findings" "$2" "$1" > out 2>&1 || { fail "$3"; head -c 600 out; }
}
# SARIF: what GitHub takes. Every result has a rule, a level, one place with a relative URI and a fingerprint; no run is too large.
q r.sarif '.version == "2.1.0" and (.runs | length) == 1 and (.runs[0].results | length) == $n' "sarif shape"
q r.sarif '.runs[0] as $r | [$r.tool.driver.rules[].id] as $ids | all($r.results[]; .ruleId as $i | ($ids | index($i)) != null)' "sarif rules"
q r.sarif 'all(.runs[0].results[]; (.message.text | length > 0) and (.level | IN("error", "warning", "note")))' "sarif level"
q r.sarif 'all(.runs[0].results[]; (.locations | length) == 1 and .locations[0].physicalLocation.region.startLine >= 1)' "sarif place"
q r.sarif 'all(.runs[0].results[].locations[0].physicalLocation.artifactLocation; (.uri | test("^[A-Za-z0-9._~/%-]+$") and (startswith("/") | not)) and (has("uriBaseId") | not))' "sarif uri"
q r.sarif '[.runs[0].results[].partialFingerprints.primaryLocationLineHash] | all(length > 0) and (unique | length) == length' "sarif fingerprints"
q r.sarif '[.runs[0].results[] | has("suppressions")] | any | not' "accepted findings are left out of SARIF"
# Code Quality: unique fingerprints, paths relative without ./
q r.gitlab 'type == "array" and length == $n and ([.[].fingerprint] | unique | length) == $n' "gitlab"
q r.gitlab 'all(.[]; (.severity | IN("info", "minor", "major", "critical", "blocker")) and (.location.path | startswith("./") or startswith("/") | not) and .location.lines.begin >= 1)' "gitlab places"
# JSON Lines: one event on each line, the summary last
checks=$((checks + 1))
"$jq" -es 'all(.[]; .event | length > 0) and (.[-1].event == "summary")' r.jsonl > out || fail "jsonl"
# JUnit: well-formed XML without control characters, failures add up
expect 0 "${PYTHON3:-python3}" -c 'import xml.etree.ElementTree as e
t = e.parse("r.junit").getroot()
s = t if t.tag == "testsuite" else t[0]
assert int(s.get("failures")) == len(s.findall(".//failure")) > 0
assert int(s.get("tests")) == len(s.findall(".//testcase"))'
# workflow commands: one command on a line, nothing in a property that ends it
checks=$((checks + 1))
grep -q '^::error file=' r.github || fail "github"
grep '^::' r.github | while read -r line; do
    case ${line#::* file=} in *,b:c*) echo bad ;; esac
done | grep -q bad && fail "a property holds a comma or a colon"
[ "$(grep -c '^::error' r.github)" -le 10 ] || fail "more than GitHub shows"
# the page passes the profile that pages are held to
mkdir p && cp r.html p/report.html
printf 'sallyport: 1\nname: page\noutputs: [{path: report.html, types: [html-static]}]\n' > p.yaml
expect 0 "$sallyport" check p.yaml --from p
hasnt r.html "<script"
hasnt r.html "http"
has r.html 'Fix: '
has r.html Scoreboard
has r.env DECISION=refuse

# SARIF stays within what GitHub takes, and says what it left out: notes first, never a refusal before them
cat > many.yaml <<'C'
sallyport: 1
name: many
names: posix
outputs: [{path: zz.txt, types: [text]}, {path: zy.html, types: [html-static]}]
limits: {visited: 200000}
C
mkdir m && echo "$token" > m/zz.txt && echo '<!DOCTYPE html><script>x</script>' > m/zy.html
"${PYTHON3:-python3}" -c 'import random
random.seed(7)
for i in range(26000): open("m/%d" % i, "w")'
expect 1 "$sallyport" check many.yaml --from m --report sarif=many.sarif -q
q many.sarif '.runs[0].results | length == 25000' "no more than GitHub takes"
q many.sarif '.runs[0].results[-1] | .ruleId == "sallyport/cut" and .level == "warning" and (.message.text | contains("0 findings that refuse, 0 warnings and 1003 notes"))' "what was cut is said"
q many.sarif '[.runs[0].results[:2][].ruleId] | sort == ["active/html-script", "secret/aws-access-key-id"]' "the gravest come first"
q many.sarif '.runs[0].tool.driver.rules | any(.id == "sallyport/cut")' "the rule of the cut"
[ "$(gzip -9 < many.sarif | wc -c)" -lt 10000000 ] || fail "larger than GitHub takes"
rm -rf m/* && "${PYTHON3:-python3}" -c 'import random
random.seed(7)
for i in range(24000): open("m/" + "".join(chr(random.randrange(0x4e00, 0x9fa0)) for _ in range(80)), "w")'
echo "$token" > m/zz.txt
expect 1 "$sallyport" check many.yaml --from m --report sarif=long.sarif -q
size=$(gzip -9 < long.sarif | wc -c)
[ "$size" -lt 10000000 ] || fail "larger than GitHub takes: $size"
q long.sarif '.runs[0].results[-1].ruleId == "sallyport/cut"' "names that do not compress are cut as well"
finish
