#!/bin/sh
# SPDX-License-Identifier: ISC
# The purity rule: files that say "pure" call nothing that reads, writes, waits, prints or asks the clock.
. "$(dirname "$0")/common.sh"
objects=
for name in base/buf base/jsonw base/path base/task base/type base/type_judge base/utf8 base/verdict base/item \
    base/glob base/ruletable contract/contract_errors contract/contract_floor contract/contract_init contract/contract_match \
    contract/rules_parse contract/schema contract/suggest contract/value contract/yaml_text contract/yaml_tree decide/decide engine/far_session engine/far_wire \
    record/allowed_signers record/bag record/bag_parse record/base64 record/dsse record/record record/record_entry \
    record/record_handoff record/ssh_wire record/sshsig record/statement report/report report/report_each report/report_gitlab \
    report/report_html report/report_human report/report_junit report/report_lines report/report_sarif inspect/finding_wire; do
    o=$(find "$build/broker/$(dirname $name)" -name "*$(basename $name).o" 2>/dev/null | grep -E "(^|[/-])$(basename $name)\.o$" | head -n 1)
    [ -n "$o" ] || { complain "no object for $name: nothing was checked"; continue; }
    objects="$objects $o"
done
must_exist "$objects" "no object files"
bad='open|openat|openat2|read|pread|write|pwrite|close|socket|send|sendmsg|recv|recvmsg|connect|fork|execve|waitpid|exit|_exit|abort|printf|fprintf|puts|fputs|putchar|fopen|fwrite|fread|time|clock_gettime|gettimeofday|getenv|syscall|stat|fstat|unlink|rename|getrandom|rand|random'
for o in $objects; do
    calls=$(nm -u "$o" | awk '{print $NF}' | sed 's/@.*//' | grep -Ex "$bad" || true)
    [ -z "$calls" ] || complain "$(basename "$o") is pure and calls" $calls
done
verdict
