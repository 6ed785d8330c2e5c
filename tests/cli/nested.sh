#!/bin/sh
# SPDX-License-Identifier: ISC
# The runner inside another sandbox: it works with every control proven, or refuses by name with a plan. Never a hang (each
# try has a bound), never less than was asked for.
. "$(dirname "$0")/common.sh"
program=$(dirname "$sallyport")
usable() { # usable NAME COMMAND...: can this sandbox be made here at all?
    name=$1
    shift
    "$@" true > /dev/null 2>&1 || { echo "not tried: $name cannot be made here"; return 1; }
}
cat > job.yaml <<'C'
sallyport: 1
name: job
run: {command: [sh, -c, 'echo x > a.txt'], limits: {wall: 30s, scratch: 4M, inodes: 100}}
outputs:
  - {path: a.txt, types: [text]}
C
refused() { # refused NAME SENTENCE COMMAND...: probe and run both name it, and nothing is published
    name=$1 sentence=$2
    shift 2
    for verb in probe "run --to d --id no"; do
        # shellcheck disable=SC2086 # a list of words
        expect 4 timeout 60 "$@" "${inside:-$sallyport}" $verb job.yaml
        same "$(cat out err | grep -cF -- "$sentence" | sed 's/^[1-9].*/some/')" some "$name: named by $verb"
    done
    absent "$work/d/job-no"
    [ ! -e "$work/root/work/d" ] || fail "$name: something was published"
}
works() { # works ID COMMAND...: proven and run
    id=$1
    shift
    expect 0 timeout 60 "$@" "$sallyport" run job.yaml --to d --id "$id"
    same "$(cat "$work/d/job-$id/data/a.txt" 2> /dev/null)" x "$id: the job's output"
    "$jq" -e '.run.controls | map(select(.state == "proven")) | length >= 9' "$work/d/job-$id/sallyport/record.json" > /dev/null ||
        fail "$id: proven"
}

# a user namespace, a sandbox of bubblewrap as an ordinary program of it, process and mount namespaces with a /proc of their own
if usable "a user namespace" unshare -Ur; then
    works userns unshare -Ur
    works young unshare -Urmpf --mount-proc
    # a chroot, where the kernel forbids user namespaces; and what a poor one lacks
    mkdir -p root/usr root/tmp root/proc root/dev root/etc root/sp root/work
    for l in bin sbin lib lib64; do ln -s usr/$l root/$l; done
    cp /etc/ld.so.cache root/etc/
    cp job.yaml root/work/
    cat > enter <<C
mount --bind /usr $work/root/usr && mount --bind $program $work/root/sp || exit 99
[ "\$1" = proc ] || mount --rbind /proc $work/root/proc || exit 99
[ "\$1" = dev ] || mount --rbind /dev $work/root/dev || exit 99
shift
exec chroot $work/root sh -c 'cd /work && exec "\$@"' sh "\$@"
C
    inside=/sp/$(basename "$sallyport")
    if usable "a chroot" unshare -Urm sh enter none; then
        refused chroot "in a chroot" unshare -Urm sh enter none
        refused "no /proc" "no /proc is mounted" unshare -Urm sh enter proc
        refused "no /dev" "/dev/null is not there" unshare -Urm sh enter dev
    fi
    inside=
    # an outer sandbox that hides parts of its /proc, as containers do
    cat > mask <<'C'
mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys || exit 99
exec "$@"
C
    if usable "a read-only /proc/sys" unshare -Urmpf --mount-proc sh mask; then
        refused masked "/proc/sys/user" unshare -Urmpf --mount-proc sh mask
    fi
    # a network without a loopback: nothing can be shown there
    refused "no loopback" "is the loopback of this network up?" unshare -Urn
fi
if command -v bwrap > /dev/null && usable bubblewrap bwrap --bind / / --dev /dev --unshare-user; then
    works bubblewrap unshare -Ur bwrap --bind / / --dev /dev --unshare-user --uid 1000 --gid 1000
fi
refused "forbidden namespaces" "forbids them" "${builddir:?}/tests/bin/no_userns"

# sallyport in its own box: no further user namespaces, and the inner one says so
cat > outer.yaml <<C
sallyport: 1
name: outer
run:
  command: [sh, -c, '/sp/sallyport run /in/job.yaml --to /scratch/d; echo "status \$?"; /sp/sallyport probe /in/job.yaml; echo "status \$?"']
  inputs:
    - {from: $program/sallyport, at: /sp/sallyport}
    - {from: $program/sallyport-inspect, at: /sp/sallyport-inspect}
    - {from: $program/sallyport-probe, at: /sp/sallyport-probe}
    - {from: in, at: /in}
  stdout: out.txt
  stderr: err.txt
  limits: {wall: 60s, scratch: 64M}
outputs:
  - {path: out.txt, types: [text]}
  - {path: err.txt, types: [text], optional: true}
C
mkdir in
cp job.yaml in/
"$sallyport" run outer.yaml --to d --id own > out 2> err
status=$?
checks=$((checks + 1))
if [ $status -eq 0 ]; then
    same "$(grep -c '^status 4$' d/outer-own/data/out.txt)" 2 "the inner run and probe refuse"
    has d/outer-own/data/err.txt "control missing: namespaces"
    has d/outer-own/data/err.txt "what would provide it"
elif [ $status -ne 4 ]; then
    fail "the outer run ended with $status"
    head -n 20 err
fi
finish
