#!/bin/sh
# SPDX-License-Identifier: ISC
# The same by an array job of Slurm: slurm.sh is what each task runs. Wants a controller that answers sinfo, and a directory
# that its nodes share (TMPDIR).
command -v sbatch > /dev/null || { echo "sbatch is missing: install slurm-client"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scale.sh"
export SALLYPORT="$sallyport"
id=$(sbatch --parsable --wait --array="1-$workers" --cpus-per-task=1 --output=task-%a.log "$here/slurm.sh" "$work/c.yaml" "$work/s" "$work/parts") ||
    { cat task-*.log; exit 1; }
join $(seq "$workers" | sed "s,^,parts/scale-$id-,")
