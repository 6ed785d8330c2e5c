#!/bin/sh
# SPDX-License-Identifier: ISC
# `probe` proves the sandbox or names what is missing, and leaves nothing behind.
. "$(dirname "$0")/common.sh"
TMPDIR=$work
export TMPDIR
"$sallyport" probe --format json > out 2> err
status=$?
checks=$((checks + 1))
"$jq" -e '.schema == "sallyport.probe/1" and (.probes | length > 0)' out > /dev/null || fail "probe json"
same "$("$jq" -cS . out)" "$(cat out)" "canonical JSON"
if [ $status -eq 0 ]; then
    same "$("$jq" -r .proven out)" true "proven"
    same "$("$jq" '[.probes[] | select(.required and .verdict != "HELD")] | length' out)" 0 "required rows"
elif [ $status -eq 4 ]; then
    # something is missing here: every such row must say what, and its control how to get it
    same "$("$jq" -r .proven out)" false "proven"
    same "$("$jq" '[.probes[] | select(.required and .verdict != "HELD" and .verdict != "UNSUPPORTED")] | length' out)" 0 "broken"
    same "$("$jq" '[.probes[] | select(.how == "")] | length' out)" 0 "how"
    same "$("$jq" '[.controls[] | select(.plan)] | length > 0' out)" true "a plan"
else
    fail "probe ended with $status"
    head -n 20 out err
fi
same "$(ls -d "$work"/sallyport-probe-* 2> /dev/null)" "" "private directories"
small_contract
expect 2 "$sallyport" probe c.yaml
has err "no \`run:\`"
expect 2 "$sallyport" probe --format sarif
expect 2 "$sallyport" probe --in lxc:x
has err "docker:IMAGE"
expect 2 "$sallyport" probe --plain
mkdir bin
printf '#!/bin/sh\necho 1.0\necho "Cannot connect to the daemon at $DOCKER_HOST" >&2\nexit 1\n' > bin/docker
chmod 755 bin/docker
expect 75 env PATH="$work/bin:$PATH" DOCKER_HOST="unix://$work/nowhere" "$sallyport" probe --in docker:x
has err "start its daemon"
expect 2 "$sallyport" probe a b
# a proof in a file, and what takes it away
cat > r.yaml <<'C'
sallyport: 1
name: job
run: {command: [sh, -c, 'echo x > a.txt'], limits: {wall: 30s, scratch: 4M}}
outputs:
  - {path: a.txt, types: [text]}
C
"$sallyport" probe r.yaml --save proof.json > out 2> err
status=$?
checks=$((checks + 1))
if [ $status -eq 0 ]; then
    expect 0 "$sallyport" run r.yaml --to d --id one --proof proof.json
    "$jq" -e '.run.controls | map(select(.state == "proven")) | length >= 9' d/job-one/sallyport/record.json > /dev/null ||
        fail "proven by the saved proof"
    sed -i 's/scratch: 4M/scratch: 4M, output: 1M/' r.yaml
    expect 4 "$sallyport" run r.yaml --to d --id two --proof proof.json
    has err "'output'"
    sed -i 's/, output: 1M//' r.yaml
    for change in '.boot_id = "x"' '.made = 1' '.made += 100000' '.probe_sha256 = "0"' '.uid += 1' '.proven = false' \
        '.probes[0].verdict = "BROKEN"' '.probes = []' 'del(.kernel)'; do
        "$jq" -c "$change" proof.json > changed.json
        expect 4 "$sallyport" run r.yaml --to d --id two --proof changed.json
    done
    chmod 666 proof.json
    expect 4 "$sallyport" run r.yaml --to d --id two --proof proof.json
    absent d/job-two
elif [ $status -eq 4 ]; then
    absent proof.json
else
    fail "probe --save ended with $status"
fi
finish
