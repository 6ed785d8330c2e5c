#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# The secret inspector beside yara with the same rules, on the files of a list: processor time, as a ratio, the two taking
# turns. Rules that yara has no words for (look-around, possessive repeats) are left out and counted.
import os, re, resource, subprocess, sys, tempfile

import yaml

bench, rules, listed = sys.argv[1:4]
files = [f for f in open(listed).read().split("\n") if f]


def yara_text(pattern):
    if re.search(r"\(\?[=!<>]|[+*?}]\+|\(\?m", pattern):
        return None
    nocase = "(?i" in pattern
    text = pattern.replace("(?i:", "(").replace("(?:", "(")
    text = re.sub(r"(?<!\\)/", r"\/", text)
    return None if "(?" in text else "/%s/%s" % (text, " nocase" if nocase else "")


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


with tempfile.TemporaryDirectory() as work:
    source, compiled, names = (os.path.join(work, n) for n in ("rules.yar", "rules.yarc", "list"))
    texts = [(r["id"], yara_text(r["pattern"])) for r in yaml.safe_load(open(rules))["rules"]]
    kept = []
    for name, text in texts:
        rule = text and "rule r_%s { strings: $a = %s condition: $a }\n" % (name.replace("-", "_"), text)
        if rule:
            open(source, "w").write(rule)
            if cpu(["yarac", "-w", source, compiled])[1].returncode == 0:
                kept.append(rule)
    open(source, "w").write("".join(kept))
    if cpu(["yarac", "-w", source, compiled])[1].returncode != 0:
        sys.exit("secret_yara: yara does not take the rules")
    open(names, "w").write("\n".join(files) + "\n")
    ours, theirs = [], []
    for _ in range(3):
        theirs.append(cpu(["yara", "-w", "-p", "1", "-C", compiled, "--scan-list", names])[0])
        ours.append(cpu([bench, "--no-db"] + files)[0])
    size = sum(os.path.getsize(f) for f in files)
    print("%d of %d rules, %.0f MB in %d files: yara %.0f MB/s, the secret inspector %.0f MB/s, %.1f times" %
          (len(kept), len(texts), size / 1e6, len(files), size / 1e6 / min(theirs), size / 1e6 / min(ours),
           min(theirs) / min(ours)))
