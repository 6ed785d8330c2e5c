#!/bin/sh
# SPDX-License-Identifier: ISC
# What lies in the fields of an archive that few readers show, and what only all members together amount to.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
mkdir s
"${PYTHON3:-python3}" "$here/field_samples.py" s > list || fail "the samples were not written"
[ "$(wc -l < list)" -ge 20 ] || fail "only $(wc -l < list) samples"
samples_judged fields ", inside: {types: [text, zip]}"
finish
