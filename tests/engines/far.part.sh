# SPDX-License-Identifier: ISC
# Part of engines.sh: jobs where the daemon is elsewhere or may not be looked into: a dockerd in namespaces of its own, by socket
# and by port; a user of the group docker; rootless podman. The agent alone runs them, and what it sends is a hostile stream.
far_up
here_host=$DOCKER_HOST
DOCKER_HOST=$far_host
mkdir fardir
cd fardir || exit 1
mkdir src
echo data > src/in.txt
cat > src/hostile.sh <<'H'
kill -9 1; kill -STOP 1; kill -TERM -1 2> /dev/null
for n in 0 1 2 3 4 5; do printf forged > /proc/1/fd/$n; done 2> /dev/null
cat /proc/1/mem /proc/1/environ > stolen 2> /dev/null
# an end, a listing and a file, as the agent would frame them
printf '\010\000\000\000\005\000\000\000\001\000\000\000\000\000\000\000'
printf '\020\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
(trap '' TERM HUP INT; sleep 600 & exec sleep 600 > open.txt) &
(trap '' TERM HUP INT; while :; do echo more >> growing.txt; done) &
sleep 0.2
ln -s /etc/passwd link.txt; ln -s . loop; mkfifo fifo.txt
echo one > hard-1.txt; ln hard-1.txt hard-2.txt
printf 'x' > "$(printf 'bad\033name.txt')"
mkdir -p deep/er; echo deep > deep/er/x.txt
echo a > a.txt
H
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
run() { # run STATUS PROOF ID
    expect "$1" "$sallyport" run c.yaml --to dest --record rec --id "$3" --proof "$2.proof"
}
clean() { # clean WHEN: nothing of ours is left in the daemon
    same "$(docker ps -aq | wc -l) $(docker volume ls -q | wc -l)" "0 0" "$1: no container and no volume is left"
}
contract docker "$far_image" id 'wall: 10s, scratch: 4M, output: 1M'
expect 0 "$sallyport" probe --in docker:sp/bb:1 --format json --save far.proof c.yaml
cp out far.json
same "$($jq -r '.base' far.json | cut -d: -f1)" "docker, elsewhere" "the daemon is found to be elsewhere"
# shellcheck disable=SC2086 # a list of words
held far.json $(echo $rows | sed 's/input-socket//; s/input-fifo//; s/input-lock//; s/inodes//') resolve host-name kill-all pidfd setuid
same "$($jq -r '[.probes[] | select(.verdict != "HELD") | select(.required)] | length' far.json)" 0 "what is not held is not required"
clean "after the probes"
# a job, its inputs, its output
contract docker "$far_image" 'cat /target/in.txt /one/file.txt > a.txt; echo $GREETING; echo x > /tmp/t; echo x > /dev/shm/t' \
    'wall: 10s, scratch: 4M, output: 1M'
run 0 far ok
same "$(cat dest/job-ok/data/a.txt)" "data
data" "elsewhere: inputs are read, the scratch is promoted"
same "$(cat dest/job-ok/data/log.txt)" hello "elsewhere: the output is captured"
same "$(record ok .run.stability)" remote-unverifiable "elsewhere: nobody here saw it at rest"
same "$(record ok '.run.actions[] | select(.step == "elsewhere") | .detail' | cut -d: -f1)" "as the saved proof says" "the record says so"
same "$(record ok '[.content.entries[].path] | join(" ")')" ".shm/t .tmp/t a.txt log.txt" "what the job left in /tmp is listed"
clean "after a job"
DOCKER_HOST=$far_tcp
run 0 far tcp
same "$(cat dest/job-tcp/data/log.txt)" hello "by a port"
DOCKER_HOST=$far_host
# what a hostile job tries
contract docker "$far_image" '. /target/hostile.sh' 'wall: 20s, scratch: 4M, output: 1M'
sed -i 's/^  - {path: log.txt.*/  - {glob: "*.txt", types: [text], count: 0..50}\n  - {glob: "deep\/**", types: [text], count: 0..9}\npartial: true/' c.yaml
run 7 far hostile
same "$(record hostile '.run.job | "\(.end) \(.status)"')" "exited 0" "no forged end counts"
same "$(record hostile '[.content.entries[] | select(.verdict == "promote") | .path] | join(" ")' | tr ' ' '\n' | grep -v growing | tr '\n' ' ')" \
    "a.txt deep/er/x.txt open.txt " "what is promoted of a hostile job" || record hostile .content.entries[].path
for name in link.txt fifo.txt hard-1.txt hard-2.txt; do
    same "$(record hostile ".content.entries[] | select(.path == \"$name\") | .verdict")" refuse "hostile: $name"
done
same "$(record hostile '.content.entries[] | select(.path | startswith("bad")) | .findings[0].code')" name/unsafe "hostile: a bad name"
absent dest/job-hostile/data/link.txt
clean "after a hostile job"
# a job finds its signals as usual, and gives its files any time
contract docker "$far_image" 'while read -r key value; do [ "$key" != SigIgn: ] || echo "$value"; done < /proc/self/status > a.txt; touch -d @99999999999999 far.txt' \
    'wall: 10s, scratch: 4M'
