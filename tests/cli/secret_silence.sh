#!/bin/sh
# SPDX-License-Identifier: ISC
# No report in any format, no message and no record holds six characters in a row of a credential that was found: in a
# file, in the name of a file or directory (however many there are), in the name of a member of an archive.
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
for word in open("words").read().split():
    for i in range(4, len(word) - 5):
        parts[word[i:i + 6]] = "a name"
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
cat > names.py <<'P'
# one token in many names: of files, directories, members, members of members, and of what is not listed
import gzip, io, os, random, string, tarfile, zipfile
source = random.Random(4711)
def token():
    return "gh" + "p_" + "".join(source.choice(string.ascii_letters + string.digits) for _ in range(36))
def zipped(names, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name in names:
            z.writestr(name, data)
    return out.getvalue()
def tarred(names, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()
def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
words = []
def new():
    words.append(token())
    return words[-1]
script = b"#!/bin/sh\necho\n"
for i in range(250):
    put("n/many/%s.txt" % new(), b"x\n")
put("n/dir/%s/a.txt" % new(), b"x\n")
put("n/unlisted/%s.dat" % new(), b"x\n")
put("n/a.zip", zipped(["a/%s.txt" % new(), "%s/b.txt" % new(), "../%s" % new()], script))
put("n/b.tar", tarred(["%s/%s.txt" % (new(), "l" * 120), "d/%s" % new()], script))
put("n/c.tar.gz", gzip.compress(tarred(["d/%s.txt" % new(), "%s/%s" % ("l" * 120, new())], script)))
put("n/d.zip", zipped(["in/%s.zip" % new()], zipped(["%s.txt" % new()], script)))
open("words", "w").write("\n".join(words))
P
"$python" names.py
for format in human json jsonl sarif junit github gitlab; do
    expect 1 "$sallyport" check --take '*.txt=text' --from s --format "$format"
    mv out "out.$format"
    mv err "err.$format"
    [ -s "out.$format" ] || fail "$format said nothing"
done
has out.json "secret/github-token"
for format in human json jsonl sarif junit github gitlab; do
    expect 1 "$sallyport" check --take 'many/*=text' --take 'dir/**=text' --take '*.zip=zip' --take '*.tar=tar' \
        --take '*.tar.gz=tar.gz' --from n --format "$format"
    mv out "out.names-$format"
    mv err "err.names-$format"
done
refused=$("$jq" '[.content.entries[] | select(.verdict == "refuse")] | length' out.names-json)
same "$refused" 255 "a name with a credential is refused, be there hundreds of them"
for file in a.zip b.tar c.tar.gz d.zip; do
    "$jq" -e --arg p "$file" '.content.entries[] | select(.path == $p).findings | map(select(.code == "secret/github-token")) |
        length > 0' out.names-json > /dev/null || fail "the name of a member of $file is not found"
    "$jq" -e --arg p "$file" '.content.entries[] | select(.path == $p).findings | map(.member // "") |
        any(contains("[masked]"))' out.names-json > /dev/null || fail "no member of $file is named masked"
done
expect 1 "$sallyport" promote --take '*.txt=text' --from s --to d --record r --report html=page.html -v --progress plain
mv out out.promote
mv err err.promote
expect 1 "$sallyport" promote --take 'many/*=text' --take '*.zip=zip' --from n --to d --record r --report html=page2.html \
    --report env=names.env -v --progress plain
mv out out.names-promote
mv err err.names-promote
sed 's/^/    - /; 1s/^/outputs:\n/' words | sed 's/- \(.*\)/- {path: \1, types: [text]}/' > list
{ printf 'sallyport: 1\nname: names\n'; cat list; } > c.yaml
expect 2 "$sallyport" check c.yaml --from n
mv out out.contract
mv err err.contract
has err.contract "credential"
find r d -type f > names
expect 0 "$python" find.py out.* err.* page.html page2.html names.env $(cat names)
finish
