# SPDX-License-Identifier: ISC
# Shared by the two that run for real: FILES files in 100 directories, and a joined bag held against that of a single run.
set -eu
sallyport=${SALLYPORT:?the program}
jq=${JQ:-jq}
files=${FILES:-2000} workers=${WORKERS:-16}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
cat > c.yaml <<'C'
sallyport: 1
name: scale
outputs: [{glob: "**/*.txt", types: [text], count: 1..100000}]
limits: {files: 100000, visited: 200000}
C
seq 0 99 | sed 's,^,s/,' | xargs mkdir -p
seq "$files" | awk '{ f = "s/" $1 % 100 "/" $1 ".txt"; print "file " $1 > f; close(f) }'

content() { "$jq" -cS '.content | {decision, entries, totals: (.totals | del(.visited))}' "$1/sallyport/record.json"; }

# join PART...: everything that the bag promises is that of a single run; only where it came from differs.
join() {
    set -- $(for part in "$@"; do echo --from "bag:$part"; done)
    "$sallyport" promote c.yaml "$@" --to dest --id job -q > log.joined
    "$sallyport" promote c.yaml --from s --to single --id job -q > log.single
    cmp dest/scale-job/manifest-sha256.txt single/scale-job/manifest-sha256.txt
    cmp dest/scale-job/sallyport/manifest-xxh128.txt single/scale-job/sallyport/manifest-xxh128.txt
    content dest/scale-job > joined.json
    content single/scale-job > single.json
    cmp joined.json single.json
    [ "$("$jq" '.content.source.parts | length' dest/scale-job/sallyport/record.json)" -eq "$workers" ]
    "$sallyport" verify dest/scale-job
    [ "$(wc -l < dest/scale-job/manifest-sha256.txt)" -eq "$files" ]
    echo "$files files by $workers workers: the joined bag is that of a single run"
}
