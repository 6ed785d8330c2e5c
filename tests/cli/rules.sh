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
sed 's/{20}.*/{4}/; $a\    entropy: 3.6' good/own.yaml | sed "s/{4}/{4}'/" > bad/own.yaml
expect 2 "$sallyport" rules test bad
has err "rule acme-token: it can never hit"
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

# every construct: what converts loads and finds what the other scanner finds, the rest is named with its reason
cat > broad.toml <<'C'
[[rules]]
id = "assigned"
regex = '''(?i)[\w.-]{0,50}?(?:acmekey)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}([a-z0-9_-]{32})(?:[\x60'"\s;]|\\[nr]|$)'''
keywords = ["acmekey"]
[[rules]]
id = "either-order"
regex = '''(?i)(?:\bkind:[ \t]*["']?\bsecret\b["']?(?s:.){0,200}?\bdata:(?s:.){0,100}?\s+([\w.-]+:[ \t]*[a-z0-9+/]{10,}={0,3})|\bdata:(?s:.){0,100}?\s+([\w.-]+:[ \t]*[a-z0-9+/]{10,}={0,3})(?s:.){0,200}?\bkind:[ \t]*secret\b)'''
path = '''(?i)\.ya?ml$'''
keywords = ["secret"]
[[rules.allowlists]]
condition = "AND"
regexTarget = "line"
paths = ['''x''']
regexes = ['''y''']
[[rules]]
id = "block"
regex = '''(?i)-----BEGIN[ A-Z0-9_-]{0,100}ACME KEY-----[\s\S-]{64,}?KEY-----'''
keywords = ["-----begin"]
[[rules]]
id = "lookahead"
regex = '''tok_(?=[a-z]*[0-9])[a-z0-9]{20}'''
keywords = ["tok_"]
[[rules]]
id = "named"
regex = '''(?P<pre>acme)[_-](?P<secret>[A-Za-z0-9]{24})'''
secretGroup = 2
keywords = ["acme"]
[[rules]]
id = "flags"
regex = '''pre(?i:FIX)_[[:alnum:]]{16}(?-i:Z)'''
keywords = ["prefix"]
[[rules]]
id = "brace"
regex = '''lb{,3}_[0-9]{10}\z'''
keywords = ["lb"]
[[rules]]
id = "lines"
regex = '''(?m)^acme=[0-9a-f]{32}$'''
keywords = ["acme="]
[[rules]]
id = "floor"
regex = '''bl_[0-9a-z]{20}'''
filter = '''entropy(finding["secret"]) <= 3.1'''
[[rules]]
id = "unicode"
regex = '''acme_\p{L}{10}'''
[[rules]]
id = "verb"
regex = '''(*UTF)a{20}'''
[[rules]]
id = "open"
regex = '''bad_([0-9]{10}'''
keywords = ["bad_"]
[[rules]]
id = "words"
regex = '''bm_[0-9a-z]{20}'''
filter = '''failsTokenEfficiency(finding["secret"])'''
C
mkdir broad
"${PYTHON3:-python3}" "$srcdir/rules/import-gitleaks" broad.toml > broad/own.yaml 2> err
has err "9 rules converted, 4 not"
has err "unicode: not converted: the pattern uses Unicode classes"
has err "verb: not converted: the pattern starts with a (*VERB)"
has err "open: not converted: its brackets do not match"
has err "words: not converted: its filter is more than a floor of entropy"
has err "either-order: left out: path, paths, regexes"
echo 'my_acmekey = "abcdefghij0123<+>456789klmnopqrst_-"' > broad/assigned.hit
echo 'data:<n>  p: aGVsbG8gd29ybGQ=<n>kind: Sec<+>ret<n>' > broad/either-order.hit
echo '-----BEGIN ACME<+> KEY-----<n>0123456789012345678901234567890123456789012345678901234567890123456789<n>-----END ACME KEY-----' > broad/block.hit
echo 'tok_<+>abc1defghijklmnopqrs' > broad/lookahead.hit
echo 'acme-<+>AbCdEf0123456789GhIjKlMn' > broad/named.hit
echo 'preFIX_<+>0123456789abcdefZ' > broad/flags.hit
echo 'lb{,3}_0123456789' > broad/brace.hit
echo 'x<n>acme=<+>0123456789abcdef0123456789abcdef<n>y' > broad/lines.hit
echo 'bl_<+>a1b2c3d4e5f6g7h8i9j0' > broad/floor.hit
expect 0 "$sallyport" rules test broad
has out "9 rules"
for hit in broad/*.hit; do
    rule=$(basename "$hit" .hit)
    mv "$hit" saved
    echo 'nothing of the kind' > "$hit"
    expect 2 "$sallyport" rules test broad
    has err "rule $rule: "
    mv saved "$hit"
done
finish
