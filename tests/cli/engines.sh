#!/bin/sh
# SPDX-License-Identifier: ISC
# make check-engines: promote from containers of a real dockerd and of podman. dockerd runs in network and mount namespaces
# of its own, with all it keeps in one directory; nothing of it stays on the host. Needs root, docker.io, podman, runc and
# busybox-static.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || { echo "engines: root is needed"; exit 1; }
for tool in dockerd docker podman runc busybox; do
    command -v $tool > /dev/null || { echo "engines: $tool is missing: install docker.io, podman, runc, busybox-static"; exit 1; }
done
d=$work/docker
mkdir -p "$d" rootfs/bin rootfs/etc
cat > "$d/config.json" <<J
{"data-root": "$d/data", "exec-root": "$d/exec", "pidfile": "$d/pid", "hosts": ["unix://$d/socket"], "bridge": "none",
 "iptables": false, "ip-forward": false}
J
unshare -n -m --propagation private dockerd --config-file "$d/config.json" > "$d/log" 2>&1 &
pod="podman --root $work/pod/store --runroot $work/pod/run --tmpdir $work/pod/tmp --runtime runc --cgroup-manager cgroupfs --events-backend file"
cleanup() {
    docker rm -f sp-run sp-stopped > /dev/null 2>&1
    $pod rm -f sp-pod > /dev/null 2>&1
    [ -s "$d/pid" ] && kill "$(cat "$d/pid")"
    wait
    for group in /sys/fs/cgroup/docker /sys/fs/cgroup/*/docker /sys/fs/cgroup/libpod_parent /sys/fs/cgroup/*/libpod_parent; do
        [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2> /dev/null
    done
    umount "$work"/pod/store/overlay 2> /dev/null
    rm -rf "$work"
}
trap cleanup EXIT
DOCKER_HOST=unix://$d/socket
export DOCKER_HOST
n=0
while ! docker version > /dev/null 2>&1; do
    n=$((n + 1))
    [ $n -lt 100 ] || { echo "dockerd did not start"; tail -n 5 "$d/log"; exit 1; }
    sleep 0.1
done
cp "$(command -v busybox)" rootfs/bin/busybox
for a in sh sleep cat mkdir ln echo; do ln -s busybox rootfs/bin/$a; done
echo 'nobody:x:65534:65534::/:/bin/sh' > rootfs/etc/passwd
tar -C rootfs -cf bb.tar .
docker import bb.tar sp/bb:1 > /dev/null || exit 1
cat > c.yaml <<'C'
sallyport: 1
name: from
outputs:
  - {path: report.txt, types: [text]}
C
docker run -d --name sp-run --network none --tmpfs /scratch:rw,size=4m sp/bb:1 sh -c \
    'echo in-tmpfs > /scratch/report.txt; mkdir /plain; echo in-layer > /plain/report.txt; ln -s /plain /link; sleep 600' > /dev/null
docker run --name sp-stopped --network none sp/bb:1 sh -c 'mkdir /out; echo stopped > /out/report.txt' > /dev/null
sleep 0.5
expect 0 "$sallyport" promote c.yaml --from docker:sp-run:/scratch --to d --id one
same "$(cat d/from-one/data/report.txt)" in-tmpfs "a tmpfs of a running container"
expect 0 "$sallyport" promote c.yaml --from docker:sp-run:/plain --to d --id two
same "$(cat d/from-two/data/report.txt)" in-layer "the layer of a running container"
expect 0 "$sallyport" promote c.yaml --from docker:sp-stopped:/out --to d --id three
same "$(cat d/from-three/data/report.txt)" stopped "a stopped container"
expect 3 "$sallyport" promote c.yaml --from docker:sp-run:/link --to d --id four
has err "without following a link"
absent d/from-four
expect 75 "$sallyport" promote c.yaml --from docker:sp-none:/out --to d --id five
has err "does not know the container"
expect 2 "$sallyport" promote c.yaml --from docker:sp-run:out --to d --id six
expect 2 "$sallyport" promote c.yaml --from docker:--help:/out --to d --id six
# the client sees a daemon whose processes are not ours: a tmpfs must not turn into "there is nothing"
mkdir bin
printf '#!/bin/sh\n"%s" "$@" | sed "s/^\\(state [0-9a-f]* true\\) .*/\\1 0/"\n' "$(command -v docker)" > bin/docker
printf '#!/bin/sh\nexec %s "$@"\n' "$pod" | sed "s|exec podman|exec $(command -v podman)|" > bin/podman
chmod 755 bin/docker bin/podman
PATH=$work/bin:$PATH
expect 3 "$sallyport" promote c.yaml --from docker:sp-run:/scratch --to d --id seven
has err "lies on a tmpfs"
expect 0 "$sallyport" promote c.yaml --from docker:sp-run:/plain --to d --id eight
same "$(cat d/from-eight/data/report.txt)" in-layer "the stream of a running container"
podman import bb.tar sp/bb:1 > pod.out 2>&1 || fail "podman import"
podman run -d --name sp-pod --network none --ulimit nofile=20000:20000 --ulimit nproc=9000:9000 --tmpfs /scratch:rw,size=4m sp/bb:1 \
    sh -c 'echo in-pod > /scratch/report.txt; sleep 600' > pod.out 2>&1 || { fail "podman run"; cat pod.out; }
sleep 0.5
expect 0 "$sallyport" promote c.yaml --from podman:sp-pod:/scratch --to d --id nine
same "$(cat d/from-nine/data/report.txt)" in-pod "a tmpfs of a podman container"
finish
