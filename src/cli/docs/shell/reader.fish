# Whether the command line so far has that command; "key" is not "key set".
function __ios_agent_is
    set -l words (commandline -opc)
    set -l pair "$words[2] $words[3]"
    if contains -- $pair $__ios_agent_pairs
        test $pair = $argv[1]
    else
        test "$words[2]" = $argv[1]
    end
end

function __ios_agent_first
    test (count (commandline -opc)) -eq 1
end

function __ios_agent_second
    set -l words (commandline -opc)
    test (count $words) -eq 2 -a "$words[2]" = "$argv[1]"
end

# The values that ios-agent knows at this moment: devices, runs, schedules.
function __ios_agent_values
    command ios-agent __complete $argv[1] (commandline -ct | string replace -r '^--[^=]*=' '') 2>/dev/null
end

complete -c ios-agent -f
