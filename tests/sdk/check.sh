#!/bin/bash
# check.sh CLANG SOURCE: compiles sdk/IOSAgent.h for iOS against Apple's declarations, as Objective-C and Objective-C++,
# with ARC and without. Every warning is an error, the analyzer must find nothing, and the compiler must find an app's
# planted mistakes. A release build must contain nothing of the SDK, and neither file may use anything that Apple does not
# publish.
set -u
clang=$1
source=$2
here=$source/tests/sdk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

fail() {
    echo "check.sh: $1"
    bad=1
}

compile() {
    "$clang" -target arm64-apple-ios13.0 -fblocks -fobjc-exceptions -fexceptions -nostdlibinc \
        -isystem "$source/tests/objc/apple" -I"$here/uikit" -I"$here/apple" -I"$source/sdk" \
        -Wall -Wextra -Werror -Wunguarded-availability -Wundeclared-selector -Wobjc-multiple-method-names \
        -Wnullable-to-nonnull-conversion -Wenum-conversion -Wfloat-conversion -Wshadow "$@"
}

for arc in -fobjc-arc -fno-objc-arc; do
    for language in objective-c objective-c++; do
        compile -x $language $arc -DDEBUG=1 -fsyntax-only "$here/app_debug.m" || fail "$language $arc"
        compile -x $language $arc -DNDEBUG -fsyntax-only "$here/app_release.m" || fail "$language $arc release"
    done
    compile -x objective-c $arc -DDEBUG=1 --analyze -Xclang -analyzer-werror -Xclang -analyzer-output=text \
        "$here/app_debug.m" -o /dev/null || fail "the analyzer, $arc"
done

plant=0
while IFS= read -r words; do
    plant=$((plant + 1))
    if said=$(compile -x objective-c -fobjc-arc -DDEBUG=1 -DPLANT=$plant -fsyntax-only "$here/app_debug.m" 2>&1) ||
        [[ $said != *"$words"* ]]; then
        fail "mistake $plant is not found ($words): $said"
    fi
done <<'END'
to parameter of type 'NSString *
incompatible block pointer types
null passed to a callee that requires a non-null argument
no visible @interface for 'UIApplication' declares the selector 'keyWindowForAutomation'
END

# What "DEBUG=0" and a missing DEBUG leave: no class, no text, no symbol.
for debug in -DDEBUG=0 -DNDEBUG; do
    compile -x objective-c -fobjc-arc $debug -c -o "$work/release.o" "$here/app_release.m" || fail "release $debug"
    if grep -aqiE 'iosagent|ios-agent|ia~|cart' "$work/release.o"; then
        fail "a release build ($debug) has something of the SDK in it"
    fi
done
compile -x objective-c -fobjc-arc -DDEBUG=1 -c -o "$work/debug.o" "$here/app_debug.m" || fail "debug"
grep -aq 'ios-agent.state' "$work/debug.o" || fail "the search above finds nothing, whatever it searches"

# Comments may say what is not done.
for file in "$source"/sdk/IOSAgent.h "$source"/sdk/IOSAgent.swift; do
    if sed -e 's|//.*||' -e '/^\/\*/,/\*\//d' "$file" | grep -nE \
        'NSClassFromString|NSSelectorFromString|method_exchange|class_replace|class_addMethod|objc_msgSend|dlsym|valueForKey|value\(forKey|setValue.*forKey|IMP |"_[A-Za-z]'; then
        fail "$file: see above: nothing of this ships"
    fi
done
exit $bad
