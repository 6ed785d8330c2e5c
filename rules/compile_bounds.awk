# SPDX-License-Identifier: ISC
# Build-time program: turns rules/bounds into the C constants that broker/base/limits.h includes. Stops at the first line
# that it does not understand, so that no bound is ever missing or zero.
function die(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    split("bytes files members levels ms pixels times", list)
    for (i in list)
        units[list[i]] = 1
    shift["Ki"] = 10; shift["Mi"] = 20; shift["Gi"] = 30
    print "/* Generated from rules/bounds by rules/compile_bounds.awk. */"
}

/^[ \t]*(#|$)/ { next }

{
    number = suffix = $2
    sub(/[A-Za-z]+$/, "", number)
    sub(/^[0-9]+/, "", suffix)
    if (NF < 4)
        die("NAME VALUE UNIT WHY...")
    if ($1 !~ /^[A-Z][A-Z_]*$/ || $1 in seen)
        die("not a name in capitals, or one that stands twice")
    if (number !~ /^[1-9][0-9]*$/ || length(number) > 15 || (suffix != "" && !(suffix in shift)))
        die("the value is a number above 0, with Ki, Mi, Gi or nothing behind it")
    if (!($3 in units))
        die("no such unit")
    why = $0
    sub(/^[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", why)
    if (why ~ /\*\//)
        die("the reason would end a comment of C")
    printf "#define %s ((uint64_t)%s << %d) /* %s; %s */\n", $1, number, suffix == "" ? 0 : shift[suffix], $3, why
    seen[$1] = 1
    rows++
}

END {
    if (!failed && !rows)
        die("no bound at all")
}
