#!/bin/bash
# rules.sh FOLDER: searches the sources under FOLDER for what must not be there. Prints each
# violation as file:line:text and exits 1 when there was one.
set -u
cd "$1" || exit 2
bad=0

# The sources without their comments, line by line.
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
find . -name '*.[ch]' -o -name '*.cpp' | while read -r file; do
    mkdir -p "$bare/$(dirname "$file")"
    sed -E 's,/\*.*,,; s,^ *\*( .*|/.*)?$,,; s,^ *//.*,,' "$file" >"$bare/$file"
done
cd "$bare" || exit 2

# rule MESSAGE PATTERN ALLOWED: no line matches PATTERN (extended) except in files whose path
# matches ALLOWED.
rule() {
    local hits
    hits=$(grep -rnE -- "$2" . | sed 's|^\./||' | grep -vE "^($3):")
    if [ -n "$hits" ]; then
        printf '%s:\n%s\n' "$1" "$hits"
        bad=1
    fi
}

none='-'
call='(^|[^[:alnum:]_.>])'

rule 'an include that climbs out of its folder' '^ *# *include +"[^"]*\.\./' "$none"
rule 'the insides of the simulated phone, used from outside' \
    '^ *# *include +"driver/embedded/(draw|fault|phone|ui|apps|op)/' 'driver/embedded/[^s].*'
rule 'an insides header of the configuration, used from outside' \
    '^ *# *include +"base/config_schema' 'base/config.*'
rule 'a function that cannot be used safely' \
    "$call(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|gets|system|popen|signal|alloca)\(" \
    "$none"
rule 'a clock that is read outside base/now.c' \
    "$call(clock_gettime|gettimeofday|time|mach_absolute_time|nanosleep|usleep|sleep)\(" \
    'base/now\.c|clock\.c'
rule 'randomness that does not come from ia_rand' \
    "$call(rand|srand|random|srandom|drand48|arc4random)\(" "$none"
rule 'a call that only one system has' \
    "$call(epoll_[a-z0-9]+|eventfd|signalfd|timerfd_[a-z]+|pipe2|accept4|memfd_create|kqueue)\(|SOCK_CLOEXEC|SOCK_NONBLOCK|\"/proc/" \
    'base/(platform|process)\.c'
rule 'SQL outside the store' '"(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|PRAGMA) ' \
    'store/.*'
rule 'printing below the command line' "$call(printf|puts|putchar|perror)\(|(^|[^-\"[:alnum:]_])stdout" 'cli/.*'

# The list of events is the only place that has their names; everybody else has the enum. Those without a
# dot are ordinary words.
if [ -f events/list.h ]; then
    names=$(grep -oE '"[a-z]+\.[a-z_]+"' events/list.h | sort -u | tr -d '"' | sed 's/\./\\./' | paste -sd'|')
    rule 'the name of an event outside events/list.h' "\"($names)\"" 'events/list\.h'
fi
exit $bad
