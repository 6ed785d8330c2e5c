#!/bin/sh
# SPDX-License-Identifier: ISC
# Killed at any point: the final name is absent or a whole, verifying bag, and the next run clears what was left. Points
# are system calls of a real run, KILL_POINTS of them (20; 50 in the full mode) spread evenly, and every rename. The same for a tree: all or none.
. "$(dirname "$0")/common.sh"
points=${KILL_POINTS:-20}
strace=${STRACE:-strace}
if ! "$strace" -o /dev/null true 2>/dev/null; then
    echo "NOT RUN: strace cannot trace here"
    [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && exit 1
    exit 77
fi
cat > c.yaml <<'C'
sallyport: 1
name: killed
outputs: [{glob: "**/*.txt", types: [text]}]
C
mkdir -p s/d/e
for i in 1 2 3 4 5 6 7 8 9; do
    echo "file $i" > "s/d/$i.txt"
    echo "deep $i" > "s/d/e/$i.txt"
done
(cd s && find . -type f | sort | xargs sha256sum) > want.sums

# calls DEST-OPTION DEST > calls: "NAME COUNT" of the points at which to kill, from a traced run.
# The first call that touches the destination starts the spread: before it there is nothing to break.
calls() {
    "$strace" -qq -o trace "$sallyport" promote c.yaml --from s "$@" > /dev/null 2>&1 || fail "the traced run"
    awk -F'(' -v points="$points" '
        { name = $1; sub(/^.* /, "", name) }
        name !~ /^[a-z0-9_]+$/ || name == "exit_group" || name == "execve" { next }
        { seen[name]++ }
        /^mkdir/ { started = 1 }
        started { all[n++] = name " " seen[name]; if (name ~ /^rename|^unlink|sync/) special[name " " seen[name]] = 1 }
        END {
            step = n > points ? n / points : 1
            for (i = 0; i < n; i += step) chosen[all[int(i)]] = 1
            for (s in special) if (++many <= points) chosen[s] = 1
            for (i = 0; i < n; i++) if (all[i] in chosen) print all[i]
        }' trace > calls
}

kill_at() { # NAME COUNT, then the options
    name=$1 count=$2
    shift 2
    "$strace" -qq -o /dev/null -e trace="$name" -e inject="$name:signal=KILL:when=$count" \
        "$sallyport" promote c.yaml --from s "$@" > killed.out 2>&1
    [ $? -eq 0 ] || killed=$((killed + 1))
}

leftovers() {
    find "$1" -maxdepth 1 -name '.sallyport-*' | wc -l
}

calls --to d0 --id x
killed=0 whole=0 tried=0
while read -r name count; do
    tried=$((tried + 1))
    rm -rf d
    kill_at "$name" "$count" --to d --id x
    if [ -e d/killed-x ]; then
        whole=$((whole + 1))
        expect 0 "$sallyport" verify d/killed-x
    fi
    expect 0 "$sallyport" promote c.yaml --from s --to d --id x
    expect 0 "$sallyport" verify d/killed-x
    same "$(leftovers d)" 0 "leftovers after $name $count"
done < calls
echo "bag: $tried points, $killed killed, $whole of them after the bag was there"
checks=$((checks + 2))
[ "$killed" -ge $((points * 8 / 10)) ] || fail "only $killed of $tried runs were killed"
[ "$whole" -lt "$killed" ] || fail "no run was killed before its bag was there"

# A tree that joins files of others: after the next run everything is there, whoever put it, and theirs is untouched.
calls --tree t0
killed=0 whole=0 tried=0
while read -r name count; do
    tried=$((tried + 1))
    rm -rf t
    mkdir -p t/d
    echo mine > t/d/mine
    kill_at "$name" "$count" --tree t
    "$sallyport" promote c.yaml --from s --tree t > again.out 2>&1
    status=$?
    checks=$((checks + 1))
    case $status in
    0) ;;
    3) whole=$((whole + 1)) ;; # the killed run had everything in place
    *) fail "status $status after $name $count"; cat again.out ;;
    esac
    (cd t && find . -type f ! -name mine | sort | xargs sha256sum) | cmp -s - want.sums || fail "tree after $name $count"
    same "$(cat t/d/mine)" mine "somebody else's file after $name $count"
    same "$(leftovers t)" 0 "leftovers after $name $count"
done < calls
echo "tree: $tried points, $killed killed, $whole of them after everything was there"
checks=$((checks + 1))
[ "$killed" -ge $((points * 8 / 10)) ] || fail "only $killed of $tried runs were killed"

# Not killed, only failed in the middle: taken back at once, not by the next run.
for at in 3 7; do
    rm -rf t
    mkdir -p t/d
    echo mine > t/d/mine
    expect 3 "$strace" -qq -o /dev/null -e trace=renameat2 -e inject="renameat2:error=EIO:when=$at" \
        "$sallyport" promote c.yaml --from s --tree t
    same "$(find t -type f)" t/d/mine "what is left after a failed move $at"
    same "$(find t -type d | sort | tr '\n' ' ')" "t t/d " "directories after a failed move $at"
done
finish
