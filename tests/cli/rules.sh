#!/bin/sh
# SPDX-License-Identifier: ISC
# rules list, show, test and diff, and the importer of gitleaks files.
. "$(dirname "$0")/common.sh"
expect 0 "$sallyport" rules list
has out "github-token"
n=$(wc -l < out)
[ "$n" -ge 150 ] || fail "only $n rules"
expect 0 "$sallyport" rules list --format json
"$jq" -cS . out | cmp -s - out || fail "not canonical JSON"
expect 0 "$sallyport" rules show secret/jwt
has out "must hold"
expect 2 "$sallyport" rules show no-such-rule
expect 2 "$sallyport" rules
expect 0 "$sallyport" rules test

mkdir good bad
cat > good/own.yaml <<'C'
sallyport-rules: 1
rules:
  - id: acme-token
    about: A token of the Acme service
    pattern: 'acme_[a-z0-9]{20}'
C
echo 'key acme_<+>aaaabbbbccccdddd1234' > good/acme-token.hit
echo 'acme_<+>short' > good/acme-token.miss
expect 0 "$sallyport" rules test good
has out "1 rules"
echo 'nothing in it' > good/acme-token.hit
expect 2 "$sallyport" rules test good
has err "rule acme-token"
sed 's/{20}/{20}(/' good/own.yaml > bad/own.yaml
expect 2 "$sallyport" rules test bad
has err "rule acme-token"
sed 's/{20}/+/' good/own.yaml > bad/own.yaml
expect 2 "$sallyport" rules test bad
has err "trigger"
mkdir s
echo text > s/a.txt
expect 2 "$sallyport" check --take a.txt=text --from s --rules bad
has err "sallyport rules test"
expect 2 "$sallyport" rules test nowhere

expect 0 "$sallyport" rules diff good/own.yaml good/own.yaml
expect 1 "$sallyport" rules diff good/own.yaml bad/own.yaml
has out "changed acme-token"
cat > two.yaml <<'C'
sallyport-rules: 1
rules:
  - {id: other, about: Another, pattern: 'other_[0-9]{9}'}
C
expect 1 "$sallyport" rules diff good/own.yaml two.yaml
has out "removed acme-token"
has out "added   other"

cat > in.toml <<'C'
title = "a rule file of another scanner"
[extend]
useDefault = true
[[rules]]
id = "Acme_Token"
description = "An Acme token"
regex = '''\b(acme_(?P<body>[a-z0-9]{20}))(?:[\x60'"\s;]|\\[nr]|$)'''
secretGroup = 1
entropy = 2.5
keywords = ["acme_"]
[[rules.allowlists]]
paths = ['''vendor/''']
stopwords = ["fake"]
[[rules]]
id = "long"
regex = '''longtok_[a-z]+;'''
keywords = ["longtok_"]
[[rules]]
id = "paths-only"
path = '''\.p12$'''
[[rules]]
id = "no-bound"
regex = '''x[0-9]+y'''
[[rules]]
id = "pair"
regex = '''pair_[0-9]{8}'''
[[rules.required]]
id = "long"
C
mkdir imported
"${PYTHON3:-python3}" "$srcdir/rules/import-gitleaks" in.toml > imported/own.yaml 2> err
got=$?
[ "$got" -eq 1 ] || fail "importer: status $got"
has err "2 rules converted, 3 not"
has err "paths-only: not converted: it looks at paths only"
has err "no-bound: not converted"
has err "pair: not converted"
has err "Acme_Token: left out: paths, stopwords"
has err "left out of the whole file: extend"
printf 'key acme_<+>a1b2c3d4e5f6g7h8i9j0 <n>' > imported/acme-token.hit
echo 'acme_<+>short' > imported/acme-token.miss
echo 'x longtok_<+>abcdefgh;' > imported/long.hit
echo 'longtok_' > imported/long.miss
expect 0 "$sallyport" rules test imported
has out "2 rules"
finish
