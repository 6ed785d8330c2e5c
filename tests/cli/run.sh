#!/bin/sh
# SPDX-License-Identifier: ISC
# `run`: an honest job, and jobs that fail, hang, flood and leave things behind. Where this host cannot give the sandbox the
# command must name the missing control, publish nothing and end with 4.
. "$(dirname "$0")/common.sh"
mkdir src
echo input > src/a
# contract COMMAND LIMITS: the job writes /scratch/a.txt
contract() {
    cat > c.yaml <<C
sallyport: 1
name: job
run:
  command: [sh, -c, "$1"]
  inputs: [{from: src, at: /src}]
  stdout: log/out.txt
  limits: {$2}
outputs:
  - {path: a.txt, types: [text], optional: true}
  - {path: log/out.txt, types: [text, log], optional: true}
C
}
contract 'cat /src/a > a.txt; echo done' 'wall: 30s, scratch: 16M, inodes: 500, file: 4M, output: 1M, processes: 40'
"$sallyport" run c.yaml --to d --id one > out 2> err
status=$?
checks=$((checks + 1))
if [ $status -eq 4 ]; then
    has err "control missing: "
    absent d/job-one
    echo "(this host cannot give the sandbox; only the refusal was tested)"
    finish
fi
[ $status -eq 0 ] || { fail "an honest job ended with $status"; head -n 20 out err; }
same "$(cat d/job-one/data/a.txt)" input "the output"
same "$(cat d/job-one/data/log/out.txt)" done "the captured output"
"$jq" -e '.run.controls | map(select(.state == "proven")) | length >= 10' d/job-one/sallyport/record.json > /dev/null ||
    fail "controls are proven in the record"
expect 0 "$sallyport" verify d/job-one

# the time of the promotion begins when the job has ended
contract 'sleep 3; echo late > a.txt' 'wall: 30s'
echo 'limits: {time: 2s}' >> c.yaml
expect 0 "$sallyport" run c.yaml --to d --id late
same "$(cat d/job-late/data/a.txt)" late "what a job wrote late"

contract 'exit 3' 'wall: 30s'
expect 6 "$sallyport" run c.yaml --to d --id two
absent d/job-two
contract 'sleep 60' 'wall: 500ms'
contract 'setsid sleep 60 & sleep 60' 'wall: 1s'
expect 6 "$sallyport" run c.yaml --to d --id three
has err "wall limit"
absent d/job-three
contract 'yes' 'wall: 30s, output: 100K'
expect 6 "$sallyport" run c.yaml --to d --id four
has err "output"
absent d/job-four
# limits that a job meets and outlives are told
contract 'i=0; while [ $i -lt 100 ] && touch f$i; do i=$((i + 1)); done; exit 3' 'wall: 30s, scratch: 1M, inodes: 50'
expect 6 "$sallyport" run c.yaml --to d --id met --record rec
has err "having met its limit of inodes;"
same "$("$jq" -r '.run.actions[] | select(.step == "job") | .detail' rec/job-met/sallyport/record.json)" \
    "ended with status 3, having met its limit of inodes" "what the record says of it"
contract 'head -c 4M /dev/zero > big; exit 3' 'wall: 30s, scratch: 1M, inodes: 50'
expect 6 "$sallyport" run c.yaml --to d --id full
has err "having met its limit of scratch-size;"
contract 'ln -s /etc/passwd a.txt' 'wall: 30s'
expect 1 "$sallyport" run c.yaml --to d --id five
absent d/job-five
sed -i 's|from: src|from: nowhere|' c.yaml
expect 2 "$sallyport" run c.yaml --to d --id six
has err "nowhere"
# a command that cannot be executed is the job's failure, not a missing control
contract 'true' 'wall: 30s'
sed -i 's|^  command: .*|  command: [/nonexistent/program]|' c.yaml
expect 6 "$sallyport" run c.yaml --to d --id none
has err "cannot be started"
contract 'true' 'wall: 30s'
sed -i 's|at: /src|at: /usr/x|' c.yaml
expect 2 "$sallyport" run c.yaml --to d --id seven
absent d/job-seven
finish
