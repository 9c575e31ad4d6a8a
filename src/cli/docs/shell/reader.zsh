# The values that ios-agent knows at this moment: devices, runs, schedules. The kind comes last.
__ios_agent_values() {
    local -a values
    values=("${(@f)$($__ios_agent_program __complete ${argv[-1]} "$PREFIX" 2>/dev/null)}")
    values=(${values:#})
    compadd "${(@)argv[1,-2]}" -a values
}

_ios_agent() {
    local __ios_agent_program=${words[1]} name
    local -a firsts seconds
    if ((CURRENT == 2)); then
        __ios_agent_first
        _describe -t commands command firsts
        return
    fi
    name=${words[2]}
    __ios_agent_second
    ((CURRENT == 3 && $#seconds)) && _describe -t commands command seconds
    if ((CURRENT > 3)) && __ios_agent_is "$name ${words[3]}"; then
        words=("$name ${words[3]}" "${(@)words[4,-1]}")
        ((CURRENT -= 2))
    elif __ios_agent_is "$name"; then
        shift words
        ((CURRENT -= 1))
    else
        return
    fi
    __ios_agent_arguments
}

if [[ $funcstack[1] = _ios-agent ]]; then
    _ios_agent "$@" # as a file in $fpath
else
    compdef _ios_agent ios-agent # sourced
fi
