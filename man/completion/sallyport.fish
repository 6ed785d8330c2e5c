# SPDX-License-Identifier: ISC
# Completion of sallyport(1) for fish.
set -l commands run promote check verify probe cut sign note export rules explain init doctor stats diff
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -f
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a run -d 'prove the sandbox, run the job, promote its outputs'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a promote -d 'copy out what the contract names'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a check -d 'the same without publishing'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a verify -d 'recompute everything in a bag or destination'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a probe -d 'prove every control of the sandbox'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a cut -d 'cut an OrbStack machine off every network'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a sign -d 'add a signature to a published bag'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a note -d 'a signed line about a bag'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a export -d 'copy a verified bag into another form'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a rules -d 'the secret rules'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a explain -d 'what a finding means'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a init -d 'write a commented contract'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'what this host can do'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a stats -d 'the ledger of a destination in numbers'
complete -c sallyport -n "not __fish_seen_subcommand_from $commands" -a diff -d 'what two bags have that differs'
complete -c sallyport -l format -x -a 'human json jsonl sarif junit github gitlab'
complete -c sallyport -l color -x -a 'auto always never'
complete -c sallyport -l progress -x -a 'auto plain none'
complete -c sallyport -s q -l quiet
complete -c sallyport -s v -l verbose
complete -c sallyport -l help
for o in from to tree id sign take hold record report label floor rules root shard
    complete -c sallyport -n "__fish_seen_subcommand_from run promote check" -l $o -r
end
for o in strict exit-zero shared-dest reproducible wait
    complete -c sallyport -n "__fish_seen_subcommand_from run promote check" -l $o
end
for o in allowed-signers identity at-least head
    complete -c sallyport -n "__fish_seen_subcommand_from verify" -l $o -r
end
complete -c sallyport -n "__fish_seen_subcommand_from verify" -l transported
complete -c sallyport -n "__fish_seen_subcommand_from verify" -l fast
complete -c sallyport -n "__fish_seen_subcommand_from probe" -l in -r
complete -c sallyport -n "__fish_seen_subcommand_from probe" -l save -r
complete -c sallyport -n "__fish_seen_subcommand_from probe" -l plain
complete -c sallyport -n "__fish_seen_subcommand_from cut" -l restore
complete -c sallyport -n "__fish_seen_subcommand_from sign note" -l key -r
complete -c sallyport -n "__fish_seen_subcommand_from note" -l event -x -a 'released received held retired'
complete -c sallyport -n "__fish_seen_subcommand_from note" -l reason -r
for o in dir tar zip oci sigstore
    complete -c sallyport -n "__fish_seen_subcommand_from export" -l $o -r
end
