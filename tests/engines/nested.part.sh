# SPDX-License-Identifier: ISC
# Part of engines.sh: sallyport as a program of a container. Where the container allows what a box needs, every control is
# proven and the job runs; anywhere else both verbs refuse and name what is missing.
mkdir -p nest/usr nest/tmp nest/proc nest/sys nest/dev nest/etc nest/sp nest/in
chmod 1777 nest/tmp
for l in bin sbin lib lib64; do ln -s usr/$l nest/$l; done
cp /etc/ld.so.cache nest/etc/
echo 'nobody:x:65534:65534::/:/bin/sh' > nest/etc/passwd
tar -C nest -cf nest.tar .
docker import nest.tar sp/nest:1 > /dev/null
podman import nest.tar sp/nest:1 > /dev/null 2>&1
mkdir in
cat > in/job.yaml <<'C'
sallyport: 1
name: job
run: {command: [sh, -c, 'echo x > a.txt'], limits: {wall: 30s, scratch: 4M}}
outputs:
  - {path: a.txt, types: [text]}
C
program=$(dirname "$sallyport")
chmod 755 "$work" in
inner='cd /tmp; timeout 60 /sp/sallyport probe /in/job.yaml; echo "probe $?"; timeout 60 /sp/sallyport run /in/job.yaml --to d --id one; echo "run $?"; cat d/job-one/data/a.txt 2> /dev/null'
within() { # within CLIENT IMAGE OPTION...
    client=$1 image=$2
    shift 2
    # shellcheck disable=SC2086 # the client may be two words
    timeout 200 $client run --rm --network none --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 -v /usr:/usr:ro \
        -v "$program:/sp:ro" -v "$work/in:/in:ro" "$@" "$image" sh -c "$inner" > out 2> err
}
refuses() { # refuses NAME SENTENCE CLIENT IMAGE OPTION...
    name=$1 sentence=$2
    shift 2
    within "$@"
    same "$(grep -E '^(probe|run) [0-9]+$' out | tr '\n' ' ')" "probe 4 run 4 " "$name"
    has out "$sentence"
    has err "control missing: "
    has err "$sentence"
    has err "what would provide it"
}
works_in() { # works_in NAME CLIENT IMAGE OPTION...
    name=$1
    shift
    within "$@"
    same "$(grep -E '^(probe|run) [0-9]+$|^x$' out | tr '\n' ' ')" "probe 0 run 0 x " "$name"
    hasnt out BROKEN
}
refuses "docker as it is, root" "a container's root may not" docker sp/nest:1
refuses "docker as it is, a user" "forbids them" docker sp/nest:1 --user 65534
refuses "docker, hardened" "forbids them" docker sp/nest:1 --user 65534 --security-opt no-new-privileges --cap-drop ALL --read-only --tmpfs /tmp
refuses "docker without its filter" "/proc/sys/user" docker sp/nest:1 --user 65534 --security-opt seccomp=unconfined
works_in "docker with what the plan says" docker sp/nest:1 --user 65534 --security-opt seccomp=unconfined --security-opt systempaths=unconfined
refuses "podman as it is, root" "a container's root may not" podman localhost/sp/nest:1
refuses "podman as it is, a user" "/proc/sys/user" podman localhost/sp/nest:1 --user 65534
works_in "podman with what the plan says" podman localhost/sp/nest:1 --user 65534 --security-opt unmask=ALL --security-opt seccomp=unconfined
