#!/bin/sh
# SPDX-License-Identifier: ISC
# What the program says about this host and itself, and the completions: every command is in each of them.
. "$(dirname "$0")/common.sh"
expect 0 "$sallyport" doctor --to d
has out "pass     inspect-filter"
has out "publish-atomic"
absent d
expect 0 "$sallyport" doctor --format json
"$jq" -e '.checks | (map(.name) | index("inspectors")) and (map(select(.name == "destination"))[0].state == "unknown")' out > /dev/null ||
    fail "doctor json"
expect 2 "$sallyport" doctor what
expect 0 "$sallyport" --version --format json
"$jq" -e '[.libraries[].name] | index("openssl") and index("libyaml")' out > /dev/null || fail "version json"
"$sallyport" --help > help
commands=$(sed -n 's/^  sallyport \([a-z]*\).*/\1/p' help)
[ -n "$commands" ] || fail "no command in the help"
for f in sallyport.bash _sallyport sallyport.fish; do
    for c in $commands; do
        checks=$((checks + 1))
        grep -qw -- "$c" "${srcdir:?}/man/completion/$f" || fail "$f does not know $c"
    done
done
checks=$((checks + 1))
bash -n "$srcdir/man/completion/sallyport.bash" || fail "bash completion"
# the pipeline examples are YAML
"${PYTHON3:-python3}" - "$srcdir/man/sallyport-pipeline.7" > blocks <<'P'
import json, re, sys
text = open(sys.argv[1]).read()
blocks = [b.replace("\\e", "\\") for b in re.findall(r"\.Bd -literal\n# yaml\n(.*?)\.Ed\n", text, re.S)]
json.dump(blocks, sys.stdout)
P
same "$("$jq" length blocks)" 3 "examples in YAML"
if "${PYTHON3:-python3}" -c 'import yaml' 2> /dev/null; then
    expect 0 "${PYTHON3:-python3}" -c 'import json, yaml
for b in json.load(open("blocks")):
    assert isinstance(yaml.safe_load(b), dict)'
else
    echo "note: python3-yaml is not installed: the syntax of the examples was not looked at"
fi
finish
