#!/bin/sh
# SPDX-License-Identifier: ISC
# The record against its own schema, in every shape a run can give it; and the schema against records that are wrong.
. "$(dirname "$0")/common.sh"
schema=${srcdir:?}/broker/record/record.schema.json
cat > valid.py <<'P'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))))
for e in errors[:5]:
    print("/".join(map(str, e.absolute_path)), e.message[:200])
sys.exit(1 if errors else 0)
P
valid() { expect "$1" "${PYTHON3:?}" valid.py "$schema" "$2"; }
cat > c.yaml <<'C'
sallyport: 1
name: small
owner: tests@example.org
escalate: oncall@example.org
review-by: 2027-03-31
labels: {commit: 0f1e2d3c}
threat: {untrusted: everything}
not-covered: [source code]
outputs:
  - path: a.txt
    types: [text]
  - path: page.html
    types: [html-static]
    optional: true
    accept: [{code: active/html-script, reason: seen, approved-by: a@example.org, until: 2027-01-31}]
  - glob: data/*
    types: [json, tar.gz, zip]
    count: 0..9
C
mkdir -p s/data
echo hello > s/a.txt
echo '{}' > s/data/b.json
tar -czf s/data/c.tar.gz -C s a.txt
echo '<!DOCTYPE html><script>1</script>' > s/page.html
echo extra > s/unlisted
printf x > "s/$(printf 'bad\377name')"
ln -s a.txt s/link
record() { "$sallyport" check "$@" --format json > record.json 2> err; echo $?; }

same "$(record c.yaml --from s)" 0 "status"
valid 0 record.json
"$jq" -e '.content.accepted[0].used and ([.content.checks[] | select(.name == "secret") | .rules_sha256 | length] == [64])
    and ([.run.libraries[].key] | index("openssl") and index("zlib"))' record.json > out || fail "accepts, rules, libraries"
"$jq" -e '[.handoff.scoreboard[] | select(.name | test("sandbox was enforced")) | .state] == ["unknown"]' record.json > out ||
    fail "what was not shown is unknown"
"$jq" -cS . record.json | cmp -s - record.json || fail "not the bytes of jq -cS"
same "$("$jq" -cS .content record.json | tr -d '\n' | sha256sum | cut -d' ' -f1)" "$("$jq" -r .content_sha256 record.json)" "content"
"$jq" -e '.content.totals as $t | [.content.entries[].verdict] |
    ($t.promoted == (map(select(. == "promote")) | length)) and ($t.unlisted == (map(select(. == "unlisted")) | length))
    and ($t.missing == 0)' record.json > out || fail "totals"

rm s/a.txt && echo 'AKIA''QYLPMN5HHHFPZAM2' > s/data/b.json
same "$(record c.yaml --from s --label a=b --label a=c)" 1 "status of a refusal"
valid 0 record.json
"$jq" -e '[.handoff.rejected[].option] | index("publish the files that passed")' record.json > out || fail "rejected options"
sed 's/^name: small/name: small\npartial: true\nunlisted: count/' c.yaml > p.yaml
same "$(record p.yaml --from s)" 7 "status of a partial one" || :
valid 0 record.json
printf 'sallyport: 1\nname: none\noutputs: [{path: x, types: [text], optional: true}]\n' > n.yaml
mkdir empty && same "$(record n.yaml --from empty)" 0 "status of nothing"
valid 0 record.json

# promoted, refused, shares of the paths and what they are joined from, a stream, held files, a floor, the job of a run
mkdir t && echo one > t/a.txt && mkdir t/data && echo '{}' > t/data/b.json && echo '{}' > t/data/c.json
"$sallyport" promote c.yaml --from t --to d --id one -q > out || fail "promote"
valid 0 d/small-one/sallyport/record.json
"$sallyport" promote c.yaml --from s --to d --id no --record r --hold h -q > out
valid 0 r/small-no/sallyport/record.json
printf 'sallyport: 1\nname: held\noutputs: [{glob: "data/*", types: [json, tar.gz], count: 0..9}]\n' > held.yaml
same "$(record held.yaml --from held:h/no)" 1 "held files, inspected again"
valid 0 record.json
for k in 1 2; do "$sallyport" promote c.yaml --from t --to parts --id $k --shard $k/2 -q > out; done
"$sallyport" promote c.yaml --from bag:parts/small-1 --from bag:parts/small-2 --to d --id joined -q > out || fail "joined"
"$jq" -e '.content.source.parts | length == 2' d/small-joined/sallyport/record.json > out || fail "parts"
for f in parts/small-*/sallyport/record.json d/small-joined/sallyport/record.json; do valid 0 $f; done
tar -C t -cf t.tar a.txt data
same "$("$sallyport" check c.yaml --from - --format json < t.tar > record.json 2> err; echo $?)" 0 "a stream"
valid 0 record.json
printf 'floor: 1\ntypes: [text, json, tar.gz, zip, html-static]\n' > floor.yaml
mkdir empty2 && printf "sallyport: 1\nname: none\noutputs: [{path: x, types: [text], optional: true}]\n" > floored.yaml
same "$(record floored.yaml --from empty2 --floor floor.yaml)" 0 "a floor"
valid 0 record.json
for want in 0 6; do
    cat > run.yaml <<C
sallyport: 1
name: job
run: {command: [/bin/sh, -c, "echo hi; exit $want"], stdout: log.txt, limits: {wall: 20s}}
outputs: [{path: log.txt, types: [text]}]
C
    "$sallyport" run run.yaml --to d --id job-$want --record r --format json > record.json 2> err
    got=$?
    [ $got -eq 4 ] && { echo "note: no sandbox here, so no record of a run was looked at"; break; }
    same $got $want "status of the run"
    valid 0 record.json
    "$jq" -e '.run.job.end == "exited" and (.run.probes | length > 0)' record.json > out || fail "job and probes"
done

# the schema is no empty promise
same "$(record n.yaml --from empty)" 0 "status of nothing"
bad() { "$jq" -c "$1" record.json > bad.json && valid 1 bad.json; }
bad '.content.decision = "maybe"'
bad 'del(.content.totals.missing)'
bad '.more = 1'
bad '.content.entries = [{"path": "a", "verdict": "promote", "findings": []}]'
bad '.run.job = {}'
bad '.handoff.scoreboard[0].state = "green"'
bad '.content_sha256 = "x"'
bad '.run.started = 5'
finish
