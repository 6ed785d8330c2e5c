#!/bin/sh
# SPDX-License-Identifier: ISC
# Each lint is shown a tree with the fault it is there for, and must fail on it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
sees() { # sees LINT: the planted tree must fail
    if LINT_ROOT=$work builddir=$work sh "$here/$1.sh" > "$work/out" 2>&1; then
        echo "$1 did not see: $2"
        failed=1
    fi
    rm -rf "${work:?}"/*
}
plant() { mkdir -p "$(dirname "$work/$1")" && cat > "$work/$1"; }

echo '#include "inspect/inspect.h"' | plant broker/decide/decide.c; sees layers "an include across stages"
sees layers "an empty tree"
printf '#!/bin/sh\n' | plant sallyport; chmod +x "$work/sallyport"; sees links "a program that is no ELF file"
sees links "missing programs"
sees pure "missing objects"
echo '#include <archive.h>' | plant broker/cmd/cmd.c; sees owners "a library outside its owner"
echo 'struct x { unknown_type y; };' | plant broker/base/x.h; sees headers "a header that does not compile"
{ echo 'int f(void)'; echo '{'; yes '    g();' | head -n 81; echo '}'; } | plant broker/base/x.c; sees lengths "a long function"
yes '/* x */' | head -n 501 | plant broker/base/x.c; sees lengths "a long file"
{ printf 'int f(void)\n{\n    g();\n}\n' | plant broker/base/x.c; printf 'int f(void)\n{\n    g();\n}\n' | plant broker/cmd/x.c; }; sees lengths "a basename twice"
{ echo 'FINDING(A, file, "missing", REFUSE, NEVER, "s", "f")' | plant broker/base/findings.def; echo '.It Li file/other' | plant man/sallyport.7; }; sees findings "a code without its page"
echo '.Foo bar' | plant man/x.1; sees man "a page that is no mdoc"
echo 'int x;' | plant broker/base/x.c; sees spdx "a file without a licence"
echo 'int x;' | plant fuzz/fuzz_x.c; sees corpora "a harness without seeds"
{ echo 'DEFAULT_FILES 7 files few' | plant rules/bounds; echo '.It Ic files' | plant man/sallyport-contract.5; }
sees tables "a default that the manual does not state"
echo '#!/bin/sh' | plant tests/cli/x.sh; sees executable "a test that cannot be started"
exit $failed
