#!/bin/sh
# SPDX-License-Identifier: ISC
# FILES files by WORKERS workers of GNU parallel, joined into one bag, and compared with a single run.
set -eu
sallyport=${SALLYPORT:?the program}
files=${FILES:-2000} workers=${WORKERS:-4}
command -v parallel > /dev/null || { echo "parallel is missing: install parallel"; exit 1; }
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
cat > c.yaml <<'C'
sallyport: 1
name: scale
outputs: [{glob: "**/*.txt", types: [text], count: 1..100000}]
limits: {files: 100000, visited: 200000}
C
mkdir s
seq "$files" | awk '{ d = "s/" $1 % 100; if (!seen[d]++) system("mkdir -p " d); print "file " $1 > (d "/" $1 ".txt"); close(d "/" $1 ".txt") }'
seq "$workers" | parallel -j "$workers" "$sallyport promote c.yaml --from s --to parts --id job-{} --shard {}/$workers -q > log.{}"
set --
for k in $(seq "$workers"); do set -- "$@" --from "bag:parts/scale-job-$k"; done
"$sallyport" promote c.yaml "$@" --to dest --id job -q > log.joined
"$sallyport" promote c.yaml --from s --to single --id job -q > log.single
cmp dest/scale-job/manifest-sha256.txt single/scale-job/manifest-sha256.txt
"$sallyport" verify dest/scale-job
echo "$(wc -l < dest/scale-job/manifest-sha256.txt) files by $workers workers: the joined bag is that of a single run"
