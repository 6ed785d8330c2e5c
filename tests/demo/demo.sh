#!/bin/sh
# SPDX-License-Identifier: ISC
# make demo: one promotion that passes and one that is refused, on real input. Where this host cannot give the sandbox
# (user namespaces denied), promote and verify are shown on prepared results, the missing control is named, and the
# demonstration ends with 4 as `run` does.
set -u
sallyport=${SALLYPORT:?}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
contract=$here/contract.yaml

say() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
fail() { echo "demo: $*" >&2; exit 1; }

say "1. sallyport run: build and test a program in the sandbox, promote three results"
"$sallyport" run "$contract" --to "$work/evidence" --id demo
status=$?
if [ $status -eq 4 ]; then
    say "1b. this host cannot give the sandbox (above); promote prepared results instead"
    mkdir -p "$work/scratch/report" "$work/scratch/log" "$work/scratch/dist"
    printf '<?xml version="1.0"?>\n<testsuite name="wordfreq" tests="1"><testcase name="one"/></testsuite>\n' > "$work/scratch/report/junit.xml"
    echo "built elsewhere" > "$work/scratch/log/build.txt"
    tar -C "$here/src" -czf "$work/scratch/dist/wordfreq.tar.gz" wordfreq.c NOTES.txt
    "$sallyport" promote "$contract" --from "$work/scratch" --to "$work/evidence" --id demo || fail "promote failed"
elif [ $status -ne 0 ]; then
    fail "run ended with $status"
fi
bag=$work/evidence/wordfreq-demo

say "2. the bag"
(cd "$bag" && find . -type f | sort)

say "3. sallyport verify"
"$sallyport" verify "$bag" || fail "the bag does not verify"

say "4. the same with stock tools: sha256sum --strict -c"
(cd "$bag" && sha256sum --strict -c manifest-sha256.txt tagmanifest-sha256.txt) || fail "sha256sum disagrees"

say "5. a promotion that is refused: a page with a script, a link out of scratch, a token in a log"
mkdir -p "$work/hostile"
printf '<!DOCTYPE html><html><body><h1>Report</h1><script>alert(1)</script></body></html>\n' > "$work/hostile/report.html"
ln -s /etc/passwd "$work/hostile/users.txt"
printf 'login ok\ntoken: %s%s\n' ghp _zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17 > "$work/hostile/job.log"
"$sallyport" promote --take report.html=html-static --take users.txt=text --take job.log=log \
    --from "$work/hostile" --to "$work/evidence" --id refused
refused=$?
[ $refused -eq 1 ] || fail "the hostile results should have been refused with 1, not $refused"
[ -e "$work/evidence/take-refused" ] && fail "a refused promotion left a bag"
echo
[ $status -eq 4 ] && exit 4
echo "demo: all as it should be"
