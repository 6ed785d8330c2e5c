#!/bin/sh
# SPDX-License-Identifier: ISC
# The floor: a contract may only be tighter, and what only the run can show is held too.
. "$(dirname "$0")/common.sh"
small_contract
mkdir s
echo hello > s/a.txt
digest=$("$sallyport" rules list --format json | "$jq" -r .sha256)
floor() { printf 'floor: 1\n%s\n' "$1" > floor.yaml; }
floor "rules-sha256: $digest"
expect 0 "$sallyport" promote c.yaml --from s --to d --id one --floor floor.yaml
same "$("$jq" -r '.content.floors | length' d/small-one/sallyport/record.json)" 1 "the floor's digest is in the record"
same "$("$jq" -r '.content.floors[0]' d/small-one/sallyport/record.json)" "$(sha256sum < floor.yaml | cut -d' ' -f1)" "digest"
floor "rules-sha256: $(echo x | sha256sum | cut -d' ' -f1)"
expect 2 "$sallyport" promote c.yaml --from s --to d --id two --floor floor.yaml
has err "floor.yaml:2:"
floor 'signatures: 1'
expect 2 "$sallyport" promote c.yaml --from s --to d --id two --floor floor.yaml
has err "--sign KEY"
expect 0 "$sallyport" check c.yaml --from s --floor floor.yaml
floor 'types: [json]'
expect 2 "$sallyport" promote c.yaml --from s --to d --id two --floor floor.yaml
has err "c.yaml:"
has err "floor.yaml:2"
expect 2 "$sallyport" promote c.yaml --from s --to d --id two --floor nowhere.yaml
absent d/small-two
finish
