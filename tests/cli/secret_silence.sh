#!/bin/sh
# SPDX-License-Identifier: ISC
# No report in any format, no message and no record holds six characters in a row of a credential that was found.
. "$(dirname "$0")/common.sh"
python=${PYTHON3:-python3}
mkdir s
cat > make.py <<'P'
import glob, os, sys
def assemble(line):
    return line.replace("<+>", "").replace("<n>", "\n")
n = 0
for path in sorted(glob.glob(sys.argv[1] + "/tests/rules/*.hit")):
    rule = os.path.basename(path)[:-4]
    if rule in ("suppression-marker",):
        continue
    text = assemble(open(path).readline().rstrip("\n"))
    open("s/%03d.txt" % n, "w").write(text + "\n")
    n += 1
P
cat > find.py <<'P'
# characters of our own words (rule ids, format words) are no leak: only parts with a digit and a letter count
import glob, re, sys
parts = {}
for path in glob.glob("s/*.txt"):
    text = open(path).read()
    for i in range(len(text) - 5):
        part = text[i:i + 6]
        if re.search("[0-9]", part) and re.search("[A-Z]", part) and part.isalnum():
            parts[part] = path
leaks = 0
for path in sys.argv[1:]:
    text = open(path, errors="replace").read()
    # digests and times are ours: they are lower-case, or have their own form
    for i in range(len(text) - 5):
        hit = parts.get(text[i:i + 6])
        if hit:
            print("%s: six characters of %s at %d" % (path, hit, i))
            leaks += 1
            if leaks > 20:
                sys.exit(1)
print(len(parts), "parts looked for")
sys.exit(leaks > 0 or len(parts) < 1000)
P
"$python" make.py "$srcdir"
for format in human json jsonl sarif junit github gitlab; do
    expect 1 "$sallyport" check --take '*.txt=text' --from s --format "$format"
    mv out "out.$format"
    mv err "err.$format"
    [ -s "out.$format" ] || fail "$format said nothing"
done
has out.json "secret/github-token"
expect 1 "$sallyport" promote --take '*.txt=text' --from s --to d --record r --report html=page.html -v --progress plain
mv out out.promote
mv err err.promote
find r d -type f > names 2> /dev/null
expect 0 "$python" find.py out.* err.* page.html $(cat names)
finish
