# SPDX-License-Identifier: ISC
# Shared by the command tests: a private directory, and checks that say what they wanted and what they got.
set -u
sallyport=${SALLYPORT:?}
jq=${JQ:-jq}
work=$(mktemp -d) || exit 99
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 99
checks=0
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it, keeps its output in out and err.
expect() {
    want=$1
    shift
    checks=$((checks + 1))
    "$@" > out 2> err
    got=$?
    if [ "$got" -ne "$want" ]; then
        fail "status $got, want $want: $*"
        head -n 20 out err
    fi
}

# has FILE TEXT / hasnt FILE TEXT
has() {
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || { fail "no '$2' in $1"; head -n 10 "$1"; }
}
hasnt() {
    checks=$((checks + 1))
    if grep -qF -- "$2" "$1"; then fail "'$2' is in $1"; fi
}
same() {
    checks=$((checks + 1))
    [ "$1" = "$2" ] || fail "'$1' is not '$2' ($3)"
}
absent() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 exists"
}

# A contract of one text output and one optional JSON output.
small_contract() {
    cat > c.yaml <<'C'
sallyport: 1
name: small
owner: tests@example.org
outputs:
  - path: a.txt
    types: [text]
    max: 1K
  - glob: data/*.json
    types: [json]
    count: 0..9
C
}

finish() {
    [ "$checks" -gt 0 ] || { echo "nothing was checked"; exit 1; }
    echo "$((checks - failures)) of $checks checks passed"
    [ "$failures" -eq 0 ]
    exit
}
# samples_judged NAME [MORE]: each line of `list` is a file in s, its type, and what it comes to: "pass", or a code that
# refuses it. MORE: of every output of the contract
samples_judged() {
    {
        printf 'sallyport: 1\nname: %s\npartial: true\noutputs:\n' "$1"
        while read -r file type _; do
            printf '  - {path: %s, types: [%s]%s}\n' "$file" "$type" "${2:-}"
        done < list
    } > c.yaml
    expect 7 "$sallyport" check c.yaml --from s --format json
    while read -r file type want; do
        same "$("$jq" -r --arg p "$file" --arg w "$want" '.content.entries[] | select(.path == $p) |
            [.findings[] | select(.level == "refuse") | .code] as $codes |
            if .verdict == "promote" then "pass" elif $codes | index($w) then $w else $codes | join(" ") end' out)" \
            "$want" "$file ($type)"
    done < list
}
