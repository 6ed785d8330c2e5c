# SPDX-License-Identifier: ISC
# Part of engines.sh: every control of a container, each against its mutant; and the common command line, broken where it is broken.
cat > c.yaml <<'C'
sallyport: 1
name: engine
run: {command: [id], limits: {wall: 10s, memory: 64M, scratch: 4M, inodes: 200, file: 1M, output: 1M}}
outputs:
  - {path: a.txt, types: [text]}
C
sed 's/ memory: 64M,//; s/ file: 1M,//' c.yaml > pod.yaml
sed 's/limits: .*/limits: {wall: 10s, scratch: 4M, output: 1M}}/' c.yaml > plain.yaml
held() { # held FILE NAME...: these rows are HELD
    file=$1
    shift
    for row in "$@"; do same "$($jq -r --arg n "$row" '.probes[] | select(.name == $n) | .verdict' "$file")" HELD "$row"; done
}
rows="tcp4 tcp6 udp4 udp6 abstract hosts metadata metadata6 raw vsock input-write input-meta input-remount input-socket
input-fifo input-lock scratch-only proc signal sockets environment descriptors capabilities no-new-privs namespace ptrace
keyring io-uring vm-read i386 x32 wall daemon host-snapshot scratch-size inodes output"
expect 0 $inside "$sallyport" probe --in docker:sp/bb:1 --format json --save docker.proof c.yaml
cp out docker.json
# shellcheck disable=SC2086 # a list of words
held docker.json $rows file-size memory-anon memory-memfd memory-shared memory-sysv
same "$($jq -r '.proven' docker.json)" true "docker is proven"
expect 0 "$sallyport" probe --in podman:localhost/sp/bb:1 --format json --save podman.proof pod.yaml
cp out podman.json
# shellcheck disable=SC2086
held podman.json $rows
# the common line: the holes that were measured, each by its probe
expect 4 $inside "$sallyport" probe --plain --in docker:sp/bb:1 --format json plain.yaml
cp out plain.json
broken() { # broken NAME VERDICT
    same "$($jq -r --arg n "$1" '.probes[] | select(.name == $n) | .verdict' plain.json)" "$2" "plain: $1"
}
broken input-socket BROKEN
broken input-fifo BROKEN
broken input-lock BROKEN
broken output BROKEN
broken wall BROKEN
broken daemon BROKEN
broken proc BROKEN
broken scratch-size INSTRUMENT-BROKEN # its scratch cannot be written by the job's user
broken no-new-privs HELD
broken tcp4 HELD
same "$($jq -r .proven plain.json)" false "the common line is not proven"
# a proof is of one image in one engine
cat > run.yaml <<C
sallyport: 1
name: proven
run: {command: [sh, -c, "echo hi > a.txt"], engine: docker, image: $docker_image, limits: {wall: 10s, scratch: 4M, file: 1M, output: 1M}}
outputs:
  - {path: a.txt, types: [text]}
C
expect 0 "$sallyport" run run.yaml --to dest --id one --proof docker.proof
same "$(cat dest/proven-one/data/a.txt)" hi "a job with a saved proof"
sed 's/engine: docker, image: [^,]*/engine: builtin/; s/sh, -c/\/bin\/sh, -c/' run.yaml > builtin.yaml
expect 4 "$sallyport" run builtin.yaml --to dest --id two --proof docker.proof
has err "another sandbox"
expect 2 "$sallyport" probe --plain
expect 2 "$sallyport" probe --in lxc:thing
expect 75 "$sallyport" probe --in docker:no/such:image
has err "pull or build it first"
