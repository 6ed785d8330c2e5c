#!/bin/sh
# SPDX-License-Identifier: ISC
# FILES files by WORKERS workers of GNU parallel, joined into one bag, and compared with a single run.
command -v parallel > /dev/null || { echo "parallel is missing: install parallel"; exit 1; }
. "$(dirname "$0")/scale.sh"
seq "$workers" | parallel -j "$workers" "$sallyport promote c.yaml --from s --to parts --id job-{} --shard {}/$workers -q > log.{}"
join $(seq "$workers" | sed 's,^,parts/scale-job-,')
