#!/bin/sh
# SPDX-License-Identifier: ISC
# The contract's policies, each with the case it lets through and the one it stops.
. "$(dirname "$0")/common.sh"
contract() { # contract EXTRA-LINES: the small contract with more keys
    { printf 'sallyport: 1\nname: p\n%s\n' "$1"; cat <<'C'
outputs:
  - glob: '*.txt'
    types: [text]
C
    } > c.yaml
}
verdict() { "$jq" -r --arg p "$1" '.content.entries[] | select(.path == $p) | .verdict' out; }
codes() { "$jq" -r --arg p "$1" '[.content.entries[] | select(.path == $p) | .findings[].code] | join(" ")' out; }
check() { expect "$1" "$sallyport" check c.yaml --from s --format json; }

# unlisted
mkdir -p s/other
echo a > s/a.txt
echo x > s/stray
echo y > s/other/deep
contract ''
check 0
same "$(verdict stray)" unlisted "unlisted: list"
same "$(verdict other)" unlisted "a directory that is not entered"
contract 'unlisted: count'
check 0
same "$(verdict stray)" "" "unlisted: count"
same "$("$jq" .content.totals.unlisted out)" 2 "counted"
contract 'unlisted: ignore'
check 0
same "$(verdict stray)" "" "unlisted: ignore"
contract 'unlisted: refuse'
check 1
same "$(codes stray)" file/unlisted "unlisted: refuse"
same "$(codes other/deep)" file/unlisted "unlisted: refuse, deep"
rm -r s/stray s/other

# symlinks
ln -s a.txt s/l.txt
contract ''
check 1
same "$(codes l.txt)" file/symlink "symlinks: refuse"
contract 'symlinks: skip'
check 0
same "$(verdict l.txt)" unlisted "symlinks: skip"
same "$("$jq" -r '.content.entries[] | select(.path == "l.txt") | .findings[0].level' out)" note "a skipped link is a note"
expect 0 "$sallyport" promote c.yaml --from s --to d --id skip
absent d/p-skip/data/l.txt
rm s/l.txt

# hard links
ln s/a.txt s/b.txt
contract ''
check 1
same "$(codes a.txt)" file/hard-link "hard-links: refuse"
contract 'hard-links: within'
check 0
ln s/a.txt outside
check 1
same "$(codes b.txt)" file/hard-link "hard-links: within, a name outside"
rm s/b.txt outside

# names
echo p > 's/a b%.txt'
contract ''
check 1
same "$(codes 'a b%.txt')" name/unsafe "names: portable"
contract 'names: posix'
check 0
expect 0 "$sallyport" promote c.yaml --from s --to d --id posix
expect 0 "$sallyport" verify d/p-posix
rm 's/a b%.txt'
printf 'x' > 's/back\slash.txt'
expect 0 "$sallyport" promote c.yaml --from s --to d --id backslash
expect 0 "$sallyport" verify d/p-backslash
(cd d/p-backslash && sha256sum --strict --quiet -c manifest-sha256.txt) || fail "sha256sum of a backslash name"
rm 's/back\slash.txt'

# a name in bytes that are no UTF-8 is in the record, reversibly
name=$(printf 'caf\351.txt')
echo x > "s/$name"
contract ''
check 1
same "$("$jq" -r '.content.entries[] | select(.path_escaped) | .path' out)" 'caf\xE9.txt' "escaped path"
rm "s/$name"

# bounds
contract 'limits: {files: 1}'
echo b > s/b.txt
check 1
same "$(codes b.txt)" file/too-many "limits: files"
contract 'limits: {depth: 1}'
check 0
contract 'limits: {total: 3}'
check 1
same "$(codes b.txt)" file/too-large "limits: total"
contract 'limits: {visited: 1}'
check 1
rm s/b.txt

# expired and unused accepts are reported; strict does not turn them into refusals
cat > c.yaml <<'C'
sallyport: 1
name: p
review-by: 2020-01-01
outputs:
  - path: a.txt
    types: [text]
    accept:
      - {code: active/bidi, reason: r, approved-by: a@example.org, until: 2020-01-01}
      - {code: active/invisible-text, reason: r, approved-by: a@example.org, until: 2099-01-01}
C
check 0
same "$("$jq" -r '[.content.findings[].code] | sort | join(" ")' out)" \
    "contract/accept-expired contract/accept-unused contract/review-due" "warnings on the contract"
