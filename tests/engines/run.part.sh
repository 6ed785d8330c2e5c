# SPDX-License-Identifier: ISC
# Part of engines.sh: jobs in containers of docker and podman: outputs, limits, ends, what is left, and what is refused
# before anything starts. Uses the proofs that probe.part.sh saved.
mkdir src
echo data > src/in.txt
mkfifo src/fifo
contract() { # contract ENGINE IMAGE COMMAND LIMITS
    cat > c.yaml <<C
sallyport: 1
name: job
run:
  command: [sh, -c, '$3']
  engine: $1
  image: $2
  inputs: [{from: ./src, at: /target}, {from: ./src/in.txt, at: /one/file.txt}]
  env: {GREETING: hello}
  stdout: log.txt
  limits: {$4}
outputs:
  - {path: a.txt, types: [text], optional: true}
  - {path: log.txt, types: [text], optional: true}
C
}
record() { # record ID FILTER
    if [ -e "rec/job-$1" ]; then $jq -r "$2" "rec/job-$1/sallyport/record.json"; else $jq -r "$2" "dest/job-$1/sallyport/record.json"; fi
}
run() { # run STATUS ENGINE ID
    expect "$1" "$sallyport" run c.yaml --to dest --record rec --id "$3" --proof "$2.proof"
}
await_container() {
    n=0
    while [ "$(docker ps -q | wc -l)" = 0 ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done
    sleep 0.5
}
for engine in docker podman; do
    eval "image=\$${engine}_image"
    contract $engine "$image" 'cat /target/in.txt /one/file.txt > a.txt; echo $GREETING; echo x > /tmp/t; echo x > /dev/shm/t; id' \
        'wall: 10s, scratch: 4M, inodes: 200, output: 1M'
    run 0 $engine "$engine-ok"
    same "$(cat "dest/job-$engine-ok/data/a.txt")" "data
data" "$engine: inputs are read, the scratch is promoted"
    has "dest/job-$engine-ok/data/log.txt" hello
    same "$(record "$engine-ok" .run.job.end)" exited "$engine: end"
    same "$(record "$engine-ok" .run.job.engine.version | cut -d, -f1)" $engine "$engine: the record names the engine"
    same "$(record "$engine-ok" .run.job.engine.image)" "$image" "$engine: the record names the image"
    case $(record "$engine-ok" .run.job.engine.flags) in
    *--network=none*--read-only*--cap-drop=ALL*) ;;
    *) fail "$engine: the flags are not in the record" ;;
    esac
    same "$(record "$engine-ok" '.run.stability')" quiesced "$engine: nothing could still write"
    # a status that is not accepted, and a signal
    contract $engine "$image" 'echo x > a.txt; exit 9' 'wall: 10s, scratch: 4M'
    run 6 $engine "$engine-nine"
    same "$(record "$engine-nine" '.run.job | "\(.end) \(.status)"')" "exited 9" "$engine: status"
    contract $engine "$image" 'echo x > a.txt; kill -9 $$' 'wall: 10s, scratch: 4M'
    run 6 $engine "$engine-kill"
    same "$(record "$engine-kill" '.run.job | "\(.end) \(.status)"')" "signalled 9" "$engine: signal"
    # the wall holds against a tree that leaves its session and ignores signals
    contract $engine "$image" 'trap "" TERM HUP INT; (trap "" TERM HUP; sleep 60) & echo x > a.txt; sleep 60' 'wall: 1s, scratch: 4M'
    from=$(date +%s)
    run 6 $engine "$engine-wall"
    [ $(($(date +%s) - from)) -lt 30 ] || fail "$engine: the wall limit did not hold"
    same "$(record "$engine-wall" .run.job.end)" timed-out "$engine: wall"
    # inodes, though podman has no option for them
    contract $engine "$image" 'i=0; while [ $i -lt 500 ] && touch f$i 2> /dev/null; do i=$((i + 1)); done; echo $i' \
        'wall: 30s, scratch: 4M, inodes: 200'
    run 0 $engine "$engine-inodes"
    [ "$(cat "dest/job-$engine-inodes/data/log.txt")" -lt 200 ] || fail "$engine: inodes"
    same "$(record "$engine-inodes" '.run.actions[] | select(.step == "job") | .detail')" \
        "ended with status 0, having met its limit of inodes" "$engine: the limit that was met"
    # what is not proven does not start
    contract $engine "$image" 'echo x > a.txt' 'wall: 10s, processes: 20'
    run 4 $engine "$engine-unproven"
    has err processes
