#!/bin/sh
# SPDX-License-Identifier: ISC
# What is found plain is found in each encoding, compression, archive, name and comment: over some of the samples of
# the rules (make check-recall takes all), and over a file of labelled texts.
. "$(dirname "$0")/common.sh"
recall() {
    "${PYTHON3:-python3}" "$srcdir/tests/rules/recall.py" "$builddir/tests/bin/secret_probe" "$@"
}
expect 0 recall "$srcdir/tests/rules" --transform --containers "$sallyport" --every 9
grep -q '^positives [1-9][0-9]*: found .* missed 0$' out || { fail "a sample is missed"; cat out; }
grep -q '^negatives [1-9][0-9]*: hit by the counterpart 0 ' out || { fail "a sample hits that should not"; cat out; }
grep -q '^transforms [1-9][0-9]\{2,\}: ' out || fail "nothing was transformed"

# the measure itself: a text that no rule knows is a miss, and a transform that is lost is an exit status
sed 's/<+>//' > cases.jsonl <<'C'
{"source": "x", "rule": "acme", "kind": "positive", "text": "no credential of any kind"}
{"source": "x", "rule": "user", "kind": "positive", "text": "machine ex.org login ci pass<+>word Xk29dLq8vPz1"}
{"source": "x", "rule": "user", "kind": "negative", "text": "machine ex.org login ci"}
{"source": "x", "rule": "user", "kind": "negative", "text": "machine ex.net login ci pass<+>word Xk29dLq8vPz2"}
C
expect 0 recall cases.jsonl --transform
has out "positives 2: found 1 (50.0 %), only noted 0, missed 1"
has out "negatives 2: hit by the counterpart 1 (50.0 %)"
expect 1 recall cases.jsonl --transform --need 100.5
finish
