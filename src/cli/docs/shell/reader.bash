# Offers the lines of standard input that begin with $cur, quoted for the shell.
__ios_agent_offer() {
    local line cut=''
    case $cur in *:*) case $COMP_WORDBREAKS in *:*) cut=${cur%"${cur##*:}"} ;; esac ;; esac
    while IFS= read -r line; do
        case $line in '') continue ;; "$cur"*) ;; *) continue ;; esac
        line=${line#"$cut"}
        case $line in *[!A-Za-z0-9_@%+=:,./-]*) [ -n "$quote" ] || line=$(printf %q "$line") ;; esac
        COMPREPLY[${#COMPREPLY[@]}]=$line
    done
}

__ios_agent_values() {
    case $1 in
    @files | @folders)
        local kind=-f
        [ "$1" = @folders ] && kind=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY[${#COMPREPLY[@]}]=$line; done <<EOF
$(compgen $kind -- "$cur")
EOF
        ;;
    @*) __ios_agent_offer <<EOF
$("$program" __complete "${1#@}" "$cur" 2>/dev/null)
EOF
        ;;
    ?*) __ios_agent_offer <<EOF
$(printf %s "$1" | tr '|' '\n')
EOF
        ;;
    esac
}

_ios_agent() {
    local IFS=$' \t\n' words i w n=0 at=0 cur quote='' program name opt='' o opts args line
    COMPREPLY=()
    # bash splits words at ":" and "="; here they are whole again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        w=${COMP_WORDS[i]}
        case $w in
        [:=]*) [ $n -gt 0 ] && words[n - 1]=${words[n - 1]}$w && continue ;;
        ?*) case ${COMP_WORDS[i > 0 ? i - 1 : 0]} in
            : | =) [ $n -gt 1 ] && words[n - 1]=${words[n - 1]}$w && continue ;;
            esac ;;
        esac
        words[n]=$w
        n=$((n + 1))
    done
    program=${words[0]}
    cur=${words[n - 1]}
    case $cur in
    [\'\"]*) quote=${cur:0:1} cur=${cur:1} ;;
    *) cur=${cur//\\/} ;;
    esac
    if [ $n -le 2 ]; then
        __ios_agent_values "$(__ios_agent_first)"
        return
    fi
    name=${words[1]}
    [ $n -eq 3 ] && __ios_agent_values "$(__ios_agent_second)"
    at=2
    if [ $n -gt 3 ] && __ios_agent_row "$name ${words[2]}"; then
        at=3
    elif ! __ios_agent_row "$name"; then
        return
    fi
    # The words before the last one: an option that waits for its value, and the arguments.
    local operand=0 only=''
    for ((i = at; i < n - 1; i++)); do
        w=${words[i]}
        if [ -n "$opt" ]; then
            opt=''
        elif [ -n "$only" ]; then
            operand=$((operand + 1))
        else
            case $w in
            --) only=1 ;;
            --*=*) ;;
            --?*) for o in $opts; do [ "${o%%=*}" = "${w#--}" ] && [ "$o" != "${w#--}" ] && opt=$o; done ;;
            -?*) ;;
            *) operand=$((operand + 1)) ;;
            esac
        fi
    done
    case $cur in
    --*=*)
        [ -n "$only$opt" ] && return
        w=${cur%%=*} cur=${cur#*=}
        for o in $opts; do [ "${o%%=*}" = "${w#--}" ] && __ios_agent_values "${o#*=}"; done
        return ;;
    esac
    if [ -n "$opt" ]; then
        __ios_agent_values "${opt#*=}"
    elif [ -z "$only" ] && [ "${cur:0:1}" = - ]; then
        w=''
        for o in $opts; do w="$w|--${o%%=*}"; done
        __ios_agent_values "${w#|}"
    else
        i=0
        for o in $args; do
            if [ $i -eq $operand ] || { [ "${o%...}" != "$o" ] && [ $i -le $operand ]; }; then
                o=${o%...}
                [ "$o" = . ] || __ios_agent_values "$o"
                break
            fi
            i=$((i + 1))
        done
    fi
}
complete -F _ios_agent ios-agent
