#!/bin/sh
# SPDX-License-Identifier: ISC
# Usage errors are exit 2 before anything is touched, and say what to do.
. "$(dirname "$0")/common.sh"
small_contract
mkdir s
echo hello > s/a.txt
expect 2 "$sallyport"
expect 2 "$sallyport" frobnicate
has err "not a command"
expect 0 "$sallyport" --help
has out "Exit status"
expect 0 "$sallyport" --version
has out "sallyport "
expect 0 "$sallyport" --version --format json
"$jq" -e '.tool == "sallyport"' out > /dev/null || fail "version json"
expect 2 "$sallyport" promote c.yaml --from s
has err "--to DEST"
expect 2 "$sallyport" promote c.yaml --to d
has err "--from SOURCE"
expect 2 "$sallyport" promote c.yaml --from s --to d --no-such-option
expect 2 "$sallyport" promote c.yaml --from s --to d --id ../x
expect 2 "$sallyport" promote c.yaml --from s --to d --format yaml
expect 2 "$sallyport" promote c.yaml --from nowhere --to d
expect 2 "$sallyport" promote c.yaml --from c.yaml --to d
has err "not a directory"
expect 2 "$sallyport" promote nofile.yaml --from s --to d
expect 2 "$sallyport" promote c.yaml --from s --to s
expect 2 "$sallyport" promote c.yaml --from s --to .
absent d
expect 2 "$sallyport" batch
has err "not there yet"
expect 2 "$sallyport" explain no/such
expect 2 "$sallyport" explain secret/no-such-rule
expect 0 "$sallyport" explain secret/github-token
has out "secret/github-token"
sed 's|^    max: 1K|    accept:\n      - {code: secret/no-such-rule, reason: r, approved-by: a, until: 2099-01-01}|' c.yaml > accept.yaml
expect 2 "$sallyport" check accept.yaml
has err "accept.yaml:8:"
expect 0 "$sallyport" explain archive/ambiguous
has out "Fix:"
expect 0 "$sallyport" explain
has out "file/symlink"
# hostile names are escaped wherever they are shown
name=$(printf 'a\033[31m\nb.txt')
echo x > "s/$name"
expect 1 "$sallyport" promote --take '*=text' --from s --to d
hasnt out "$(printf '\033')"
has out 'a\x1B[31m\x0Ab.txt'
expect 1 env NO_COLOR=1 TERM=xterm "$sallyport" promote --take '*=text' --from s --to d --format jsonl
tail -n 1 out | "$jq" -e '.event == "summary" and .decision == "refuse"' > /dev/null || fail "jsonl summary"
rm "s/$name"
# a destination that others can write to
mkdir -m 0777 open.d && chmod 0777 open.d
expect 3 "$sallyport" promote c.yaml --from s --to open.d
has err "--shared-dest"
expect 0 "$sallyport" promote c.yaml --from s --to open.d --shared-dest
# contract errors: place, line, caret, several at once
cat > bad.yaml <<'C'
sallyport: 1
name: Bad
outptus:
  - path: ../x
outputs:
  - path: a.txt
    types: [txet]
C
expect 2 "$sallyport" check bad.yaml
has err "bad.yaml:2:7:"
has err "bad.yaml:3:1:"
has err "did you mean"
has err "^"
finish
