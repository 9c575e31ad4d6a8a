#!/bin/bash
# ios_check.sh CLANG BRIDGE FOLDER_OPTIONS...: checks the bridge's Objective-C with the settings of Apple's
# runtime and the stub's headers: it compiles without a warning, the analyzer finds nothing in it but does find
# a planted leak, and with ARC it refuses to compile.
set -u
clang=$1
bridge=$2
shift 2
here=$(dirname "$0")
options=(-std=gnu17 -fobjc-runtime=ios-16.0 -fblocks -fobjc-exceptions -fexceptions -DGNUSTEP=1
    -DGNUSTEP_BASE_LIBRARY=1 -D_NATIVE_OBJC_EXCEPTIONS=1 -Wall -Wextra -Werror
    -include "$bridge/linux/include/compat/gnustep.h"
    -I"$bridge" -I"$bridge/xcuitest" -I"$bridge/linux/include")
for words in "$@"; do
    # shellcheck disable=SC2206
    options+=($words)
done
bad=0

# For a target that is not Apple's, clang runs its Objective-C checkers only on request.
analyze() {
    "$clang" --analyze -Xclang -analyzer-checker=osx -Xclang -analyzer-werror \
        -Xclang -analyzer-output=text \
        "${options[@]}" -fno-objc-arc "$1" -o /dev/null
}

for file in "$bridge"/xcuitest/*.m; do
    if ! "$clang" "${options[@]}" -fno-objc-arc -fsyntax-only "$file" || ! analyze "$file"; then
        echo "$file: see above"
        bad=1
    fi
done

if said=$(analyze "$here/planted_leak.m" 2>&1) || [[ $said != *'leak of an object'* ]]; then
    echo "the analyzer does not find the planted leak: $said"
    bad=1
fi

if said=$("$clang" "${options[@]}" -fobjc-arc -fsyntax-only "$bridge/xcuitest/text.m" 2>&1) ||
    [[ $said != *'compile it with -fno-objc-arc'* ]]; then
    echo "the sources do not refuse ARC: $said"
    bad=1
fi
exit $bad
