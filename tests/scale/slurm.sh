#!/bin/sh
# SPDX-License-Identifier: ISC
# As an array job:   sbatch --array=1-16 slurm.sh CONTRACT SOURCE PARTS
# then, afterwards:  sallyport promote CONTRACT --from bag:PARTS/NAME-ARRAY-1 ... --to DEST
#SBATCH --job-name=sallyport
#SBATCH --cpus-per-task=2
set -eu
exec "${SALLYPORT:-sallyport}" promote "$1" --from "$2" --to "$3" \
    --id "${SLURM_ARRAY_JOB_ID:?run as an array: sbatch --array=1-N}-${SLURM_ARRAY_TASK_ID:?}" \
    --shard "$SLURM_ARRAY_TASK_ID/${SLURM_ARRAY_TASK_COUNT:?}" -q
