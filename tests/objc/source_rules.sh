#!/bin/bash
# source_rules.sh FOLDER: finds what the Objective-C under FOLDER must not use, so that it works with Apple's
# runtime and with GCC's. Prints each violation and exits 1 if there was one.
set -u
cd "$1" || exit 2
bad=0

# rule MESSAGE PATTERN [FILE]: in all files but that one
rule() {
    local hits
    hits=$(grep -nE -- "$2" ./*.m ./*.h | grep -vF "${3:-./-}:" | grep -vE '^[^:]+:[0-9]+: *(/?\*|//)')
    if [ -n "$hits" ]; then
        printf '%s:\n%s\n' "$1" "$hits"
        bad=1
    fi
}

rule 'Grand Central Dispatch, or another thread' \
    'dispatch_|pthread_|detachNewThread|performSelectorInBackground|NSOperationQueue|NSThread alloc'
rule 'the log of Apple alone' 'os_log|os_trace|NSLog'
rule 'a weak or strong reference of ARC' '__weak|__strong|__bridge|@autoreleasepool'
rule 'a property without its ivar' '@dynamic|@property[^;]*\bweak\b'
rule 'a literal that is a container' '@\[|@\{'
rule 'an import by module' '@import'
rule 'JSON, which is the core'\''s except for the arguments and answers of native actions' \
    'NSJSONSerialization' ./native.m
rule 'a private class by its name' 'NSClassFromString\(@"(XC|_XC|AX)'
rule 'a private framework' 'PrivateFrameworks|dlopen|dlsym'
exit $bad
