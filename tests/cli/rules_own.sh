#!/bin/sh
# SPDX-License-Identifier: ISC
# --rules: the operator's own rules find what the default ones do not; a broken rule file is exit 2 with its place.
. "$(dirname "$0")/common.sh"
mkdir s r
printf 'x acme_%s\n' aaaabbbbccccdddd1234 > s/a.log
expect 0 "$sallyport" check --take a.log=log --from s
cat > r/own.yaml <<'C'
sallyport-rules: 1
rules:
  - id: acme-token
    about: A token of the Acme service
    pattern: 'acme_[a-z0-9]{20}'
C
expect 1 "$sallyport" check --take a.log=log --from s --rules r
has out secret/acme-token
echo '  - id: [' >> r/own.yaml
expect 2 "$sallyport" check --take a.log=log --from s --rules r
has err "own.yaml:"
mkdir empty
expect 2 "$sallyport" check --take a.log=log --from s --rules empty
expect 2 "$sallyport" check --take a.log=log --from s --rules nowhere
finish
