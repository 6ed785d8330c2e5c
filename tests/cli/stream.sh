#!/bin/sh
# SPDX-License-Identifier: ISC
# The tar stream source: spooled, read by a confined child, all or nothing.
. "$(dirname "$0")/common.sh"
mkdir -p t/out/sub
echo hello > t/out/a.txt
echo deep > t/out/sub/b.txt
tar -C t -cf good.tar out
take="--take **/*.txt=text"
promote() { # promote STATUS ID ARGS...
    want=$1 id=$2
    shift 2
    # shellcheck disable=SC2086 # words on purpose
    expect "$want" "$sallyport" promote $take --to d --id "$id" "$@"
}
set -f
promote 0 one --from - --root out < good.tar
same "$(cat d/take-one/data/a.txt d/take-one/data/sub/b.txt)" "hello
deep" "payload of a stream"
expect 0 "$sallyport" verify d/take-one
same "$("$jq" -r .run.stability d/take-one/sallyport/record.json)" remote-unverifiable "stability of a stream"
promote 0 two --from - < good.tar
same "$(cat d/take-two/data/out/a.txt)" hello "without --root"
# the command we run ourselves: its status counts
promote 0 three --from - --root out -- tar -C t -cf - out
promote 1 four --from - --root out -- sh -c 'tar -C t -cf - out; exit 3'
has out "status 3"
absent d/take-four
promote 1 five --from - -- /nonexistent/program
absent d/take-five
# a stream that is cut, followed by something, or outside of the root
head -c 1500 good.tar > cut.tar
promote 1 six --from - --root out < cut.tar
absent d/take-six
{ cat good.tar; echo trailing; } > more.tar
promote 1 seven --from - --root out < more.tar
absent d/take-seven
mkdir t/out2
echo evil > t/out2/c.txt
tar -C t -cf both.tar out out2
promote 1 eight --from - --root out < both.tar
has out "outside of the requested root"
absent d/take-eight
# a link in the stream
ln -s /etc/passwd t/out/l.txt
tar -C t -cf link.tar out
promote 1 nine --from - --root out < link.tar
has out l.txt
absent d/take-nine
: > empty
promote 1 ten --from - < empty
promote 2 eleven --from t --root out
set +f
finish