expect 0 "$sallyport" check c.yaml --from s --strict
# an accept that applies is on the record
printf 'a \342\200\256 b\n' > s/a.txt
sed -i 's/until: 2020-01-01}/until: 2099-01-01}/' c.yaml
check 0
same "$("$jq" -r '.content.entries[0].findings[] | select(.accepted) | .code' out | sort -u)" active/bidi "accepted"
same "$("$jq" -r '[.content.accepted[] | select(.used) | .code] | join(" ")' out)" active/bidi "used"
echo a > s/a.txt

# an unreadable file and directory are loud
if [ "$(id -u)" != 0 ]; then
    contract ''
    echo x > s/no.txt
    chmod 0 s/no.txt
    check 1
    same "$(codes no.txt)" file/unreadable "unreadable"
    rm -f s/no.txt
fi

# both tiers agree
contract ''
ln -s a.txt s/l.txt
check 1
cp out tier1
expect 1 "$sallyport" check c.yaml --from s --format json --components
same "$("$jq" -cS .content out)" "$("$jq" -cS .content tier1)" "content on both tiers"
rm s/l.txt

# a credential in a name is masked everywhere
token=ghp
token=${token}_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17
echo x > "s/$token.txt"
for format in human json jsonl sarif junit github gitlab; do
    expect 1 "$sallyport" check c.yaml --from s --format $format
    hasnt out "$(echo "$token" | cut -c8-20)"
    hasnt err "$(echo "$token" | cut -c8-20)"
done
rm "s/$token.txt"
# encoded it is found in each name that holds it, and two names are not joined to one
encoded=$(printf %s "$token" | base64 -w0 | tr -d =)
mkdir e
for name in "$encoded" "b$encoded" "$encoded-2" plain; do echo x > "e/$name.txt"; done
expect 1 "$sallyport" check --take '*.txt=text' --from e --format json
same "$("$jq" -c '[.content.entries[] | .verdict]' out)" '["refuse","refuse","refuse","promote"]' "encoded in three names"
rm -r e && mkdir e
echo x > "e/$(echo "$encoded" | cut -c1-36)"
echo x > "e/$(echo "$encoded" | cut -c37-)"
expect 0 "$sallyport" check --take '*=text' --from e
rm -r e
# only the components that hold it are masked, however far the decoded run or the match goes
masks() { # masks PATH WANT
    mkdir -p "e/$(dirname "$1")"
    echo x > "e/$1"
    expect 1 "$sallyport" check --take '**=text' --from e --format json
    same "$("$jq" -r '.content.entries[0].path' out)" "$2" "what is masked of a name"
    rm -r e
}
masks "dirs/$encoded" 'dirs/[masked]'
masks "some/where/$encoded/x.txt" 'some/where/[masked]/x.txt'
masks "$token/plain.txt" '[masked]/plain.txt'
masks "a/$token/b/$encoded.txt" 'a/[masked]/b/[masked]'
masks "dirs/$(echo "$encoded" | cut -c1-36)/$(echo "$encoded" | cut -c37-)" 'dirs/[masked]/[masked]'
masks "in/api_""key=zQWBuTSOoRi4/A9spHcVY5ncnsDkxkJ0mLq17.txt" 'in/[masked]/[masked]'
# and in the contract refuses it, without printing it
sed "s/^name: p/name: p\npurpose: $token/" c.yaml > bad.yaml
expect 2 "$sallyport" check bad.yaml
hasnt err "$(echo "$token" | cut -c8-20)"
has err "bad.yaml:3:"

# text that starts with a tag and is no page is looked through as one
echo '<img src="data:image/png;base64,AAAA">' > s/frag.txt
check 0
echo '<img src=x onerror=alert(1)>' > s/frag.txt
check 1
same "$(codes frag.txt)" active/html-handler "a fragment that acts"
rm s/frag.txt

# interrupted: nothing is published
mkdir big
for i in 1 2 3 4 5 6 7 8; do head -c 30000000 /dev/zero | tr '\0' 'a' > big/$i.txt; done
"$sallyport" promote --take '*.txt=text' --from big --to d --id int > out 2> err &
sleep 0.3
kill -INT $!
wait $!
got=$?
checks=$((checks + 1))
if [ $got -eq 130 ]; then absent d/take-int; else [ $got -eq 0 ] && [ -d d/take-int ] || fail "interrupted: status $got"; fi
finish
