# SPDX-License-Identifier: ISC
# Part of engines.sh: promote from containers of a real dockerd and of podman.
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
printf '#!/bin/sh\n"%s" "$@" | sed "s/^\\(state [0-9a-f]* true\\) .*/\\1 0/"\n' "$(command -v docker)" > bin/docker
chmod 755 bin/docker
PATH=$work/bin:$PATH
expect 3 "$sallyport" promote c.yaml --from docker:sp-run:/scratch --to d --id seven
has err "lies on a tmpfs"
expect 0 "$sallyport" promote c.yaml --from docker:sp-run:/plain --to d --id eight
same "$(cat d/from-eight/data/report.txt)" in-layer "the stream of a running container"
podman run -d --name sp-pod --network none --ulimit nofile=20000:20000 --ulimit nproc=9000:9000 --tmpfs /scratch:rw,size=4m sp/bb:1 \
    sh -c 'echo in-pod > /scratch/report.txt; sleep 600' > pod.out 2>&1 || { fail "podman run"; cat pod.out; }
sleep 0.5
expect 0 "$sallyport" promote c.yaml --from podman:sp-pod:/scratch --to d --id nine
same "$(cat d/from-nine/data/report.txt)" in-pod "a tmpfs of a podman container"
# the ordinary client again
rm bin/docker
docker rm -f sp-run sp-stopped > /dev/null
podman rm -f sp-pod > pod.out 2>&1
