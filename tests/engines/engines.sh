#!/bin/sh
# SPDX-License-Identifier: ISC
# A real dockerd and a real podman: sources, proofs, jobs; and daemons elsewhere. One start of the engines serves all parts.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
engines_up
for part in nested promote probe run far; do
    from=$(date +%s)
    . "$here/$part.part.sh"
    echo "$part: $(($(date +%s) - from)) s"
done
finish
