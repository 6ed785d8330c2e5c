# SPDX-License-Identifier: ISC
# Completion of sallyport(1) for bash.
_sallyport()
{
    local current previous command
    current=${COMP_WORDS[COMP_CWORD]}
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "run promote check verify probe cut sign note export rules explain init doctor stats diff --help --version" -- "$current"))
        return
    fi
    case $previous in
    --format)
        COMPREPLY=($(compgen -W "human json jsonl sarif junit github gitlab" -- "$current"))
        return ;;
    --color)
        COMPREPLY=($(compgen -W "auto always never" -- "$current"))
        return ;;
    --progress)
        COMPREPLY=($(compgen -W "auto plain none" -- "$current"))
        return ;;
    --event)
        COMPREPLY=($(compgen -W "released received held retired" -- "$current"))
        return ;;
    esac
    local options="--format --quiet --verbose --color --progress --help"
    case $command in
    run | promote | check)
        options="$options --from --to --tree --id --sign --take --hold --record --report --label --floor --rules --strict
            --exit-zero --shared-dest --reproducible --root --shard --wait" ;;
    verify) options="$options --allowed-signers --identity --transported --fast --at-least --head" ;;
    probe) options="$options --in --plain --save" ;;
    cut) options="$options --restore" ;;
    sign) options="$options --key" ;;
    note) options="$options --key --event --reason" ;;
    export) options="$options --dir --tar --zip --oci --sigstore" ;;
    rules) options="$options --rules" ;;
    init) options="$options --from" ;;
    esac
    case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
    esac
}
complete -o filenames -F _sallyport sallyport
