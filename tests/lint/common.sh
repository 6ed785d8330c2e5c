# SPDX-License-Identifier: ISC
# Shared by the lints: where the tree is, and how a lint says what it found. LINT_ROOT points the self-test elsewhere.
set -eu
root=${LINT_ROOT:-${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}}
build=${builddir:-$root}
found=0
cd "$root"

complain() { echo "$*"; found=1; }

# A lint that checks nothing must not pass.
must_exist() {
    [ -n "$1" ] || { echo "$0: nothing to check: $2"; exit 1; }
}

verdict() { exit "$found"; }
