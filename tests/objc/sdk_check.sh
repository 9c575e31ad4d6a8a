#!/bin/bash
# sdk_check.sh CLANG BRIDGE: compiles the bridge's Objective-C for the iOS simulator, against Apple's declarations
# (apple/). Every warning is an error, including an unchecked call of a method newer than the oldest iOS
# (package/). The analyzer, which knows manual retain and release, must find nothing, and the sources must refuse to
# compile with ARC. Then mistakes are planted one by one, and each must be found.
set -u
clang=$1
bridge=$2
here=$(dirname "$0")
min=15.0
bad=0

options=(-target "arm64-apple-ios$min-simulator" -std=gnu17 -fblocks -fobjc-exceptions -fexceptions -nostdlibinc
    -isystem "$here/apple" -I"$bridge" -I"$bridge/xcuitest")

compile() {
    "$clang" "${options[@]}" -fsyntax-only -Wall -Wextra -Werror -Wunguarded-availability -Wundeclared-selector \
        -Wobjc-multiple-method-names -Wnullable-to-nonnull-conversion -Wenum-conversion -Wfloat-conversion "$@"
}

analyze() {
    "$clang" --analyze "${options[@]}" -Xclang -analyzer-werror -Xclang -analyzer-output=text "$1" -o /dev/null
}

for file in "$bridge"/xcuitest/*.m "$here/sdk_late.m"; do
    if ! compile "$file" || ! analyze "$file"; then
        echo "$file: see above"
        bad=1
    fi
done

# finds WORDS FILE OPTIONS...: the mistake is found, and called by these words.
finds() {
    local words=$1 said
    shift
    if said=$(compile "$@" 2>&1) || [[ $said != *"$words"* ]]; then
        echo "not found: $* ($words): $said"
        bad=1
    fi
}

compile -DPLANT=0 "$here/sdk_planted.m" || bad=1
plant=0
while IFS= read -r words; do
    plant=$((plant + 1))
    finds "$words" -DPLANT=$plant "$here/sdk_planted.m"
done <<'END'
instance method '-activateNow' not found
incompatible pointer types sending 'NSString *' to parameter of type 'NSURL
is only available on iOS 17.0 or newer
'init' is unavailable
null passed to a callee that requires a non-null argument
incompatible integer to pointer conversion initializing 'NSString *'
implicit conversion from enumeration type
unknown receiver 'XCUIApplicationProcess'
undeclared selector 'waitUntilIdle'
use of undeclared identifier 'XCUIDeviceButtonVolumeUp'
END
finds 'compile it with -fno-objc-arc' -fobjc-arc "$bridge/xcuitest/text.m"
finds "multiple methods named 'planted' found" -DPLANT=1 "$here/sdk_late.m"
if said=$(analyze "$here/planted_leak.m" 2>&1) || [[ $said != *'leak of an object'* ]]; then
    echo "the analyzer does not find the planted leak: $said"
    bad=1
fi
echo "$plant planted mistakes"
exit $bad