done
contract docker "$docker_image" yes 'wall: 20s, scratch: 4M, output: 1M'
run 6 docker out
same "$(record out .run.job.end)" output-limit "output is counted and ends the job"
contract docker "$docker_image" 'dd if=/dev/zero of=big bs=1M count=60; echo x > a.txt' 'wall: 20s, memory: 24M, scratch: 100M'
run 6 docker memory
same "$(record memory .run.job.end)" memory-limit "the kernel kills for memory, and the record says so"
contract docker "$docker_image" 'echo x > a.txt' 'wall: 10s, scratch: 4M'
sed -i 's/\[sh, -c, .*\]/[\/no\/such\/program]/' c.yaml
run 6 docker nothing
has err "cannot be started in the container"
# interrupted: nothing is published, nothing is left
contract docker "$docker_image" 'echo x > a.txt; sleep 60' 'wall: 60s, scratch: 4M'
"$sallyport" run c.yaml --to dest --id stopped --proof docker.proof > out 2> err &
pid=$!
await_container
kill -TERM $pid
wait $pid
same $? 143 "interrupted"
absent dest/job-stopped
same "$(docker ps -aq | wc -l)" 0 "no container is left after an interruption"
# the broker is killed: the container ends by itself
"$sallyport" run c.yaml --to dest --id killed --proof docker.proof > out 2> err &
pid=$!
await_container
kill -KILL $pid
wait $pid
n=0
while [ "$(docker ps -q | wc -l)" != 0 ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done
same "$(docker ps -q | wc -l)" 0 "no container runs after the broker was killed"
contract docker "$docker_image" 'echo x > a.txt' 'wall: 60s, scratch: 4M'
run 0 docker next
same "$(docker ps -aq | wc -l)" 0 "the next run removes what was created and never started"
same "$(podman ps -aq | wc -l)" 0 "no container of podman is left"
same "$(docker volume ls -q | wc -l)" 0 "no volume is left"
# refused before anything starts
contract docker sp/bb:1 id 'wall: 10s'
run 2 docker unpinned
has err "must be pinned by digest"
contract docker "sp/bb@sha256:$(printf '%064d' 7)" id 'wall: 10s'
run 75 docker missing
has err "pull or build it first"
contract docker "$docker_image" id 'wall: 10s'
sed -i 's/at: \/target}/at: \/target, copy: true}/' c.yaml
run 2 docker copy
has err "built-in runner only"
contract docker "$docker_image" id 'wall: 10s'
expect 75 env DOCKER_HOST="unix://$work/nowhere" "$sallyport" run c.yaml --to dest --id away --proof docker.proof
has err "start its daemon"
# the client speaks of a daemon whose processes are not ours
cat > bin/docker <<C
#!/bin/sh
case " \$* " in
*" start "*) exec "$(command -v docker)" "\$@" ;;
esac
"$(command -v docker)" "\$@" > "$work/fake.out" 2>&1
status=\$?
sed 's/^\([0-9a-f]\{64\} true\) [0-9]* /\1 1234567 /' "$work/fake.out"
exit \$status
C
chmod 755 bin/docker
contract docker "$docker_image" id 'wall: 10s, scratch: 4M'
run 4 docker remote
has err "not on this host"
rm bin/docker
same "$(docker ps -aq | wc -l)" 0 "no container of a daemon elsewhere is left"