run 0 far usual
same "$(cut -c 13 dest/job-usual/data/a.txt)" 0 "elsewhere: SIGPIPE is not ignored in the job"
# ends
contract docker "$far_image" 'echo x > a.txt; exit 9' 'wall: 10s, scratch: 4M'
run 6 far nine
same "$(record nine '.run.job | "\(.end) \(.status)"')" "exited 9" "elsewhere: status"
contract docker "$far_image" 'trap "" TERM HUP INT; (trap "" TERM HUP; sleep 60) & echo x > a.txt; sleep 60' 'wall: 1s, scratch: 4M'
run 6 far wall
same "$(record wall .run.job.end)" timed-out "elsewhere: wall"
same "$(record wall '.content.entries[] | select(.path == "a.txt") | .verdict')" promote "elsewhere: outputs of a late job are inspected"
contract docker "$far_image" yes 'wall: 20s, scratch: 4M, output: 1M'
run 6 far out
same "$(record out '.run.job | "\(.end) \(.stdout_bytes)"')" "output-limit 1048576" "elsewhere: output"
contract docker "$far_image" 'dd if=/dev/zero of=big bs=1M count=60; echo full > a.txt; exit 0' 'wall: 20s, scratch: 4M'
run 0 far full
same "$(record full '[.content.entries[] | "\(.path) \(.verdict)"] | join(",")')" "a.txt promote,big unlisted,log.txt promote" "elsewhere: a full scratch"
contract docker "$far_image" id 'wall: 10s, scratch: 4M'
sed -i 's/\[sh, -c, .*\]/[\/no\/such\/program]/' c.yaml
run 6 far nothing
has err "cannot be started in the container"
contract docker "$far_image" id 'wall: 10s'
sed -i 's/at: \/one\/file.txt/at: \/file.txt/' c.yaml
run 2 far single
has err "a directory of its own"
contract docker "$far_image" 'echo x > a.txt; sleep 60' 'wall: 60s, scratch: 4M'
"$sallyport" run c.yaml --to dest --record rec --id dead --proof far.proof > out 2> err &
pid=$!
await_container
docker kill "$(docker ps -q)" > /dev/null
wait $pid
same $? 6 "the container is killed by somebody else"
same "$(record dead '[.run.job.end, (.content.findings[] | .code)] | join(" ")')" "signalled file/unreadable file/writer-open" "and its scratch is none"
"$sallyport" run c.yaml --to dest --id stopped --proof far.proof > out 2> err &
pid=$!
await_container
kill -TERM $pid
wait $pid
same $? 143 "elsewhere: interrupted"
clean "after an interruption"
"$sallyport" run c.yaml --to dest --id killed --proof far.proof > out 2> err &
pid=$!
await_container
kill -KILL $pid
wait $pid
n=0
while [ "$(docker ps -q | wc -l)" != 0 ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done
same "$(docker ps -q | wc -l)" 0 "elsewhere: no container runs after the broker was killed"
contract docker "$far_image" yes 'wall: 60s, scratch: 4M'
"$sallyport" run c.yaml --to dest --id flooded --proof far.proof > out 2> err &
pid=$!
await_container
kill -KILL $pid
wait $pid
n=0
while [ "$(docker ps -q | wc -l)" != 0 ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done
same "$(docker ps -q | wc -l)" 0 "elsewhere: nor one whose job floods it"
contract docker "$far_image" 'dd if=/dev/zero bs=1000 count=2000 2> /dev/null | tr "\000" a > a.txt' 'wall: 60s, scratch: 4M'
run 0 far next
clean "the next run removes what a dead broker left"
# a stream that breaks off, is changed, goes on too long, or is none: whole or nothing
cat > filter.py <<'P'
import os, sys
how, done = sys.argv[1], 0
if how == "none":
    os.write(1, b"this is no frame of any agent" * 9)
while True:
    block = os.read(0, 65536)
    if not block:
        break
    if how == "cut" and done + len(block) > 900000:
        os.write(1, block[: 900000 - done])
        break
    if how == "changed" and done > 900000: # a length, an order: whatever stands here
        block = b"\0\1\2\3" * (len(block) // 4)
    os.write(1, block)
    done += len(block)
P
true_docker=$(PATH=${PATH#"$work/bin:"} command -v docker)
for how in cut changed none; do
    cat > ../bin/docker <<C
#!/bin/sh
case " \$* " in
*" start "*) "$true_docker" "\$@" | python3 $work/fardir/filter.py $how ;;
*) exec "$true_docker" "\$@" ;;
esac
C
    chmod 755 ../bin/docker
    case $how in
    none) expect 4 "$sallyport" run c.yaml --to dest --id cut --proof far.proof && has err "none of its agent" ;;
    *) expect 1 "$sallyport" run c.yaml --to dest --id cut --proof far.proof && has out file/unreadable ;;
    esac
    absent dest/job-cut
    rm ../bin/docker
done
docker ps -aq | xargs -r docker rm -f > /dev/null
clean "after broken streams"
# promote from such a daemon: its copy command is a stream; a tmpfs is refused by name
cat > from.yaml <<'C'
sallyport: 1
name: from
outputs:
  - {path: report.txt, types: [text]}
C
docker run -d --name sp-run --network none --tmpfs /scratch:rw,size=4m sp/bb:1 sh -c \
    'echo in-tmpfs > /scratch/report.txt; mkdir /plain; echo in-layer > /plain/report.txt; sleep 600' > /dev/null
sleep 0.5
expect 3 "$sallyport" promote from.yaml --from docker:sp-run:/scratch --to d --id one
has err "lies on a tmpfs"
expect 0 "$sallyport" promote from.yaml --from docker:sp-run:/plain --to d --id two
same "$(cat d/from-two/data/report.txt)" in-layer "the layer of a container elsewhere"
docker rm -f sp-run > /dev/null
# users without root; their programs are copies, which they can reach whatever this tree's directory is
chgrp 4242 ../far/socket
chmod 660 ../far/socket
chmod 711 .. ../far
mkdir user user/bin
cp "$(dirname "$sallyport")"/sallyport "$(dirname "$sallyport")"/sallyport-* user/bin
chown -R 4243 user
chown -R 0 user/bin
sed 's/"uid":0/"uid":4243/' far.proof > user/user.proof # what is proven above is the same for this one
contract docker "$far_image" 'cat /target/in.txt; echo x > a.txt' 'wall: 10s, scratch: 4M, output: 1M'
user() { # user GROUP ID
    setpriv --reuid=4243 --regid=4243 --groups="$1" env "HOME=$work/fardir/user" user/bin/sallyport run c.yaml --to user/dest --id "$2" \
        --proof user/user.proof
}
chmod 644 user/user.proof
expect 0 user 4242 group
same "$(cat user/dest/job-group/data/log.txt)" data "a user of the group docker"
same "$($jq -r .run.stability user/dest/job-group/sallyport/record.json)" remote-unverifiable \
    "a user may not look into it"
expect 75 user 4243 nobody
clean "after a user's job"
# rootless podman, with a user and its range of ids that only this mount namespace knows
if command -v newuidmap > /dev/null; then
    rl=$work/fardir/rl
    mkdir -p "$rl/run" "$rl/bin"
    cp ../bb.tar c.yaml "$rl"
    cp -r src "$rl"
    (cat /etc/passwd && echo "sprootless:x:4244:4244::$rl:/bin/sh") > rl.passwd
    echo sprootless:231072:65536 > rl.sub
    cat > "$rl/bin/podman" <<P
#!/bin/sh
exec $(PATH=${PATH#"$work/bin:"} command -v podman) --root $rl/store --runroot $rl/run/r --tmpdir $rl/run/t --runtime runc --cgroup-manager cgroupfs \
    --events-backend file --storage-driver vfs "\$@"
P
    cat > "$rl/go.sh" <<P
cd $rl || exit 9
podman import bb.tar sp/bb:1 || exit 9
id=\$(podman image inspect --format '{{.Id}}' localhost/sp/bb:1)
sed "s|engine: docker|engine: podman|; s|image: .*|image: localhost/sp/bb@\$(podman image inspect --format '{{.Digest}}' localhost/sp/bb:1)|; s/scratch: 4M/scratch: 4M, inodes: 99/" c.yaml > r.yaml
sed "s|\"base\":\"[^\"]*\"|\"base\":\"podman, elsewhere: image sha256:\$id\"|; s/\"uid\":0/\"uid\":4244/" $work/fardir/far.proof > p
$jq -c '.probes += [{"control": "inodes", "how": "", "name": "inodes", "required": true, "verdict": "HELD"}]' p > r.proof
$work/fardir/user/bin/sallyport run r.yaml --to dest --id rootless --proof r.proof
rc=\$?
podman ps -aq
podman volume ls -q
exit \$rc
P
    chmod 755 "$rl/bin/podman"
    chmod 711 .
    chown -R 4244:4244 "$rl"
    expect 0 unshare -m --propagation private sh -c "mount --bind rl.passwd /etc/passwd && mount --bind rl.sub /etc/subuid &&
        mount --bind rl.sub /etc/subgid && exec setpriv --reuid=4244 --regid=4244 --clear-groups env -i HOME=$rl XDG_RUNTIME_DIR=$rl/run \
        PATH=$rl/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh $rl/go.sh"
    same "$(cat "$rl/dest/job-rootless/data/log.txt")" data "rootless podman"
    same "$($jq -r '.run.job.engine.version' "$rl/dest/job-rootless/sallyport/record.json" | cut -d, -f1)" podman "by podman"
else
    echo "far: rootless podman: NOT RUN: newuidmap is missing (package uidmap)"
fi
DOCKER_HOST=$here_host
cd .. || exit 1
