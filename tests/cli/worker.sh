#!/bin/sh
# SPDX-License-Identifier: ISC
# A worker that dies, lies, opens a file or is stopped never leads to a promotion. The program runs beside workers that
# obey the file they inspect (tests/inspect/bad_worker.c); large files, so that lies arrive in the place of an answer.
. "$(dirname "$0")/common.sh"
mkdir bin s
cp "$sallyport" bin/sallyport
cp "$builddir/tests/bin/bad/sallyport-inspect" "$builddir/tests/bin/bad/sallyport-second" bin/
bad=$work/bin/sallyport
cat > c.yaml <<'C'
sallyport: 1
name: bad
outputs:
  - {glob: "*.txt", types: [text]}
  - {path: x.bin, types: [any-binary], reason: "test", optional: true}
C
file() { { echo "$1"; head -c 300000 /dev/zero | tr '\0' x; } > "s/$2"; }

# the workers of this test are good enough where the files are
file good a.txt
file good b.txt
expect 0 "$bad" promote c.yaml --from s --to d --id good
for word in die exit crash open garbage wrong-id early twice missing trailing uncounted foreign many descriptor evidence \
    parent; do
    file $word b.txt
    expect 1 "$bad" promote c.yaml --from s --to d --id "$word" --format json
    absent "d/bad-$word"
    same "$("$jq" -r '.content.entries[] | select(.path == "b.txt") | .verdict' out)" refuse "$word"
    same "$("$jq" -r '.content.entries[] | select(.path == "b.txt") | .findings[0].code' out)" inspect/crashed "$word"
    same "$("$jq" -r '.content.entries[] | select(.path == "a.txt") | .verdict' out)" promote "$word, its neighbour"
done

# the second reader: it may die, and it may know better
rm s/b.txt
file "binary die" x.bin
expect 1 "$bad" promote c.yaml --from s --to d --id second
file "binary elf" x.bin
expect 1 "$bad" promote c.yaml --from s --to d --id elf
has out "active/executable"
rm bin/sallyport-second
file binary x.bin
expect 1 "$bad" promote c.yaml --from s --to d --id none
has out "inspect/crashed"
rm s/x.bin

# the program of the first reader is stopped while a file is under way, or killed: it is replaced
file hang b.txt
for signal in STOP KILL; do
    "$bad" promote c.yaml --from s --to d --id stop > out 2> err &
    broker=$!
    sleep 0.5
    worker=$(pgrep -P $broker sallyport-inspe)
    kill -$signal "$worker" || fail "no worker to hurt"
    sleep 0.2
    absent d/bad-stop
    kill -TERM $broker
    wait $broker
    same $? 143 "interrupted while a worker hangs"
    absent d/bad-stop
    sleep 0.2
    kill -0 "$worker" 2> /dev/null && [ "$(ps -o stat= -p "$worker" | cut -c1)" != Z ] && fail "the worker outlived the program"
done

# what others can write to is not started, and without it nothing leaves
rm s/b.txt
chmod go+w bin/sallyport-inspect
expect 3 "$bad" promote c.yaml --from s --to d --id loose
has err "can be written by others"
absent d/bad-loose
finish
