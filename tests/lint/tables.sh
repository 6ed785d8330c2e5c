#!/bin/sh
# SPDX-License-Identifier: ISC
# The tables of rules/: bounds are those that sallyport-contract(5) states, and a row that is not whole stops the build.
. "$(dirname "$0")/common.sh"
bounds=rules/bounds page=man/sallyport-contract.5 compile=${srcdir:-$root}/rules/compile_bounds.awk
must_exist "$(cat $bounds $page 2> /dev/null)" "no $bounds or no $page"

# The value of a row as people write it: 100,000, 64M, 1h.
spoken() {
    awk -v name="$1" '$1 == name {
        v = $2
        sub(/i$/, "", v)
        if ($3 == "ms")
            v = v / 3600000 "h"
        else
            while (v ~ /[0-9][0-9][0-9][0-9]/)
                sub(/[0-9][0-9][0-9]($|,)/, ",&", v)
        print v
    }' $bounds
}
while read -r name key; do
    value=$(spoken "$name")
    [ -n "$value" ] || { complain "$bounds has no $name"; continue; }
    awk -v item=".It Ic $key" -v value="$value" '
        index($0, ".It ") == 1 { here = $0 == item || index($0, item " ") == 1 }
        here && match($0, "(^|[^0-9,])" value "($|[^0-9,A-Za-z]|,($|[^0-9]))") { found = 1 }
        END { exit !found }' $page || complain "$page does not say $value of '$key', as $bounds does ($name)"
done << 'END'
DEFAULT_FILES files
DEFAULT_TOTAL total
DEFAULT_DEPTH depth
DEFAULT_VISITED visited
DEFAULT_TIME_MS time
DEFAULT_MAX max
DEFAULT_INSIDE_ENTRIES entries
DEFAULT_INSIDE_MEMBER member
DEFAULT_INSIDE_UNPACKED unpacked
DEFAULT_INSIDE_RATIO ratio
DEFAULT_INSIDE_NESTING nesting
NESTING_MAX nesting
END

while read -r row; do
    if echo "$row" | awk -f "$compile" > /dev/null 2>&1; then
        complain "rules/compile_bounds.awk takes the row: $row"
    fi
done << 'END'
BOUND 0 bytes nothing would be admitted
BOUND 12Ki bytes
BOUND 12K bytes a unit that nobody defined
BOUND -1 bytes below zero
BOUND 1 furlongs of no unit
bound 1 bytes not a name of a constant
# only a comment
END
printf 'BOUND 1 bytes once\nBOUND 2 bytes twice\n' | awk -f "$compile" > /dev/null 2>&1 && complain "a bound stands twice"
echo 'BOUND 12Ki bytes a row that is whole' | awk -f "$compile" | grep -q '^#define BOUND ((uint64_t)12 << 10)' ||
    complain "rules/compile_bounds.awk does not make the constant of a row"

types=$build/rules/compile_types
[ -x "$types" ] || complain "no $types: rows of rules/types are not tried"
echo 'sig OTHER_ARCHIVE head 0 "Rar!" 1a 07 is rar' > "${TMPDIR:-/tmp}/row.$$"
"$types" "${TMPDIR:-/tmp}/row.$$" | grep -q '{TYPE_OTHER_ARCHIVE, EVIDENCE_HEAD, 0, 6, .*, NULL, "rar"}' ||
    complain "rules/compile_types.c does not make the signature of a row"
while read -r row; do
    echo "$row" > "${TMPDIR:-/tmp}/row.$$"
    "$types" "${TMPDIR:-/tmp}/row.$$" > /dev/null 2>&1 && complain "rules/compile_types.c takes the row: $row"
done << 'END'
sig OTHER_ARCHIVE head 0 "Rar!" 1a 07
sig OTHER_ARCHIVE head 0 "Rar!" 1a 07 is
sig OTHER_ARCHIVE head 0 "Rar!" 1a 07 is "rar"
sig ZIP head 0 "PK" 03 04 is
sig NONE_SUCH head 0 "PK"
sig ZIP head 0 "P K"
sig ZIP foot 0 "PK"
ext ZIP Zip
END
rm -f "${TMPDIR:-/tmp}/row.$$"
verdict
