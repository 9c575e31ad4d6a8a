#!/bin/bash
# apple_check.sh SOURCE: on a Mac, compiles both files of the SDK by Apple's own compilers against Apple's own headers, in
# debug and in release, Swift also in the mode of Swift 6. Without Xcode it is skipped (77).
set -u
source=$1
bad=0

if ! sdk=$(xcrun --sdk iphonesimulator --show-sdk-path 2>/dev/null); then
    echo "skipped: no Xcode with an SDK of the iOS simulator"
    exit 77
fi

passes() {
    if ! "$@"; then
        echo "apple_check.sh: $*"
        bad=1
    fi
}

target=arm64-apple-ios15.0-simulator
for arc in -fobjc-arc -fno-objc-arc; do
    passes xcrun --sdk iphonesimulator clang -target $target -isysroot "$sdk" $arc -DDEBUG=1 -Wall -Wextra -Werror \
        -fsyntax-only -I"$source/sdk" "$source/tests/sdk/app_debug.m"
done
passes xcrun --sdk iphonesimulator clang -target $target -isysroot "$sdk" -fobjc-arc -Wall -Wextra -Werror -fsyntax-only \
    -I"$source/sdk" "$source/tests/sdk/app_release.m"
for mode in 5 6; do
    for debug in -DDEBUG -DRELEASE; do
        passes xcrun --sdk iphonesimulator swiftc -target $target -sdk "$sdk" -swift-version $mode $debug -parse-as-library \
            -warnings-as-errors -typecheck "$source/sdk/IOSAgent.swift" "$source/tests/sdk/App.swift"
    done
done
exit $bad
